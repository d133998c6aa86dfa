import type { Value } from './values.ts';

/**
 * A value that can say what it is equal to: two values of one class with the same `equalityKey` are
 * `eql?`.
 */
export interface HasEqualityKey {
  /** Starts with the class, so that keys of different classes never meet. */
  equalityKey(): string;
}

/**
 * What a Map compares: the value itself for primitives (1n and 1 differ), a text for everything
 * else.
 */
export function hashKey(value: Value): Value {
  if (typeof value !== 'object') return value;
  if (value === null) return null;
  return structuralKey(value);
}

/** Marks texts made by `structuralKey`, so that no user string is taken for one. */
const MARK = '\u0000';

function structuralKey(value: object): string {
  if (Array.isArray(value)) return `${MARK}[${value.map(elementKey).join(',')}]`;
  if (isHashLike(value)) {
    const pairs = [...value.entries()].map(([key, item]) => `${elementKey(key)}=>${elementKey(item)}`);
    return `${MARK}{${pairs.sort().join(',')}}`;
  }
  if (hasEqualityKey(value)) return MARK + value.equalityKey();
  return `${MARK}#${getIdentity(value)}`;
}

/**
 * A text that two values share when they are `eql?`: what `hashKey` makes of the parts of a
 * collection.
 */
export function elementKey(value: Value): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number') return `f${value}`;
  if (typeof value === 'boolean' || value === null) return String(value);
  return structuralKey(value);
}

function isHashLike(value: object): value is { entries(): Iterable<readonly [Value, Value]> } {
  return 'entries' in value && 'merge' in value;
}

function hasEqualityKey(value: object): value is HasEqualityKey {
  return 'equalityKey' in value && typeof value.equalityKey === 'function';
}

const identities = new WeakMap<object, number>();
let lastIdentity = 0;

/** A number of the object's own. */
export function getIdentity(value: object): number {
  const known = identities.get(value);
  if (known !== undefined) return known;
  lastIdentity += 1;
  identities.set(value, lastIdentity);
  return lastIdentity;
}
