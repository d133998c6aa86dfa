import { extname } from 'node:path/posix';
import type { Environment } from '../environment/environment.ts';
import type { FileTree } from '../environment/file-tree.ts';
import type { KeyedData, KeyReads } from '../environment/key-reads.ts';
import { valueDigest } from '../environment/value-digest.ts';
import { LookupError } from '../errors/lookup-error.ts';
import { YamlLoadError } from '../serialization/yaml.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import { type DataReader, readHoconHash, readJsonHash, readYaml } from './data-files.ts';
import type { HieraCache } from './hiera-cache.ts';
import { LOOKUP_OPTIONS } from './lookup-key.ts';
import { OptionsDigests, parseOptionsName } from './lookup-options.ts';

/** A data file that parsed to a hash, with cached digests of its values. */
export class KeyedFile implements KeyedData {
  readonly data: PuppetHash;
  readonly #digests = new Map<string, string>();
  #options: OptionsDigests | null | undefined;

  constructor(data: PuppetHash) {
    this.data = data;
  }

  digestOf(key: string): string | null {
    const known = this.#digests.get(key);
    if (known !== undefined) return known;
    const digest = this.#findDigest(key);
    if (digest !== null) this.#digests.set(key, digest);
    return digest;
  }

  #findDigest(key: string): string | null {
    const value = this.data.get(key);
    const own = value === undefined ? null : valueDigest(value);
    const asked = parseOptionsName(key);
    const options = asked && (this.#getOptions()?.digestOf(asked) ?? null);
    // A key may have the name of such an input.
    return own === null || options === null ? (own ?? options) : valueDigest([own, options]);
  }

  #getOptions(): OptionsDigests | null {
    if (this.#options === undefined) {
      const options = this.data.get(LOOKUP_OPTIONS);
      this.#options = options === undefined ? null : new OptionsDigests(options);
    }
    return this.#options;
  }
}

/** A data file of a compile, with the record of the keys that the compile asks it for. */
export interface OpenKeyedFile {
  readonly data: PuppetHash;
  readonly reads: KeyReads;
}

/** Puppet's data functions that read a file of keys. */
type KeyedFormat = 'yaml_data' | 'json_data' | 'hocon_data';

const READERS: Readonly<Record<KeyedFormat, (path: string, reader: DataReader) => Value | undefined>> = {
  yaml_data: readYaml,
  json_data: readJsonHash,
  hocon_data: readHoconHash,
};

/**
 * Opens a data file so that each key is an input of its own. Null when the whole file must be read
 * as one input: `format` is not the one of the file's name, or the file does not parse to a hash.
 */
export function openKeyedFile(
  path: string,
  format: string,
  environment: Environment,
  cache: HieraCache,
): OpenKeyedFile | null {
  if (format !== formatOf(path)) return null;
  const opened = environment.readKeyed(path, (tree, place) => readKeyedFile(place, tree, cache));
  return opened && { data: opened.file.data, reads: opened.reads };
}

/**
 * The present data of a file that was read by key; null when it is missing or does not parse to a
 * hash. Implements `PresentInputs.dataOf`; relative paths start at `codeDirectory`.
 */
export function dataStates(
  tree: FileTree,
  codeDirectory: string,
  cache: HieraCache,
): (path: string) => KeyedData | null {
  return (path) => readKeyedFile(path.startsWith('/') ? path : `${codeDirectory}/${path}`, tree, cache);
}

/** The format by which a file is read by key: the one of its extension, or YAML. */
function formatOf(path: string): KeyedFormat {
  const extension = extname(path);
  if (extension === '.json') return 'json_data';
  return extension === '.conf' || extension === '.hocon' ? 'hocon_data' : 'yaml_data';
}

/** The data has a weight of its own in the cache. */
const KEYED_WEIGHT = 1000;

function readKeyedFile(path: string, tree: FileTree, cache: HieraCache): KeyedFile | null {
  const digest = tree.digest(path);
  if (digest === null) return null;
  const read = () => {
    const data = parseFile(path, { context: { environment: tree }, cache });
    return data instanceof PuppetHash ? new KeyedFile(data) : null;
  };
  return cache.get('keys', path, digest, read, () => KEYED_WEIGHT);
}

function parseFile(path: string, reader: DataReader): Value | undefined {
  try {
    return READERS[formatOf(path)](path, reader);
  } catch (error) {
    if (error instanceof YamlLoadError || error instanceof LookupError) return undefined;
    throw error;
  }
}
