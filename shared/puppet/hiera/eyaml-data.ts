import { LookupError, RubyFault } from '../errors/lookup-error.ts';
import { MachineryFault } from '../errors/machinery-fault.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import { readYamlHash } from './data-files.ts';
import { decryptEyaml } from './eyaml.ts';
import { LookupContext, NoSuchKey } from './lookup-context.ts';

/** What `eyaml_lookup_key` gives for a key. Follows lib/puppet/functions/eyaml_lookup_key.rb. */
export function lookupEyaml(key: Value | undefined, options: Value | undefined, context: Value | undefined): Value {
  if (!(context instanceof LookupContext) || !(options instanceof PuppetHash) || typeof key !== 'string') {
    throw new RubyFault('eyaml_lookup_key is called by Hiera');
  }
  const { cache } = context.state;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const path = options.get('path');
  if (typeof path !== 'string') {
    throw new RubyFault(
      "'eyaml_lookup_key': one of 'path', 'paths' 'glob', 'globs' or 'mapped_paths' must be declared in hiera.yaml when using this lookup_key function",
    );
  }
  const value = readYamlHash(path, context.invocation.session).get(key);
  if (value === undefined) throw new NoSuchKey();
  const decrypted = decryptValue(value, { key, path, options, context });
  cache.set(key, decrypted);
  return decrypted;
}

interface Encrypted {
  readonly key: string;
  readonly path: string;
  readonly options: PuppetHash;
  readonly context: LookupContext;
}

function decryptValue(value: Value, place: Encrypted): Value {
  const { context } = place;
  if (typeof value === 'string') return context.interpolate(decryptText(value, place));
  if (value instanceof PuppetHash) {
    return PuppetHash.of(
      [...value.entries()].map(([key, item]) => [context.interpolate(key), decryptValue(item, place)]),
    );
  }
  return isArray(value) ? value.map((item) => decryptValue(item, place)) : value;
}

function isArray(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

function decryptText(text: string, { key, path, options, context }: Encrypted): string {
  if (!/ENC\[.*?\]/.test(text)) return text;
  try {
    return decryptEyaml(text, options, context.invocation.scope.context);
  } catch (error) {
    if (!(error instanceof Error) || error instanceof MachineryFault) throw error;
    throw new LookupError(
      `hiera-eyaml backend error decrypting ${text} when looking up ${key} in ${path}. Error was ${error.message}`,
    );
  }
}
