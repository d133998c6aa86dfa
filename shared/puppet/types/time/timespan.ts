import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { getIdentity } from '../values/hash-key.ts';
import type { RichKind } from '../values/value-kinds.ts';
import { RichValue } from '../values/values.ts';
import {
  floorDivide,
  NSECS_PER_DAY,
  NSECS_PER_HOUR,
  NSECS_PER_MIN,
  NSECS_PER_MSEC,
  NSECS_PER_SEC,
  NSECS_PER_USEC,
  nsecsToFloat,
  secondsToNsecs,
} from './time-data.ts';
import { DEFAULT_TIMESPAN_FORMATS, type TimespanFormat, timespanFormat } from './timespan-format.ts';

/** A length of time in nanoseconds. Follows lib/puppet/pops/time/timespan.rb. */
export class Timespan extends RichValue {
  readonly nsecs: bigint;

  constructor(nsecs: bigint) {
    super();
    this.nsecs = nsecs;
  }

  get valueKind(): RichKind {
    return 'Timespan';
  }

  static fromSeconds(seconds: bigint | number): Timespan {
    return new Timespan(secondsToNsecs(seconds));
  }

  /**
   * Makes a Timespan from days, hours, minutes, seconds, milliseconds, microseconds and
   * nanoseconds; omitted fields are 0.
   */
  static fromFields(negative: boolean, fields: readonly bigint[]): Timespan {
    const units = [NSECS_PER_DAY, NSECS_PER_HOUR, NSECS_PER_MIN, NSECS_PER_SEC, NSECS_PER_MSEC, NSECS_PER_USEC, 1n];
    const sum = units.reduce((total, unit, index) => total + unit * (fields[index] ?? 0n), 0n);
    return new Timespan(negative ? -sum : sum);
  }

  /** Parses a text by the formats. Throws Puppet's error when none matches. */
  static parse(text: string, formats: string | readonly string[] | null = null): Timespan {
    if (typeof formats === 'string') return new Timespan(timespanFormat(formats).parse(text));
    const candidates = formats === null ? DEFAULT_TIMESPAN_FORMATS : formats.map(timespanFormat);
    for (const format of candidates) {
      const nsecs = attempt(format, text);
      if (nsecs !== null) return new Timespan(nsecs);
    }
    throw new PuppetError(ISSUES.TIME_NOT_PARSABLE_BY_ANY({ text, formats: candidates.join(', ') }));
  }

  /** Whole seconds, rounded down. */
  toInteger(): bigint {
    return floorDivide(this.nsecs, NSECS_PER_SEC);
  }

  toFloat(): number {
    return nsecsToFloat(this.nsecs);
  }

  compare(other: Timespan): number {
    return this.nsecs === other.nsecs ? 0 : this.nsecs < other.nsecs ? -1 : 1;
  }

  format(format: string): string {
    return timespanFormat(format).format(this.nsecs);
  }

  equalityKey(): string {
    return `timespan:${this.nsecs}`;
  }

  // Puppet: the class has no `hash`, so Ruby compares hash keys by identity.
  override eqlKey(): string {
    return `timespan:#${getIdentity(this)}`;
  }

  override toString(): string {
    return DEFAULT_TIMESPAN_FORMATS[0]?.format(this.nsecs) ?? '';
  }
}

function attempt(format: TimespanFormat, text: string): bigint | null {
  try {
    return format.parse(text);
  } catch (error) {
    if (error instanceof PuppetError) return null;
    throw error;
  }
}
