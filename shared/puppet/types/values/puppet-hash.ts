import { TableVersion } from '../table-version.ts';
import { hashKey } from './hash-key.ts';
import type { Value } from './values.ts';

/** A Map takes it for zero. */
const NEGATIVE_ZERO = -0;

/** A smaller table is copied as fast as it is shared. */
const LEAST_SHARED = 32;

/**
 * A Puppet Hash: insertion-ordered, keys of any type compared by value (Ruby's `eql?`: 1 and 1.0
 * differ). Immutable for Puppet code; `set` and `delete` are for builders that have not handed it
 * out yet, `replaceEntries` is for what Ruby code of a module did to a hash that it was given.
 * Everything goes through the overridable methods, so that a subclass can record what is read.
 */
export class PuppetHash {
  /** By what `hashKey` makes of the keys; null while another hash has the table. */
  #values: Map<Value, Value> | null = new Map();
  /** Of the table, when other hashes share it; null for one of its own. */
  #version: TableVersion | null = null;
  /** Whether iterators may be on the table. */
  #isIterated = false;
  /**
   * The keys that it makes something else of, as they were first given; null as long as there are
   * none.
   */
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

  /** The value, or undefined when there is no such key (an entry may hold null, Puppet's undef). */
  get(key: Value): Value | undefined {
    return this.#table.get(hashKey(key));
  }

  has(key: Value): boolean {
    return this.#table.has(hashKey(key));
  }

  set(key: Value, value: Value): this {
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

  /** Puts these entries in place of all that there are. */
  replaceEntries(entries: Iterable<readonly [Value, Value]>): void {
    this.#values = new Map();
    this.#version = null;
    this.#richKeys = null;
    for (const [key, value] of entries) this.set(key, value);
  }

  /** Whether code of modules may not change it; Puppet code never does. */
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

  *keys(): IterableIterator<Value> {
    for (const [key] of this.entries()) yield key;
  }

  *values(): IterableIterator<Value> {
    for (const [, value] of this.entries()) yield value;
  }

  [Symbol.iterator](): IterableIterator<readonly [Value, Value]> {
    return this.entries();
  }

  #keepKey(internal: Value, key: Value): void {
    if (this.#table.has(internal)) return;
    this.#richKeys ??= new Map();
    this.#richKeys.set(internal, key);
  }

  *#entriesByKeys(richKeys: ReadonlyMap<Value, Value>): IterableIterator<readonly [Value, Value]> {
    for (const [internal, value] of this.#table) yield [richKeys.get(internal) ?? internal, value];
  }

  /** A new hash with the entries of `other` laid over this one's. */
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

  /** The table, to be changed. */
  #ownTable(): Map<Value, Value> {
    if (this.#version === null) return this.#table;
    return this.#takeBack();
  }
}

/** Whether a table has the key as it is. */
function isPlainKey(key: Value): boolean {
  return Object.is(hashKey(key), key) && !Object.is(key, NEGATIVE_ZERO);
}
