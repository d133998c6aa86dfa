import { MAX_VERSION, MIN_VERSION, SemVer } from './sem-ver.ts';

/**
 * A contiguous range of versions from `min` to `max`. `text` is its source form. Follows the ranges
 * of the semantic_puppet gem, with one shape for all its classes.
 */
export interface VersionBounds {
  readonly min: SemVer;
  readonly excludesMin: boolean;
  readonly max: SemVer;
  readonly excludesMax: boolean;
  /** Versions whose prereleases are in the range. */
  readonly anchors: readonly SemVer[];
  readonly all: boolean;
  readonly text: string;
}

const EVERYTHING = { min: MIN_VERSION, excludesMin: false, max: MAX_VERSION, excludesMax: false, all: false };

export const ALL_VERSIONS: VersionBounds = { ...EVERYTHING, anchors: [], all: true, text: '*' };

export function greaterThan(version: SemVer): VersionBounds {
  return { ...EVERYTHING, min: version, excludesMin: true, anchors: [version], text: `>${version}` };
}

export function atLeast(version: SemVer): VersionBounds {
  return { ...EVERYTHING, min: version, anchors: [version], text: `>=${version}` };
}

export function lessThan(version: SemVer): VersionBounds {
  return { ...EVERYTHING, max: version, excludesMax: true, anchors: [version], text: `<${version}` };
}

export function atMost(version: SemVer): VersionBounds {
  return { ...EVERYTHING, max: version, anchors: [version], text: `<=${version}` };
}

export function createExact(version: SemVer): VersionBounds {
  return { ...EVERYTHING, min: version, max: version, anchors: [version], text: `${version}` };
}

export const NO_VERSIONS: VersionBounds = { ...lessThan(MIN_VERSION), text: '<0.0.0' };

export function createBetween(low: VersionBounds, high: VersionBounds): VersionBounds {
  return {
    min: low.min,
    excludesMin: low.excludesMin,
    max: high.max,
    excludesMax: high.excludesMax,
    anchors: [...low.anchors, ...high.anchors],
    all: false,
    text: `${lowerPart(low)} ${upperPart(high)}`,
  };
}

function lowerPart(bounds: VersionBounds): string {
  return bounds.text.split(' ')[0] ?? bounds.text;
}

function upperPart(bounds: VersionBounds): string {
  return bounds.text.split(' ').at(-1) ?? bounds.text;
}

export function covers(bounds: VersionBounds, version: SemVer): boolean {
  const low = version.compare(bounds.min);
  const high = version.compare(bounds.max);
  return (bounds.excludesMin ? low > 0 : low >= 0) && (bounds.excludesMax ? high < 0 : high <= 0);
}

export function coversPrerelease(bounds: VersionBounds, version: SemVer): boolean {
  if (bounds.all) return true;
  return bounds.anchors.some(
    (anchor) =>
      !anchor.isStable &&
      anchor.major === version.major &&
      anchor.minor === version.minor &&
      anchor.patch === version.patch,
  );
}

/** The intersection of two ranges; null when it is empty. */
export function intersect(a: VersionBounds, b: VersionBounds): VersionBounds | null {
  if (a.all) return b;
  if (b.all) return a;
  const ahead = a.min.compare(b.max);
  if (ahead > 0) return null;
  if (ahead === 0) return a.excludesMin || b.excludesMax ? null : createExact(a.min);
  const behind = b.min.compare(a.max);
  if (behind > 0) return null;
  if (behind === 0) return b.excludesMin || a.excludesMax ? null : createExact(b.min);
  const low = pick(a, b, a.min.compare(b.min) > 0 || (a.min.compare(b.min) === 0 && a.excludesMin));
  const high = pick(a, b, a.max.compare(b.max) < 0 || (a.max.compare(b.max) === 0 && a.excludesMax));
  if (!hasUpperBound(high)) return low;
  if (!hasLowerBound(low)) return high;
  return createBetween(low, high);
}

function pick<T>(a: T, b: T, first: boolean): T {
  return first ? a : b;
}

function hasUpperBound(bounds: VersionBounds): boolean {
  return bounds.max.compare(MAX_VERSION) !== 0;
}

function hasLowerBound(bounds: VersionBounds): boolean {
  return bounds.min.compare(MIN_VERSION) !== 0;
}

/** The union of two overlapping or adjacent ranges; null when there is a gap. */
export function merge(a: VersionBounds, b: VersionBounds): VersionBounds | null {
  if (a.all || b.all) return ALL_VERSIONS;
  if (covers(a, b.min) || covers(b, a.min)) {
    const lowest = a.min.compare(b.min);
    const low = pick(a, b, lowest < 0 || (lowest === 0 && !a.excludesMin));
    const highest = a.max.compare(b.max);
    const high = pick(a, b, highest > 0 || (highest === 0 && !a.excludesMax));
    return createSpan(low, high);
  }
  if (touches(a, b)) return createSpan(a, b);
  return touches(b, a) ? createSpan(b, a) : null;
}

function touches(lower: VersionBounds, upper: VersionBounds): boolean {
  if (upper.excludesMin) return false;
  const end = lower.excludesMax ? lower.max : new SemVer(lower.max.major, lower.max.minor, lower.max.patch + 1);
  return end.compare(upper.min) === 0;
}

function createSpan(low: VersionBounds, high: VersionBounds): VersionBounds | null {
  const start = low.excludesMin ? greaterThan(low.min) : atLeast(low.min);
  const end = high.excludesMax ? lessThan(high.max) : atMost(high.max);
  return intersect(start, end);
}
