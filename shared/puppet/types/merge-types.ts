/**
 * Merges types of one kind for a Variant's normal form. Follows PVariantType#normalize of
 * lib/puppet/pops/types/types.rb.
 */
import type { PType } from './ptype.ts';
import { FloatType, IntegerType } from './scalar-types.ts';
import { EnumType, PatternType, StringType } from './string-types.ts';
import { SemVerType, TimespanType, TimestampType } from './time/time-types.ts';

/**
 * Merges Strings and Enums to one Enum, Patterns to one Pattern, versions to one SemVer, and
 * adjacent ranges to one range.
 */
export function mergeSimilar(types: readonly PType[]): readonly PType[] {
  return [mergeEnums, mergeCaseInsensitiveEnums, mergePatterns, mergeVersions, ...RANGE_MERGERS].reduce(
    (merged, step) => (merged.length > 1 ? step(merged) : merged),
    types,
  );
}

/** Joins the types that `select` picks, if there are at least two, and appends the result. */
function joinPicked<T extends PType>(
  types: readonly PType[],
  select: (type: PType) => type is T,
  join: (picked: readonly T[]) => PType,
): readonly PType[] {
  const picked = types.filter(select);
  if (picked.length < 2) return types;
  return [...types.filter((type) => !select(type)), join(picked)];
}

function isExactText(type: PType): type is EnumType | StringType {
  if (type instanceof EnumType) return type.values.length > 0 && !type.caseInsensitive;
  return type instanceof StringType && type.value !== null;
}

function mergeEnums(types: readonly PType[]): readonly PType[] {
  return joinPicked(
    types,
    isExactText,
    (picked) => new EnumType(picked.flatMap((type) => (type instanceof EnumType ? type.values : [type.value ?? '']))),
  );
}

function isCaseInsensitive(type: PType): type is EnumType {
  return type instanceof EnumType && type.values.length > 0 && type.caseInsensitive;
}

function mergeCaseInsensitiveEnums(types: readonly PType[]): readonly PType[] {
  return joinPicked(
    types,
    isCaseInsensitive,
    (picked) =>
      new EnumType(
        picked.flatMap((type) => type.values.map((value) => value.toLowerCase())),
        true,
      ),
  );
}

function mergePatterns(types: readonly PType[]): readonly PType[] {
  return joinPicked(
    types,
    (type) => type instanceof PatternType,
    (picked) => {
      const all = picked.flatMap((type) => type.patterns);
      return new PatternType([...new Map(all.map((pattern) => [pattern.pattern, pattern])).values()]);
    },
  );
}

function mergeVersions(types: readonly PType[]): readonly PType[] {
  const versions = types.filter((type) => type instanceof SemVerType);
  if (versions.length < 2) return types;
  const merged = new SemVerType(versions.flatMap((type) => type.ranges));
  return [merged, ...types.filter((type) => !(type instanceof SemVerType))];
}

/** Merges adjacent ranges; the last one comes first, as in Puppet. */
function mergeRanges<T extends PType>(
  types: readonly PType[],
  select: (type: PType) => type is T,
  merge: (a: T, b: T) => T | null,
): readonly PType[] {
  let open = types.filter(select);
  if (open.length < 2) return types;
  const result: PType[] = [];
  while (open.length > 0) {
    const unmerged: T[] = [];
    let current = open.at(-1);
    for (const type of open.slice(0, -1)) {
      const joined: T | null = current ? merge(current, type) : null;
      if (joined === null) unmerged.push(type);
      else current = joined;
    }
    if (current) result.push(current);
    open = unmerged;
  }
  return [...result, ...types.filter((type) => !select(type))];
}

interface TimeRange<M> {
  readonly from: M | null;
  readonly to: M | null;
}

/** The bounds of the union of two overlapping ranges; null when they don't overlap. */
function joinTimes<M extends { nsecs: bigint }>(a: TimeRange<M>, b: TimeRange<M>): TimeRange<M> | null {
  const isBefore = (x: M | null, y: M | null) => x !== null && y !== null && x.nsecs < y.nsecs;
  if (isBefore(a.to, b.from) || isBefore(b.to, a.from)) return null;
  const from = a.from === null || b.from === null ? null : a.from.nsecs <= b.from.nsecs ? a.from : b.from;
  const to = a.to === null || b.to === null ? null : a.to.nsecs >= b.to.nsecs ? a.to : b.to;
  return { from, to };
}

const RANGE_MERGERS: readonly ((types: readonly PType[]) => readonly PType[])[] = [
  (types) =>
    mergeRanges(
      types,
      (type) => type instanceof IntegerType,
      (a, b) => a.mergeWith(b),
    ),
  (types) =>
    mergeRanges(
      types,
      (type) => type instanceof FloatType,
      (a, b) => a.mergeWith(b),
    ),
  (types) =>
    mergeRanges(
      types,
      (type) => type instanceof TimespanType,
      (a, b) => {
        const joined = joinTimes(a, b);
        return joined && new TimespanType(joined.from, joined.to);
      },
    ),
  (types) =>
    mergeRanges(
      types,
      (type) => type instanceof TimestampType,
      (a, b) => {
        const joined = joinTimes(a, b);
        return joined && new TimestampType(joined.from, joined.to);
      },
    ),
];
