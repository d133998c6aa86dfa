import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import type { RichKind } from '../values/value-kinds.ts';
import { RichValue } from '../values/values.ts';

type Identifier = number | string;

const FULL =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?\n?$/;

/** A version of Semantic Versioning 2.0.0. Follows the semantic_puppet gem's `Version`. */
export class SemVer extends RichValue {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  readonly prerelease: readonly Identifier[] | null;
  readonly build: readonly string[] | null;

  constructor(
    major: number,
    minor: number,
    patch: number,
    prerelease: readonly Identifier[] | null = null,
    build: readonly string[] | null = null,
  ) {
    super();
    this.major = major;
    this.minor = minor;
    this.patch = patch;
    this.prerelease = prerelease;
    this.build = build;
  }

  get valueKind(): RichKind {
    return 'SemVer';
  }

  /** Throws Puppet's error when `text` is no version. */
  static parse(text: string): SemVer {
    const match = FULL.exec(text);
    if (!match) throw new PuppetError(ISSUES.VERSION_NOT_PARSABLE({ text }));
    const [, major, minor, patch, prerelease, build] = match;
    return new SemVer(
      Number(major),
      Number(minor),
      Number(patch),
      parsePrerelease(prerelease),
      build?.split('.') ?? null,
    );
  }

  static isValid(text: string): boolean {
    return FULL.test(text);
  }

  get isStable(): boolean {
    return this.prerelease === null || this.prerelease.length === 0;
  }

  /** Returns a negative number, 0, or a positive number. Ignores build metadata. */
  compare(other: SemVer): number {
    return (
      this.major - other.major ||
      this.minor - other.minor ||
      this.patch - other.patch ||
      comparePrerelease(this.prerelease, other.prerelease) ||
      0
    );
  }

  equalityKey(): string {
    const prerelease = this.prerelease?.map((part) => JSON.stringify(part)).join('.') ?? 'none';
    return `semver:${this.major}.${this.minor}.${this.patch}-${prerelease}+${this.build?.join('.') ?? 'none'}`;
  }

  override toString(): string {
    const prerelease = this.prerelease === null ? '' : `-${this.prerelease.join('.')}`;
    const build = this.build === null ? '' : `+${this.build.join('.')}`;
    return `${this.major}.${this.minor}.${this.patch}${prerelease}${build}`;
  }
}

/** Lower than every version, including 0.0.0. */
export const MIN_VERSION = new SemVer(0, 0, 0, []);
export const MAX_VERSION = new SemVer(Number.POSITIVE_INFINITY, 0, 0);

export function parsePrerelease(text: string | undefined): Identifier[] | null {
  if (text === undefined) return null;
  return text.split('.').map((part) => {
    if (!/^\d+$/.test(part)) return part;
    if (part.length > 1 && part.startsWith('0')) {
      throw new PuppetError(ISSUES.PRERELEASE_WITH_LEADING_ZERO());
    }
    return Number(part);
  });
}

function comparePrerelease(mine: readonly Identifier[] | null, yours: readonly Identifier[] | null): number {
  if (mine === null) return yours === null ? 0 : 1;
  if (yours === null) return -1;
  for (const [index, left] of mine.entries()) {
    const right = yours[index];
    if (right === undefined) return 1;
    const order = compareIdentifiers(left, right);
    if (order !== 0) return order;
  }
  return mine.length - yours.length;
}

function compareIdentifiers(left: Identifier, right: Identifier): number {
  if (typeof left === 'number') return typeof right === 'number' ? left - right : -1;
  if (typeof right === 'number') return 1;
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
