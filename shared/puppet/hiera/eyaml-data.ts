import { ISSUES } from '../errors/issues/catalogue.ts';
import { LookupError, RubyFault } from '../errors/lookup-error.ts';
import { MachineryFault } from '../errors/machinery-fault.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import { isArray } from '../types/values/value-kinds.ts';
import type { Value } from '../types/values/values.ts';
import { readYamlHash } from './data-files.ts';
import { decryptEyaml } from './eyaml.ts';
import { openKeyedFile } from './keyed-file.ts';
import { LookupContext, NoSuchKey } from './lookup-context.ts';

/**
 * Returns the result of `eyaml_lookup_key` for a key. Follows
 * lib/puppet/functions/eyaml_lookup_key.rb.
 */
export function lookupEyaml(key: Value | undefined, options: Value | undefined, context: Value | undefined): Value {
  if (!(context instanceof LookupContext) || !(options instanceof PuppetHash) || typeof key !== 'string') {
    throw new RubyFault(ISSUES.EYAML_OUTSIDE_HIERA());
  }
  const { cache } = context.state;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const path = options.get('path');
  if (typeof path !== 'string') {
    throw new RubyFault(ISSUES.EYAML_PATH_MISSING());
  }
  const value = readValue(key, path, context);
  if (value === undefined) throw new NoSuchKey();
  const decrypted = decryptValue(value, { key, path, options, context });
  cache.set(key, decrypted);
  return decrypted;
}

/** The value before decryption. */
function readValue(key: string, path: string, { invocation, state, moduleName }: LookupContext): Value | undefined {
  const { session } = invocation;
  let file = state.keyedFiles.get(path);
  if (file === undefined) {
    file = openKeyedFile(path, 'yaml_data', session.context.environment, session.cache);
    state.keyedFiles.set(path, file);
  }
  if (!file) return readYamlHash(path, session).get(key);
  session.recordRead(key, file, moduleName);
  return file.data.get(key);
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

function decryptText(text: string, { key, path, options, context }: Encrypted): string {
  if (!/ENC\[.*?\]/.test(text)) return text;
  try {
    return decryptEyaml(text, options, context.invocation.scope.context);
  } catch (error) {
    if (!(error instanceof Error) || error instanceof MachineryFault) throw error;
    throw new LookupError(ISSUES.EYAML_DECRYPTION_FAILED({ text, key, path, detail: error.message }));
  }
}
