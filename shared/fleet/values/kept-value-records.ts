import type { KeptChange, KeptText } from '../../puppet/compiler/kept-values.ts';
import type { StoredDocument } from '../../store/ports/document-store.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { digestSha256 } from '../../util/digest.ts';
import { inParallel } from '../../util/in-parallel.ts';
import { KEPT_VALUES, type KeptValueEntry, keptValueKey } from './kept-value-list.ts';

const READS_AT_ONCE = 16;

type ValueStores = Pick<Stores, 'documents' | 'seal' | 'clock'>;

interface StoredValue extends StoredDocument, KeptValueEntry {
  readonly sealed: string;
}

/**
 * The values that code of modules keeps between compiles, by environment and name. Texts are sealed
 * in the store. All changes are conditional: of several at once, one is made.
 */
export class KeptValueRecords {
  readonly #stores: ValueStores;
  readonly #isReadOnly: boolean;

  constructor(stores: ValueStores, isReadOnly = false) {
    this.#stores = stores;
    this.#isReadOnly = isReadOnly;
  }

  /** The same values for a compile whose catalog is not stored: it changes none. */
  readOnly(): KeptValueRecords {
    return new KeptValueRecords(this.#stores, true);
  }

  /** The values of these names that exist. Throws StoreRefused for one sealed elsewhere. */
  async fetch(environment: string, names: readonly string[]): Promise<ReadonlyMap<string, KeptText>> {
    const found = await this.#read(environment, names);
    return new Map(found.map(({ name, sealed, version }) => [name, { text: this.#stores.seal.open(sealed), version }]));
  }

  /** The versions of these names that exist. */
  async versions(environment: string, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = await this.#read(environment, names);
    return new Map(found.map(({ name, version }) => [name, version]));
  }

  /**
   * Makes the changes whose value is still the one that the compile read; others are left out.
   * False when nothing may be stored.
   */
  async store(environment: string, changes: readonly KeptChange[], by: string): Promise<boolean> {
    if (this.#isReadOnly) return false;
    for (const { name, from, text } of changes) {
      const known = (await this.#get(environment, name)) ?? null;
      if ((known?.version ?? null) === from) await this.#change(environment, name, known, text, by);
    }
    return true;
  }

  /**
   * Replaces a value; without a text it is removed, and the next compile that needs it creates it
   * anew. False when there is none, or another change was made meanwhile.
   */
  async rotate(environment: string, name: string, text: string | null, by: string): Promise<boolean> {
    const known = await this.#get(environment, name);
    return known !== null && this.#change(environment, name, known, text, by);
  }

  async #read(environment: string, names: readonly string[]): Promise<readonly StoredValue[]> {
    const found = await inParallel(READS_AT_ONCE, names, (name) => this.#get(environment, name));
    return found.flatMap((value) => value ?? []);
  }

  async #get(environment: string, name: string): Promise<StoredValue | null> {
    // Written by `#change` only.
    return (await this.#stores.documents.get(KEPT_VALUES, keptValueKey(environment, name))) as StoredValue | null;
  }

  #change(
    environment: string,
    name: string,
    known: StoredValue | null,
    text: string | null,
    by: string,
  ): Promise<boolean> {
    const key = keptValueKey(environment, name);
    if (text === null) return known ? this.#stores.documents.remove(KEPT_VALUES, key, known) : Promise.resolve(true);
    const sealed = this.#stores.seal.seal(text);
    const changedAt = this.#stores.clock.now();
    const value = { environment, name, sealed, version: versionOf(sealed, changedAt, by), changedAt, by };
    return known
      ? this.#stores.documents.replace(KEPT_VALUES, key, known, value)
      : this.#stores.documents.create(KEPT_VALUES, key, value);
  }
}

function versionOf(sealed: string, changedAt: number, by: string): string {
  return digestSha256(JSON.stringify([sealed, changedAt, by])).slice(0, 16);
}
