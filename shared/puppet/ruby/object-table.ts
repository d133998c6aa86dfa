import { isFrozen } from '../types/values/frozen.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';

/** An array or a hash: code of modules may change it, and then it changes for all who have it. */
export type Container = readonly Value[] | PuppetHash;

/** A hash that Ruby reads by name; what it reads is recorded. */
export interface LentHash {
  get(name: string): Value | undefined;
  has(name: string): boolean;
  keys(): Iterable<Value>;
  entries(): Iterable<readonly [Value, Value]>;
}

/** So many lists of variables are kept for Ruby. */
const LISTED_KEPT = 64;

/** What Ruby sent is no frame that we know. */
export class WireError extends Error {}

/**
 * The values of one request that cross the border by number: objects that Ruby only carries, and
 * arrays and hashes, which stay the same on both sides.
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
   * Whether hashes are lent at all: what is asked for by code that is loaded for many compiles
   * crosses as it is.
   */
  isLending = true;

  /** The number by which Ruby reads a hash of data, for as long as the compile. */
  lend(hash: LentHash): number {
    const known = this.#lentNumbers.get(hash);
    if (known !== undefined) return known;
    const number = this.#nextLent++;
    this.#lent.set(number, hash);
    this.#lentNumbers.set(hash, number);
    return number;
  }

  /**
   * The same for a list that is made anew each time: the oldest of them is forgotten, and Ruby asks
   * for another one.
   */
  lendListed(hash: LentHash): number {
    const number = this.#nextLent++;
    this.#lent.set(number, hash);
    this.#listed.push(number);
    if (this.#listed.length > LISTED_KEPT) this.#lent.delete(this.#listed.shift() ?? number);
    return number;
  }

  /** What is lent by that number, null when it is forgotten. */
  lent(number: number): LentHash | null {
    return this.#lent.get(number) ?? null;
  }

  /** Forgets what was lent: another compile begins. */
  takeBack(): void {
    this.#lent.clear();
    this.#lentNumbers.clear();
    this.#listed.length = 0;
  }

  register(value: Value): number {
    const known = this.#objectNumbers.get(value);
    if (known !== undefined) return known;
    const number = this.#objects.push(value) - 1;
    this.#objectNumbers.set(value, number);
    return number;
  }

  /** Throws WireError when there is no such number. */
  get(id: number): Value {
    const value = this.#objects[id];
    if (value === undefined) throw new WireError(`no object has the number ${id}`);
    return value;
  }

  /** The number that a container crossed with, or undefined. */
  numberOf(container: Container): number | undefined {
    return this.#containerNumbers.get(container);
  }

  /** The number of the next container that `add` is given. */
  get nextNumber(): number {
    return this.#nextContainer;
  }

  add(container: Container): void {
    this.#put(this.#nextContainer++, container);
  }

  /** Takes a container of Ruby's, under the number that Ruby gave it. */
  adopt(number: number, container: Container): void {
    this.#put(number, container);
  }

  /** Throws WireError when there is no such number. */
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
 * Gives a container the content of another of its kind, when it is another one. Throws WireError
 * for one of another kind.
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
