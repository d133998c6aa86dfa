import { isFrozen } from '../types/values/frozen.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';

/** An array or a hash. Module code may change it, and every holder then sees the change. */
export type Container = readonly Value[] | PuppetHash;

/** A hash that Ruby reads by key; each read is recorded. */
export interface LentHash {
  get(name: string): Value | undefined;
  has(name: string): boolean;
  keys(): Iterable<Value>;
  entries(): Iterable<readonly [Value, Value]>;
}

/** Number of variable lists kept for Ruby. */
const LISTED_KEPT = 64;

/** Ruby sent an unknown or malformed frame. */
export class WireError extends Error {}

/**
 * The values of one request that cross the port by number: objects that Ruby only passes on, and
 * arrays and hashes, which keep their identity on both sides.
 */
export class ObjectTable {
  readonly #objects: Value[] = [];
  readonly #objectNumbers = new Map<Value, number>();
  readonly #containers = new Map<number, Container>();
  readonly #containerNumbers = new Map<Container, number>();
  #nextContainer = 0;
  readonly #lent = new Map<number, LentHash>();
  readonly #lentNumbers = new Map<LentHash, number>();
  readonly #listed: number[] = [];
  #nextLent = 0;
  /**
   * Whether hashes are lent. Code that is loaded for many compiles receives full copies instead.
   */
  isLending = true;

  /** Lends a hash of data; returns the number by which Ruby reads it until the compile ends. */
  lend(hash: LentHash): number {
    const known = this.#lentNumbers.get(hash);
    if (known !== undefined) return known;
    const number = this.#nextLent++;
    this.#lent.set(number, hash);
    this.#lentNumbers.set(hash, number);
    return number;
  }

  /**
   * Like `lend`, for a list that is created anew each time. The oldest list is evicted; Ruby then
   * requests a new one.
   */
  lendListed(hash: LentHash): number {
    const number = this.#nextLent++;
    this.#lent.set(number, hash);
    this.#listed.push(number);
    if (this.#listed.length > LISTED_KEPT) this.#lent.delete(this.#listed.shift() ?? number);
    return number;
  }

  /** Returns the hash lent under that number; null when it was evicted. */
  lent(number: number): LentHash | null {
    return this.#lent.get(number) ?? null;
  }

  /** Ends all loans, because another compile begins. Ruby has none, and numbers start again. */
  takeBack(): void {
    this.#lent.clear();
    this.#lentNumbers.clear();
    this.#listed.length = 0;
    this.#nextLent = 0;
  }

  register(value: Value): number {
    const known = this.#objectNumbers.get(value);
    if (known !== undefined) return known;
    const number = this.#objects.push(value) - 1;
    this.#objectNumbers.set(value, number);
    return number;
  }

  /** Returns the value with that number. Throws WireError when there is none. */
  get(id: number): Value {
    const value = this.#objects[id];
    if (value === undefined) throw new WireError(`no object has the number ${id}`);
    return value;
  }

  /** Returns the number with which a container crossed, or undefined. */
  numberOf(container: Container): number | undefined {
    return this.#containerNumbers.get(container);
  }

  /** Returns the number of the next container passed to `add`. */
  get nextNumber(): number {
    return this.#nextContainer;
  }

  add(container: Container): void {
    this.#put(this.#nextContainer++, container);
  }

  /** Registers a container created by Ruby, under Ruby's number. */
  adopt(number: number, container: Container): void {
    this.#put(number, container);
  }

  /** Returns the container with that number. Throws WireError when there is none. */
  getContainer(number: number): Container {
    const container = this.#containers.get(number);
    if (container === undefined) throw new WireError(`no array or hash has the number ${number}`);
    return container;
  }

  clear(): void {
    this.#objects.length = 0;
    this.#objectNumbers.clear();
    this.#containers.clear();
    this.#containerNumbers.clear();
    this.#nextContainer = 0;
  }

  #put(number: number, container: Container): void {
    this.#containers.set(number, container);
    this.#containerNumbers.set(container, number);
  }
}

export function isContainer(value: Value): value is Container {
  return value instanceof PuppetHash || Array.isArray(value);
}

/**
 * Replaces the content of a container with that of another one. Throws WireError when their kinds
 * differ.
 */
export function replaceContent(container: Container, content: Value): void {
  if (isFrozen(container)) return;
  if (container instanceof PuppetHash) {
    if (!(content instanceof PuppetHash)) throw new WireError('Ruby made something else of a hash');
    if (!sameItems([...container.entries()].flat(), [...content.entries()].flat())) {
      container.replaceEntries([...content.entries()]);
    }
  } else if (Array.isArray(container)) {
    if (!Array.isArray(content)) throw new WireError('Ruby made something else of an array');
    if (!sameItems(container, content)) container.splice(0, container.length, ...content);
  }
}

function sameItems(some: readonly Value[], others: readonly Value[]): boolean {
  return some.length === others.length && some.every((item, index) => Object.is(item, others[index]));
}
