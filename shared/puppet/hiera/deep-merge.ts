import { mergeSort } from '../../util/merge-sort.ts';
import { ISSUES } from '../errors/issues/catalogue.ts';
import { RubyFault } from '../errors/lookup-error.ts';
import { compareStrings } from '../ruby-core/ruby-string.ts';
import { uniqueBy } from '../types/equality.ts';
import { hashKey } from '../types/values/hash-key.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import { isArray, isNumber } from '../types/values/value-kinds.ts';
import type { Value } from '../types/values/values.ts';

/**
 * Options of the merge strategies `deep`, `reverse_deep` and `unconstrained_deep`, as the
 * deep_merge gem names them.
 */
interface DeepMergeOptions {
  readonly knockoutPrefix: string | null;
  readonly sortMergedArrays: boolean;
  readonly mergeHashArrays: boolean;
  readonly overwriteArrays: boolean;
  readonly extendExistingArrays: boolean;
  readonly unpackArrays: string | null;
}

/** Reads the options of a merge hash (`{strategy => deep, knockout_prefix => '--'}`). */
export function deepMergeOptions(options: PuppetHash | null): DeepMergeOptions {
  const text = (name: string) => {
    const value = options?.get(name);
    return typeof value === 'string' ? value : null;
  };
  const flag = (name: string) => options?.get(name) === true;
  if (text('knockout_prefix') === '') {
    throw new RubyFault(ISSUES.KNOCKOUT_PREFIX_EMPTY());
  }
  return {
    knockoutPrefix: text('knockout_prefix'),
    sortMergedArrays: flag('sort_merged_arrays'),
    mergeHashArrays: flag('merge_hash_arrays'),
    overwriteArrays: flag('overwrite_arrays'),
    extendExistingArrays: flag('extend_existing_arrays'),
    unpackArrays: text('unpack_arrays'),
  };
}

/**
 * Merges `source` into a copy of `target`: hashes are merged, arrays are united, anything else is
 * replaced. Neither argument is changed. Follows the deep_merge gem (1.2) with
 * `preserve_unmergeables: false`.
 */
export function mergeDeeply(source: Value, target: Value, options: DeepMergeOptions): Value {
  if (source === null) return target;
  if (target === null || target === false) return source;
  if (source instanceof PuppetHash) return mergeHash(source, target, options);
  if (isArray(source)) return mergeArray(source, target, options);
  if (isArray(target) && options.extendExistingArrays) return [...target, source];
  return findReplacement(source, options);
}

function mergeHash(source: PuppetHash, target: Value, options: DeepMergeOptions): Value {
  if (!(target instanceof PuppetHash)) {
    if (source.size === 0) return target;
    if (isArray(target) && options.extendExistingArrays) return [...target, source];
    // The gem replaces a value that is not a hash at the first key. The remaining keys are then
    // merged with themselves.
    return PuppetHash.of(
      [...source].map(([key, value], index) => [key, index > 0 ? mergeWithItself(value, options) : value] as const),
    );
  }
  const merged = PuppetHash.of(target.entries());
  for (const [key, value] of source.entries()) {
    const old = merged.get(key) ?? null;
    merged.set(key, old === null || old === false ? mergeWithCopy(value, options) : mergeDeeply(value, old, options));
  }
  return merged;
}

function mergeArray(source: readonly Value[], target: Value, options: DeepMergeOptions): Value {
  if (options.overwriteArrays) return source;
  let added = options.unpackArrays === null ? source : unpack(source, options.unpackArrays);
  let base = isArray(target) && options.unpackArrays !== null ? unpack(target, options.unpackArrays) : target;
  const prefix = options.knockoutPrefix;
  if (prefix !== null && added.includes(prefix)) {
    base = isArray(base) ? [] : base instanceof PuppetHash ? new PuppetHash() : typeof base === 'string' ? '' : null;
    added = added.filter((item) => item !== prefix);
  }
  if (!isArray(base)) return findReplacement(added, options);
  if (prefix !== null) [added, base] = knockOut(added, base, prefix);
  const united =
    options.mergeHashArrays && allHashes(added) && allHashes(base)
      ? mergeHashItems(added, base, options)
      : unite(base, added);
  return sortMerged(united, options);
}

function sortMerged(items: readonly Value[], { sortMergedArrays }: DeepMergeOptions): readonly Value[] {
  return sortMergedArrays ? mergeSort(items, compareForSort) : items;
}

/**
 * Without a target, the gem merges the value with a flat copy of itself. This removes its
 * knockouts.
 */
function mergeWithCopy(value: Value, options: DeepMergeOptions): Value {
  if (!isArray(value)) return mergeWithItself(value, options);
  if (!options.mergeHashArrays || options.overwriteArrays || !allHashes(value))
    return mergeDeeply(value, value, options);
  return sortMerged(selfMerged(value, options), options);
}

/** Returns the result of merging a value with itself (the same Ruby object on both sides). */
function mergeWithItself(value: Value, options: DeepMergeOptions): Value {
  if (value instanceof PuppetHash) {
    return PuppetHash.of([...value].map(([key, item]) => [key, mergeWithItself(item, options)] as const));
  }
  if (!isArray(value)) return value === null || value === false ? value : findReplacement(value, options);
  const prefix = options.knockoutPrefix;
  if (options.overwriteArrays || options.unpackArrays !== null) return mergeDeeply(value, value, options);
  if (prefix !== null && value.includes(prefix)) return [];
  const kept = prefix === null ? value : knockOutOfItself(value, prefix);
  return sortMerged(options.mergeHashArrays && allHashes(kept) ? selfMerged(kept, options) : uniqueBy(kept), options);
}

function selfMerged(items: readonly Value[], options: DeepMergeOptions): readonly Value[] {
  return items.map((item) => mergeWithItself(item, options));
}

/**
 * Ruby's `delete_if` on an array whose block removes further elements: elements that move up
 * meanwhile are lost.
 */
function knockOutOfItself(items: readonly Value[], prefix: string): readonly Value[] {
  let left = [...items];
  let kept = 0;
  let index = 0;
  for (; index < left.length; index += 1) {
    const item = left[index] ?? null;
    if (typeof item === 'string' && item.startsWith(prefix)) {
      const gone = item.slice(prefix.length);
      left = left.filter((other) => other !== item && other !== gone);
    } else {
      left[kept] = item;
      kept += 1;
    }
  }
  return kept < index ? [...left.slice(0, kept), ...left.slice(index)] : left;
}

function unpack(items: readonly Value[], separator: string): readonly Value[] {
  const parts = items.map(String).join(separator).split(separator);
  while (parts.at(-1) === '') parts.pop();
  return parts;
}

function knockOut(
  added: readonly Value[],
  base: readonly Value[],
  prefix: string,
): [readonly Value[], readonly Value[]] {
  const isKnockout = (item: Value): item is string => typeof item === 'string' && item.startsWith(prefix);
  const gone = new Set<Value>(added.filter(isKnockout).flatMap((item) => [item, item.slice(prefix.length)]));
  return [added.filter((item) => !isKnockout(item)), base.filter((item) => !gone.has(item))];
}

function allHashes(items: readonly Value[]): items is readonly PuppetHash[] {
  return items.every((item) => item instanceof PuppetHash);
}

function mergeHashItems(
  added: readonly PuppetHash[],
  base: readonly PuppetHash[],
  options: DeepMergeOptions,
): readonly Value[] {
  const merged = base.map((item, index) => mergeDeeply(added[index] ?? new PuppetHash(), item, options));
  return [...merged, ...added.slice(base.length)];
}

/** Ruby's Array#|: the distinct elements of both arrays in order. */
export function unite(first: readonly Value[], second: readonly Value[]): readonly Value[] {
  return uniqueBy([...first, ...second]);
}

function findReplacement(source: Value, options: DeepMergeOptions): Value {
  const prefix = options.knockoutPrefix;
  if (prefix === null) return source;
  if (typeof source === 'string') return source.startsWith(prefix) ? '' : source;
  if (!isArray(source)) return source;
  // The gem removes knockouts from the same array that it compares with, so it never finds the
  // array changed.
  return source.filter((item) => typeof item !== 'string' || !item.startsWith(prefix));
}

function compareForSort(a: Value, b: Value): number {
  const order = rubyOrder(a, b);
  // Ruby: Comparable
  if (order === null) throw new RubyFault(`comparison of ${rubyName(a)} with ${rubyOperand(b)} failed`);
  return order;
}

/** Ruby's `<=>` for the types that data can contain; null when the values are not comparable. */
function rubyOrder(a: Value, b: Value): number | null {
  if (typeof a === 'string' && typeof b === 'string') return compareStrings(a, b);
  if (isNumber(a) && isNumber(b)) return a < b ? -1 : a > b ? 1 : 0;
  if (!isArray(a) || !isArray(b)) return hashKey(a) === hashKey(b) ? 0 : null;
  for (const [index, item] of a.slice(0, b.length).entries()) {
    const order = rubyOrder(item, b[index] ?? null);
    if (order !== 0) return order;
  }
  return Math.sign(a.length - b.length);
}

function rubyName(value: Value): string {
  if (value === null) return 'NilClass';
  if (typeof value === 'string') return 'String';
  if (typeof value === 'bigint') return 'Integer';
  if (typeof value === 'number') return 'Float';
  if (typeof value === 'boolean') return value ? 'TrueClass' : 'FalseClass';
  if (isArray(value)) return 'Array';
  return value instanceof PuppetHash ? 'Hash' : value.constructor.name;
}

/** Ruby prints special constants and floats by value, other operands by class. */
function rubyOperand(value: Value): string {
  if (value === null) return 'nil';
  if (typeof value === 'bigint' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  return rubyName(value);
}
