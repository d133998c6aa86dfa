import { TableVersion } from '../table-version.ts';
import { BytesText } from './bytes-text.ts';
import { hashKey } from './hash-key.ts';
import type { Value } from './values.ts';

/** A Map does not distinguish it from zero. */
const NEGATIVE_ZERO = -0;

/** Below this size copying a table is as fast as sharing it. */
const LEAST_SHARED = 32;

/**
 * A Puppet Hash: insertion-ordered, with keys of any type compared by value (Ruby's `eql?`: 1 and
 * 1.0 differ). It is immutable for Puppet code. Builders use `set` and `delete` before they hand it
 * out; `replaceEntries` applies the changes that Ruby code of a module made to it. All access goes
 * through overridable methods, so that a subclass can record reads.
 */
export class PuppetHash {
  /** Values by `hashKey` of their keys; null while another hash holds the shared table. */
  #values: Map<Value, Value> | null = new Map();
  /** The version of a shared table; null when the table is not shared. */
  #version: TableVersion | null = null;
  /** Whether iterators over the table may be active. */
  #isIterated = false;
  /** Original keys that differ from their `hashKey`; null while there are none. */
  #richKeys: Map<Value, Value> | null = null;
  #isFrozen = false;

  static of(entries: Iterable<readonly [Value, Value]>): PuppetHash {
    const hash = new PuppetHash();
    for (const [key, value] of entries) hash.set(key, value);
    return hash;
  }

  get size(): number {
    return this.#table.size;
  }

  /** The size for a check of limits, which is no read of the hash. */
  get sizeForLimits(): number {
    return this.#table.size;
  }

  /** The value of a key; undefined when the key is missing, null when the value is undef. */
  get(key: Value): Value | undefined {
    return this.#table.get(hashKey(key));
  }

  has(key: Value): boolean {
    return this.#table.has(hashKey(key));
  }

  set(key: Value, value: Value): this {
    // A BytesText names the entry by its text.
    if (typeof key === 'object' && key instanceof BytesText) return this.set(String(key), value);
    const internal = hashKey(key);
    if (!Object.is(internal, key) || Object.is(key, NEGATIVE_ZERO)) this.#keepKey(internal, key);
    this.#ownTable().set(internal, value);
    return this;
  }

  delete(key: Value): boolean {
    const internal = hashKey(key);
    this.#richKeys?.delete(internal);
    return this.#ownTable().delete(internal);
  }

  /** Replaces all entries. */
  replaceEntries(entries: Iterable<readonly [Value, Value]>): void {
    this.#values = new Map();
    this.#version = null;
    this.#richKeys = null;
    for (const [key, value] of entries) this.set(key, value);
  }

  /** Whether Ruby code of modules must not change it. Puppet code never does. */
  get isFrozen(): boolean {
    return this.#isFrozen;
  }

  freeze(): void {
    this.#isFrozen = true;
  }

  /** Key/value pairs in insertion order. */
  entries(): IterableIterator<readonly [Value, Value]> {
    this.#isIterated = true;
    return this.#richKeys ? this.#entriesByKeys(this.#richKeys) : this.#table.entries();
  }

  keys(): IterableIterator<Value> {
    this.#isIterated = true;
    return this.#richKeys ? this.#originalKeys(this.#richKeys) : this.#table.keys();
  }

  values(): IterableIterator<Value> {
    this.#isIterated = true;
    return this.#table.values();
  }

  [Symbol.iterator](): IterableIterator<readonly [Value, Value]> {
    return this.entries();
  }

  #keepKey(internal: Value, key: Value): void {
    if (this.#table.has(internal)) return;
    this.#richKeys ??= new Map();
    this.#richKeys.set(internal, key);
  }

  *#originalKeys(richKeys: ReadonlyMap<Value, Value>): IterableIterator<Value> {
    for (const internal of this.#table.keys()) yield richKeys.get(internal) ?? internal;
  }

  *#entriesByKeys(richKeys: ReadonlyMap<Value, Value>): IterableIterator<readonly [Value, Value]> {
    for (const [internal, value] of this.#table) yield [richKeys.get(internal) ?? internal, value];
  }

  /** A new hash with the same entries, which is not frozen. */
  copy(): PuppetHash {
    const copied = new PuppetHash();
    copied.#values = new Map(this.#table);
    copied.#richKeys = this.#richKeys && new Map(this.#richKeys);
    return copied;
  }

  /** A new hash: this one's entries overlaid with those of `other`. */
  merge(other: PuppetHash): PuppetHash {
    const entries = [...other.entries()];
    if (this.#canShare(entries)) return this.#mergeShared(entries);
    const merged = PuppetHash.of(this.entries());
    for (const [key, value] of entries) merged.set(key, value);
    return merged;
  }

  #canShare(others: readonly (readonly [Value, Value])[]): boolean {
    if (this.#isIterated || this.#isFrozen || this.#richKeys || this.#table.size < LEAST_SHARED) return false;
    return others.every(([key]) => isPlainKey(key));
  }

  #mergeShared(entries: readonly (readonly [Value, Value])[]): PuppetHash {
    const merged = new PuppetHash();
    this.#version ??= new TableVersion(this.#table);
    [merged.#version, merged.#values] = this.#version.createNext(entries);
    this.#values = null;
    return merged;
  }

  get #table(): Map<Value, Value> {
    return this.#values ?? this.#takeBack();
  }

  #takeBack(): Map<Value, Value> {
    this.#values = this.#version?.copy() ?? new Map<Value, Value>();
    this.#version = null;
    return this.#values;
  }

  /** The table, unshared, for a change. */
  #ownTable(): Map<Value, Value> {
    if (this.#version === null) return this.#table;
    return this.#takeBack();
  }
}

/** Whether a key is its own Map key. */
function isPlainKey(key: Value): boolean {
  return Object.is(hashKey(key), key) && !Object.is(key, NEGATIVE_ZERO);
}
