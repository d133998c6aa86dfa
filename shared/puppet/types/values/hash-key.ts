import type { Value } from './values.ts';

/**
 * A value with its own equality: two values of one class with the same `equalityKey` are `eql?`.
 */
export interface HasEqualityKey {
  /** The key; it starts with the class, so that keys of different classes never collide. */
  equalityKey(): string;
  /**
   * The same for `eql?`, by which hashes find keys: differs from `equalityKey` where Ruby's class
   * distinguishes the two.
   */
  eqlKey(): string;
  /** The String that it is `eql?` to. */
  readonly textKey?: string;
}

/**
 * The Map key of a value: primitives represent themselves (1n and 1 differ), all other values
 * become a string.
 */
export function hashKey(value: Value): Value {
  if (typeof value !== 'object') return value;
  if (value === null) return null;
  return hasTextKey(value) ? value.textKey : structuralKey(value);
}

/** Prefix of the strings that `structuralKey` makes; distinguishes them from user strings. */
const MARK = '\u0000';

type KeyOf = (value: Value) => string;

function structuralKey(value: object, keyOf: KeyOf = element, isLoose = false): string {
  if (Array.isArray(value)) return `${MARK}[${value.map(keyOf).join(',')}]`;
  if (isHashLike(value)) {
    const pairs = [...value.entries()].map(([key, item]) => `${keyOf(key)}=>${keyOf(item)}`);
    return `${MARK}{${pairs.sort().join(',')}}`;
  }
  if (hasTextKey(value)) return primitiveKey(value.textKey);
  if (hasEqualityKey(value)) return MARK + (isLoose ? value.equalityKey() : value.eqlKey());
  return `${MARK}#${getIdentity(value)}`;
}

function element(value: Value): string {
  return typeof value === 'object' && value !== null ? structuralKey(value) : primitiveKey(value);
}

function primitiveKey(value: null | boolean | bigint | number | string): string {
  if (typeof value === 'string') return JSON.stringify(value);
  return typeof value === 'number' ? `f${value}` : String(value);
}

/**
 * The key of a part of a type or an object, which are `==` when their parts are: a time in it
 * counts by its moment.
 */
export function partKey(value: Value): string {
  return typeof value === 'object' && value !== null ? structuralKey(value, partKey, true) : primitiveKey(value);
}

/**
 * The key of what a Sensitive holds. Puppet: a Sensitive in it counts as what that holds, since
 * their `hash` is one.
 */
export function contentKey(value: Value): string {
  if (typeof value !== 'object' || value === null) return primitiveKey(value);
  return holdsContent(value) ? contentKey(value.unwrap()) : structuralKey(value, contentKey);
}

function holdsContent(value: object): value is { unwrap(): Value } {
  return 'unwrap' in value && typeof value.unwrap === 'function';
}

function isHashLike(value: object): value is { entries(): Iterable<readonly [Value, Value]> } {
  return 'entries' in value && 'merge' in value;
}

function hasTextKey(value: object): value is { readonly textKey: string } {
  return 'textKey' in value;
}

function hasEqualityKey(value: object): value is HasEqualityKey {
  return 'eqlKey' in value && typeof value.eqlKey === 'function';
}

const identities = new WeakMap<object, number>();
let lastIdentity = 0;

/** A unique number of the object. */
export function getIdentity(value: object): number {
  const known = identities.get(value);
  if (known !== undefined) return known;
  lastIdentity += 1;
  identities.set(value, lastIdentity);
  return lastIdentity;
}
