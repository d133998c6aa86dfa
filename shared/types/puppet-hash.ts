import { hashKey } from './hash-key.ts';
import type { Value } from './values.ts';

/**
 * A Puppet Hash: insertion-ordered, keys of any type compared by value (Ruby's `eql?`: 1 and 1.0 differ).
 * Immutable for Puppet code; `set` and `delete` are for builders that have not handed it out yet, `replaceEntries` is for what
 * Ruby code of a module did to a hash that it was given.
 * Everything goes through the overridable methods, so that a subclass can record what is read.
 */
export class PuppetHash {
  protected readonly table = new Map<unknown, readonly [Value, Value]>();
  #isFrozen = false;

  static of(entries: Iterable<readonly [Value, Value]>): PuppetHash {
    const hash = new PuppetHash();
    for (const [key, value] of entries) hash.set(key, value);
    return hash;
  }

  get size(): number {
    return this.table.size;
  }

  /** The value, or undefined when there is no such key (an entry may hold null, Puppet's undef). */
  get(key: Value): Value | undefined {
    return this.table.get(hashKey(key))?.[1];
  }

  has(key: Value): boolean {
    return this.table.has(hashKey(key));
  }

  set(key: Value, value: Value): this {
    const internal = hashKey(key);
    const old = this.table.get(internal);
    this.table.set(internal, [old ? old[0] : key, value]);
    return this;
  }

  delete(key: Value): boolean {
    return this.table.delete(hashKey(key));
  }

  /** Puts these entries in place of all that there are. */
  replaceEntries(entries: Iterable<readonly [Value, Value]>): void {
    this.table.clear();
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
    return this.table.values();
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

  /** A new hash with the entries of `other` laid over this one's. */
  merge(other: PuppetHash): PuppetHash {
    const merged = PuppetHash.of(this.entries());
    for (const [key, value] of other.entries()) merged.set(key, value);
    return merged;
  }
}
