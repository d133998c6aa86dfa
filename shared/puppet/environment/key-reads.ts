/**
 * A parsed data file: the digest of the value of each key. `lookup_options[KEY]` is the name of
 * what the file's lookup_options say of one key (`hiera/options-digests.ts`).
 */
export interface KeyedData {
  /** `valueDigest` of the key's value; null when the file does not have the key. */
  digestOf(key: string): string | null;
}

/** Records the keys that a compile asks one data file for. */
export class KeyReads {
  readonly #data: KeyedData;
  readonly #keys = new Set<string>();

  constructor(data: KeyedData) {
    this.#data = data;
  }

  record(key: string): void {
    this.#keys.add(key);
  }

  /** The digests of the keys so far, in the order of the reads. */
  *getAll(): IterableIterator<readonly [key: string, digest: string | null]> {
    for (const key of this.#keys) yield [key, this.#data.digestOf(key)];
  }
}
