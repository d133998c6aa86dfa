/**
 * The types Timespan, Timestamp, SemVer and SemVerRange. Follows
 * lib/puppet/pops/types/p_time*_type.rb and p_sem_ver*_type.rb.
 */
import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { PType } from '../ptype.ts';
import type { Value } from '../values/values.ts';
import { SemVer } from '../versions/sem-ver.ts';
import { SemVerRange } from '../versions/sem-ver-range.ts';
import { covers, merge, type VersionBounds } from '../versions/version-bounds.ts';
import { Timespan } from './timespan.ts';
import { Timestamp } from './timestamp.ts';

/** The common part of Timespan and Timestamp. */
interface Moment {
  readonly nsecs: bigint;
}

/** Moments in a range. `from` and `to` are inclusive; null means unbounded. */
abstract class MomentType<T extends Moment> extends PType {
  readonly from: T | null;
  readonly to: T | null;

  constructor(from: T | null = null, to: T | null = null) {
    super();
    if (from !== null && to !== null && from.nsecs > to.nsecs) {
      throw new PuppetError(ISSUES.RANGE_REVERSED({ from: String(from), to: String(to) }));
    }
    this.from = from;
    this.to = to;
  }

  protected includes({ nsecs }: Moment): boolean {
    return (this.from === null || nsecs >= this.from.nsecs) && (this.to === null || nsecs <= this.to.nsecs);
  }

  protected covers(other: MomentType<T>): boolean {
    if (this.from !== null && (other.from === null || other.from.nsecs < this.from.nsecs)) return false;
    return this.to === null || (other.to !== null && other.to.nsecs <= this.to.nsecs);
  }

  protected override parametersKey(): string {
    return `[${this.from?.nsecs},${this.to?.nsecs}]`;
  }
}

export class TimespanType extends MomentType<Timespan> {
  readonly kind = 'Timespan';

  isInstance(value: Value): boolean {
    return value instanceof Timespan && this.includes(value);
  }

  protected accepts(other: PType): boolean {
    return other instanceof TimespanType && this.covers(other);
  }

  override generalize(): PType {
    return TIMESPAN;
  }
}

export class TimestampType extends MomentType<Timestamp> {
  readonly kind = 'Timestamp';

  isInstance(value: Value): boolean {
    return value instanceof Timestamp && this.includes(value);
  }

  protected accepts(other: PType): boolean {
    return other instanceof TimestampType && this.covers(other);
  }

  override generalize(): PType {
    return TIMESTAMP;
  }
}

/** All versions, or those within one of the ranges. */
export class SemVerType extends PType {
  readonly kind = 'SemVer';
  readonly ranges: readonly SemVerRange[];

  constructor(ranges: readonly SemVerRange[] = []) {
    super();
    this.ranges = ranges.length > 1 ? mergeRanges(ranges) : ranges;
  }

  isInstance(value: Value): boolean {
    return value instanceof SemVer && (this.ranges.length === 0 || this.ranges.some((range) => range.includes(value)));
  }

  protected accepts(other: PType): boolean {
    if (!(other instanceof SemVerType)) return false;
    if (this.ranges.length === 0) return true;
    if (other.ranges.length === 0) return false;
    return other.ranges.every((range) => this.ranges.some((mine) => isCoveredBy(range, mine)));
  }

  protected override parametersKey(): string {
    return `[${this.ranges.map((range) => range.equalityKey()).join(',')}]`;
  }
}

function isCoveredBy(inner: SemVerRange, outer: SemVerRange): boolean {
  const a = inner.single;
  const b = outer.single;
  if (a === null || b === null) return inner.equalityKey() === outer.equalityKey();
  const end = b.max.compare(a.max);
  return b.min.compare(a.min) <= 0 && (end > 0 || (end === 0 && (!b.excludesMax || a.excludesMax)));
}

function mergeRanges(ranges: readonly SemVerRange[]): SemVerRange[] {
  const result: SemVerRange[] = [];
  for (const range of ranges) {
    const at = result.findIndex((known) => mergeTwo(known, range) !== null);
    const known = result[at];
    if (known === undefined) result.push(range);
    else result[at] = mergeTwo(known, range) ?? known;
  }
  return result;
}

function mergeTwo(a: SemVerRange, b: SemVerRange): SemVerRange | null {
  const [first, second] = [a.single, b.single];
  if (first === null || second === null || !overlaps(first, second)) return null;
  const both = merge(first, second);
  return both === null ? null : SemVerRange.createBetween(both.min, both.max, both.excludesMax);
}

function overlaps(a: VersionBounds, b: VersionBounds): boolean {
  if (covers(a, b.min) || covers(b, a.min)) return true;
  return (a.excludesMax && a.max.compare(b.min) === 0) || (b.excludesMax && b.max.compare(a.min) === 0);
}

export class SemVerRangeType extends PType {
  readonly kind = 'SemVerRange';

  isInstance(value: Value): boolean {
    return value instanceof SemVerRange;
  }

  protected accepts(other: PType): boolean {
    return other.kind === this.kind;
  }
}

export const TIMESPAN = new TimespanType();
export const TIMESTAMP = new TimestampType();
export const SEM_VER = new SemVerType();
export const SEM_VER_RANGE = new SemVerRangeType();
