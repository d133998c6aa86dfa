import type { Environment } from '../environment/environment.ts';
import { invalidBytes, utf8Problem } from '../environment/utf8-text.ts';
import { ISSUES } from '../errors/issues/catalogue.ts';
import { LookupError, RubyFault } from '../errors/lookup-error.ts';
import type { CompileContext } from '../evaluator/ports.ts';
import { parseHocon } from '../serialization/hocon.ts';
import { parseJson } from '../serialization/json.ts';
import { parseYaml, RubySymbol, YamlLoadError } from '../serialization/yaml.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import { isArray } from '../types/values/value-kinds.ts';
import type { Value } from '../types/values/values.ts';
import type { HieraCache } from './hiera-cache.ts';

/** The files to read, and the cache of parsed files. */
export interface DataReader {
  readonly context: { readonly environment: Pick<Environment, 'digest' | 'kindOf' | 'read' | 'readText'> };
  readonly cache: HieraCache;
}

/** A `DataReader` of a compile. */
export interface FileReader extends DataReader {
  readonly context: CompileContext;
}

/**
 * Reads a file and parses it with `read`. The result is cached by path and digest. Throws Ruby's
 * error for a missing file.
 */
export function readDataFile<T>(purpose: string, path: string, reader: DataReader, read: (text: string) => T): T {
  const { environment } = reader.context;
  const digest = environment.digest(path);
  if (digest === null) {
    const problem =
      environment.kindOf(path) === 'directory'
        ? 'Is a directory @ io_fread'
        : 'No such file or directory @ rb_file_s_stat';
    // Ruby: Errno
    throw new RubyFault(`${problem} - ${path}`);
  }
  let text = '';
  const readText = () => {
    text = environment.readText(path) ?? '';
    return read(text);
  };
  return reader.cache.get(purpose, path, digest, readText, () => text.length);
}

/** Puppet: libyaml checks the encoding of the whole file before it reports a syntax error. */
function checkBytes(path: string, { context }: DataReader, text: string): void {
  const invalid = invalidBytes(context.environment, path, text);
  if (invalid) throw new YamlLoadError(`(${path}): ${utf8Problem(invalid)} at line 1 column 1`);
}

/**
 * Parses a YAML file as data; symbols are allowed. Returns `undefined` for an empty file. Throws
 * LookupError for invalid YAML.
 */
export function readYaml(path: string, reader: DataReader): Value | undefined {
  return readDataFile('yaml', path, reader, (text) => {
    checkBytes(path, reader, text);
    const value = parseYaml(text, { file: path, symbols: true });
    return value instanceof PuppetHash ? withoutSymbols(value) : value;
  });
}

/** Returns the result of `yaml_data` for a file. Follows lib/puppet/functions/yaml_data.rb. */
export function readYamlHash(path: string, reader: FileReader): PuppetHash {
  let data: Value | undefined;
  try {
    data = readYaml(path, reader);
  } catch (error) {
    if (error instanceof YamlLoadError) throw new LookupError(ISSUES.DATA_FILE_UNPARSABLE({ detail: error.message }));
    throw error;
  }
  if (data instanceof PuppetHash) return data;
  const issue = ISSUES.YAML_FILE_NO_HASH({ path });
  const { settings, log } = reader.context;
  if (settings.strict === 'error' && data !== undefined && data !== null && data !== false)
    throw new LookupError(issue);
  // Puppet: the parsed file is cached by path, so the warning appears once (cached_file_data).
  log.addOnce(`yaml_data ${path}`, { level: 'warning', message: issue.text });
  return new PuppetHash();
}

/** Returns the result of `json_data` for a file. Follows lib/puppet/functions/json_data.rb. */
export function readJsonHash(path: string, reader: DataReader): Value {
  return readDataFile('json', path, reader, (text) => {
    try {
      return parseJson(text);
    } catch (error) {
      throw toParseError(path, error);
    }
  });
}

/** Returns the result of `hocon_data` for a file. Follows lib/puppet/functions/hocon_data.rb. */
export function readHoconHash(path: string, reader: DataReader): Value {
  return readDataFile('hocon', path, reader, (text) => {
    try {
      return parseHocon(text);
    } catch (error) {
      throw toParseError(path, error);
    }
  });
}

function toParseError(path: string, error: unknown): unknown {
  return error instanceof Error
    ? new LookupError(ISSUES.DATA_FILE_AT_PATH_UNPARSABLE({ path, detail: error.message }))
    : error;
}

/** Returns a copy in which Symbol keys are Strings. Puppet: HieraConfig.symkeys_to_string. */
function withoutSymbols(hash: PuppetHash): PuppetHash {
  return PuppetHash.of(
    [...hash.entries()].map(([key, value]) => [key instanceof RubySymbol ? key.name : key, convert(value)]),
  );
}

function convert(value: Value): Value {
  if (value instanceof PuppetHash) return withoutSymbols(value);
  return isArray(value) ? value.map(convert) : value;
}
