import { getIdentity } from '../values/hash-key.ts';
import type { RichKind } from '../values/value-kinds.ts';
import { RichValue } from '../values/values.ts';
import { floorDivide, NSECS_PER_SEC, nsecsToFloat, secondsToNsecs } from './time-data.ts';
import { formatTime } from './time-format.ts';
import { parseTimestamp } from './time-parser.ts';

/** A point in time: nanoseconds since 1970-01-01 UTC. Follows lib/puppet/pops/time/timestamp.rb. */
export class Timestamp extends RichValue {
  readonly nsecs: bigint;

  constructor(nsecs: bigint) {
    super();
    this.nsecs = nsecs;
  }

  get valueKind(): RichKind {
    return 'Timestamp';
  }

  static fromSeconds(seconds: bigint | number): Timestamp {
    return new Timestamp(secondsToNsecs(seconds));
  }

  /** Parses a text by the formats. Throws Puppet's error when none matches. */
  static parse(
    text: string,
    formats: string | readonly string[] | null = null,
    timezone: string | null = null,
  ): Timestamp {
    return new Timestamp(parseTimestamp(text, formats, timezone));
  }

  /** Whole seconds, rounded down. */
  toInteger(): bigint {
    return floorDivide(this.nsecs, NSECS_PER_SEC);
  }

  toFloat(): number {
    return nsecsToFloat(this.nsecs);
  }

  compare(other: Timestamp): number {
    return this.nsecs === other.nsecs ? 0 : this.nsecs < other.nsecs ? -1 : 1;
  }

  /** Formats like Ruby's strftime, in UTC or in the given timezone (`+02:00`, `PST`, `current`). */
  format(format: string, timezone: string | null = null): string {
    return formatTime(format, this.nsecs, timezone);
  }

  equalityKey(): string {
    return `timestamp:${this.nsecs}`;
  }

  // Puppet: the class has no `hash`, so Ruby compares hash keys by identity.
  override eqlKey(): string {
    return `timestamp:#${getIdentity(this)}`;
  }

  override toString(): string {
    return this.format('%FT%T.%N %Z');
  }
}
