import { ISSUES } from '../errors/issues/catalogue.ts';
import { LookupError, RubyFault } from '../errors/lookup-error.ts';
import { MachineryFault } from '../errors/machinery-fault.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import { isFatalRubyError, rubyClassBehind } from '../errors/ruby-error.ts';
import { defineFunction } from '../evaluator/native-function.ts';
import type { CallSite, PuppetFunction } from '../evaluator/ports.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import { isArray } from '../types/values/value-kinds.ts';
import type { Value } from '../types/values/values.ts';
import { type FileReader, readHoconHash, readJsonHash, readYamlHash } from './data-files.ts';
import { decryptEyaml } from './eyaml.ts';
import type { Invocation } from './invocation.ts';
import { openKeyedFile } from './keyed-file.ts';
import { LookupContext, NoSuchKey } from './lookup-context.ts';

const MISSING_PATH =
  "one of 'path', 'paths' 'glob', 'globs' or 'mapped_paths' must be declared in hiera.yaml when using this data_hash function";

/** Creates a data_hash function that reads the file named in its options. */
function fileFunction(name: string, read: (path: string, reader: FileReader) => Value): PuppetFunction {
  return defineFunction(
    name,
    {
      params: ['Struct[{path=>String[1]}] options', 'Puppet::LookupContext context'],
      body: (site, [options, context]) => read(pathOf(options), readerOf(site, context)),
    },
    {
      mismatches: [{ params: ['Hash options', 'Puppet::LookupContext context'], message: () => MISSING_PATH }],
    },
  );
}

function pathOf(options: Value | undefined): string {
  return options instanceof PuppetHash ? String(options.get('path')) : '';
}

function readerOf(site: CallSite, context: Value | undefined): FileReader {
  if (context instanceof LookupContext) return context.invocation.session;
  throw new LookupError(ISSUES.NO_LOOKUP_GOING_ON({ environment: site.context.environment.name }));
}

/** Puppet's built-in data functions for Hiera. */
export const DATA_FUNCTIONS: ReadonlyMap<string, PuppetFunction> = new Map(
  [
    fileFunction('yaml_data', readYamlHash),
    fileFunction('json_data', readJsonHash),
    fileFunction('hocon_data', readHoconHash),
    // Puppet Enterprise: the configuration data of the node's groups.
    defineFunction('classifier_data', {
      params: ['Hash[String[1],Any] options', 'Puppet::LookupContext context'],
      body: (site) => site.context.node.configData ?? new PuppetHash(),
    }),
    defineFunction('eyaml_lookup_key', {
      params: ['String[1] key', 'Hash[String[1],Any] options', 'Puppet::LookupContext context'],
      body: (_, [key, options, context]) => lookupEyaml(key, options, context),
    }),
  ].map((each) => [each.name, each]),
);

/**
 * Returns the result of `eyaml_lookup_key` for a key. Follows
 * lib/puppet/functions/eyaml_lookup_key.rb.
 */
function lookupEyaml(key: Value | undefined, options: Value | undefined, context: Value | undefined): Value {
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

/**
 * Finds the function of a hierarchy's entry in the code; null when there is none. Ruby code that
 * fails while it is loaded is a Ruby exception here, as in Puppet (ArgumentError).
 */
export function loadFunction({ scope }: Invocation, name: string): PuppetFunction | null {
  try {
    return scope.context.definitions.findFunction(name);
  } catch (error) {
    if (!(error instanceof PuppetError) || rubyClassBehind(error) === null || isFatalRubyError(error)) throw error;
    throw new RubyFault(error.basic, { cause: error });
  }
}
