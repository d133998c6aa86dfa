import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import type { RichKind } from '../values/value-kinds.ts';
import { RichValue } from '../values/values.ts';
import { parsePrerelease, SemVer } from './sem-ver.ts';
import {
  ALL_VERSIONS,
  atLeast,
  atMost,
  covers,
  coversPrerelease,
  createBetween,
  createExact,
  greaterThan,
  intersect,
  lessThan,
  merge,
  NO_VERSIONS,
  type VersionBounds,
} from './version-bounds.ts';

const PART = '[0-9A-Za-z-]+';
const PARTS = `${PART}(?:\\.${PART})*`;
const NUMBER = 'x|X|\\*|0|[1-9][0-9]*';
const PARTIAL = `(?:${NUMBER})(?:\\.(?:${NUMBER})(?:\\.(?:${NUMBER})(?:-${PARTS})?(?:\\+${PARTS})?)?)?`;
const SIMPLE = new RegExp(`^(<=|>=|~>|~=|[<>=~^])?(${PARTIAL})$`);
const HYPHEN = new RegExp(`^(${PARTIAL})\\s+-\\s+(${PARTIAL})$`);
const COMPONENTS = new RegExp(`^(${NUMBER})(?:\\.(${NUMBER})(?:\\.(${NUMBER})(?:-(${PARTS}))?(?:\\+(${PARTS}))?)?)?$`);

/** A set of versions: `>=1.0.0 <2.0.0 || 3.x`. Follows the semantic_puppet gem's `VersionRange`. */
export class SemVerRange extends RichValue {
  readonly stretches: readonly VersionBounds[];
  readonly #text: string;

  constructor(stretches: readonly (VersionBounds | null)[], text: string | null = null) {
    super();
    const merged = mergeAll(stretches.filter((item) => item !== null));
    this.stretches = merged.length === 0 ? [NO_VERSIONS] : merged;
    this.#text = text ?? this.stretches.map((item) => item.text).join(' || ');
  }

  get valueKind(): RichKind {
    return 'SemVerRange';
  }

  /** Throws Puppet's error when `text` is no version range. */
  static parse(text: string): SemVerRange {
    const alternatives = text.replace(/([><=~^])(?:\s+|\s*v)/g, '$1').split(/\s*\|\|\s*/);
    while (alternatives.at(-1) === '') alternatives.pop();
    if (alternatives.length === 0) return new SemVerRange([ALL_VERSIONS], '*');
    const parsed = alternatives.map((alternative) => parseAlternative(alternative, text));
    return new SemVerRange(withoutDoubles(parsed), text);
  }

  static createBetween(min: SemVer, max: SemVer, excludesMax = false): SemVerRange {
    const stretch = intersect(atLeast(min), excludesMax ? lessThan(max) : atMost(max));
    // Puppet: the text has the two ends in the wrong order (semantic_puppet/version_range.rb).
    return new SemVerRange([stretch], excludesMax ? `>=${max} <${min}` : `${max} - ${min}`);
  }

  includes(version: SemVer): boolean {
    return this.stretches.some(
      (item) => covers(item, version) && (version.isStable || coversPrerelease(item, version)),
    );
  }

  /** The intersection of two ranges; null when it is empty. */
  intersect(other: SemVerRange): SemVerRange | null {
    const both = this.stretches.flatMap((mine) => other.stretches.map((yours) => intersect(mine, yours)));
    const found = withoutDoubles(both);
    return found.some((item) => item !== null) ? new SemVerRange(found) : null;
  }

  /** The bounds of a range that is one stretch; null for any other. */
  get single(): VersionBounds | null {
    return this.stretches.length === 1 ? (this.stretches[0] ?? null) : null;
  }

  equalityKey(): string {
    return `semverrange:${this.stretches.map(boundsKey).join('||')}`;
  }

  override toString(): string {
    return this.#text;
  }
}

function boundsKey(item: VersionBounds): string {
  const low = `${item.excludesMin ? '>' : '>='}${item.min.equalityKey()}`;
  return `${item.all}${low} ${item.excludesMax ? '<' : '<='}${item.max.equalityKey()}`;
}

function withoutDoubles(items: readonly (VersionBounds | null)[]): (VersionBounds | null)[] {
  const seen = new Map(items.map((item) => [item ? boundsKey(item) : '', item]));
  return [...seen.values()];
}

function mergeAll(stretches: readonly VersionBounds[]): readonly VersionBounds[] {
  let current = stretches;
  for (;;) {
    const next: VersionBounds[] = [];
    for (const item of current) {
      const at = next.findIndex((known) => merge(known, item) !== null);
      const known = next[at];
      if (known === undefined) next.push(item);
      else next[at] = merge(known, item) ?? known;
    }
    if (next.length === current.length) return current;
    current = next;
  }
}

function parseAlternative(text: string, whole: string): VersionBounds | null {
  const hyphen = HYPHEN.exec(text);
  if (hyphen) return intersect(atLeast(parseFull(hyphen[1])), atMost(parseFull(hyphen[2])));
  const simples = text
    .trimEnd()
    .split(/\s+/)
    .slice(text.trim() === '' ? 1 : 0)
    .map((simple) => {
      const match = SIMPLE.exec(simple);
      if (!match) throw new PuppetError(ISSUES.VERSION_RANGE_NOT_PARSABLE({ text: whole }));
      return parseSimple(match[1] ?? '', match[2] ?? '');
    });
  return simples.reduce<VersionBounds | null>((sum, item) => (sum ? intersect(sum, item) : null), simples[0] ?? null);
}

interface Components {
  readonly major: number | null;
  readonly minor: number | null;
  readonly patch: number | null;
  readonly prerelease: string | undefined;
  readonly build: string | undefined;
}

function parseComponents(text: string): Components {
  const match = COMPONENTS.exec(text);
  const digit = (part: string | undefined) => (part === undefined || /^[xX*]$/.test(part) ? null : Number(part));
  return {
    major: digit(match?.[1]),
    minor: digit(match?.[2]),
    patch: digit(match?.[3]),
    prerelease: match?.[4],
    build: match?.[5],
  };
}

function toVersion({ major, minor, patch, prerelease, build }: Components): SemVer {
  return new SemVer(major ?? 0, minor ?? 0, patch ?? 0, parsePrerelease(prerelease), build?.split('.') ?? null);
}

function parseFull(text: string | undefined): SemVer {
  return toVersion(parseComponents(text ?? ''));
}

function parseSimple(operator: string, operand: string): VersionBounds {
  const parts = parseComponents(operand);
  switch (operator) {
    case '~':
    case '~>':
    case '~=':
      return patchUpdates(parts, true);
    case '^':
      return parts.major === 0 ? patchUpdates(parts, true) : minorUpdates(parts);
    case '>':
      return boundsAbove(parts);
    case '>=':
      return atLeast(toVersion(parts));
    case '<':
      return lessThan(toVersion(parts));
    case '<=':
      return boundsUpTo(parts);
    default:
      return patchUpdates(parts, false);
  }
}

function createStretch(from: SemVer, below: SemVer): VersionBounds {
  return createBetween(atLeast(from), lessThan(below));
}

function patchUpdates(parts: Components, updates: boolean): VersionBounds {
  const { major, minor, patch } = parts;
  if (major === null) return ALL_VERSIONS;
  if (minor === null) return createStretch(new SemVer(major, 0, 0), new SemVer(major + 1, 0, 0));
  if (patch === null) return createStretch(new SemVer(major, minor, 0), new SemVer(major, minor + 1, 0));
  return updates ? createStretch(toVersion(parts), new SemVer(major, minor + 1, 0)) : createExact(toVersion(parts));
}

function minorUpdates(parts: Components): VersionBounds {
  if (parts.major === null) return ALL_VERSIONS;
  const from = parts.minor === null ? new SemVer(parts.major, 0, 0) : toVersion(parts);
  return createStretch(from, new SemVer(parts.major + 1, 0, 0));
}

function boundsAbove(parts: Components): VersionBounds {
  const { major, minor, patch } = parts;
  if (major === null) return NO_VERSIONS;
  if (minor === null) return atLeast(new SemVer(major + 1, 0, 0));
  if (patch === null) return atLeast(new SemVer(major, minor + 1, 0));
  return greaterThan(toVersion(parts));
}

function boundsUpTo(parts: Components): VersionBounds {
  const { major, minor, patch } = parts;
  if (major === null) return ALL_VERSIONS;
  if (minor === null) return lessThan(new SemVer(major + 1, 0, 0));
  if (patch === null) return lessThan(new SemVer(major, minor + 1, 0));
  return atMost(toVersion(parts));
}
