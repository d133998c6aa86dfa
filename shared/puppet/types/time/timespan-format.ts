import { quotePattern } from '../../../util/literal-pattern.ts';
import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { absolute, NSECS_PER_DAY, NSECS_PER_HOUR, NSECS_PER_MIN, NSECS_PER_MSEC, NSECS_PER_SEC } from './time-data.ts';

type Unit = 'D' | 'H' | 'M' | 'S' | 'L' | 'N';

interface Segment {
  /** The unit; null for literal text. */
  readonly unit: Unit | null;
  readonly literal: string;
  /** The padding: '0', ' ', or null for none. */
  readonly pad: string | null;
  readonly width: number | null;
  /** Whether it is the format's largest unit, which shows the total instead of the remainder. */
  total: boolean;
}

/** Nanoseconds of each unit, their number in the next larger unit, and the default width. */
const UNITS: Readonly<Record<Unit, readonly [bigint, bigint, number]>> = {
  D: [NSECS_PER_DAY, 0n, 1],
  H: [NSECS_PER_HOUR, 24n, 2],
  M: [NSECS_PER_MIN, 60n, 2],
  S: [NSECS_PER_SEC, 60n, 2],
  L: [NSECS_PER_MSEC, 1000n, 3],
  N: [1n, NSECS_PER_SEC, 9],
};
const BY_SIZE: readonly Unit[] = ['D', 'H', 'M', 'S', 'L', 'N'];

/** A format such as `%D-%H:%M:%S.%-N`. Follows the Format of lib/puppet/pops/time/timespan.rb. */
export class TimespanFormat {
  readonly text: string;
  readonly #segments: readonly Segment[];
  #pattern: RegExp | undefined;

  constructor(text: string, segments: readonly Segment[]) {
    this.text = text;
    this.#segments = segments;
  }

  format(nsecs: bigint): string {
    const shown = this.#segments.map((segment) => formatSegment(segment, absolute(nsecs))).join('');
    return nsecs < 0n ? `-${shown}` : shown;
  }

  parse(text: string): bigint {
    this.#pattern ??= new RegExp(`^-?${this.#segments.map(segmentPattern).join('')}$`);
    const match = this.#pattern.exec(text);
    if (!match) throw this.#createParseError(text);
    let nsecs = 0n;
    for (const [index, segment] of this.#segments.entries()) {
      if (segment.unit === null) continue;
      const group = (match[index + 1] ?? '').trimStart();
      if (!/^[0-9]+$/.test(group)) throw this.#createParseError(text);
      nsecs += parseSegment(segment, segment.unit, group);
    }
    return text.startsWith('-') ? -nsecs : nsecs;
  }

  #createParseError(text: string): PuppetError {
    return new PuppetError(ISSUES.TIME_NOT_PARSABLE({ text, format: this.text }));
  }

  toString(): string {
    return this.text;
  }
}

function isFraction(unit: Unit): boolean {
  return unit === 'L' || unit === 'N';
}

function formatSegment(segment: Segment, nsecs: bigint): string {
  const { unit, pad } = segment;
  if (unit === null) return segment.literal;
  const [size, limit, defaultWidth] = UNITS[unit];
  const width = segment.width ?? defaultWidth;
  if (isFraction(unit)) return formatFraction(segment, fractionValue(segment, nsecs), width);
  const total = nsecs / size;
  const value = segment.total || limit === 0n ? total : total % limit;
  return pad === null ? value.toString() : value.toString().padStart(width, pad);
}

function fractionValue(segment: Segment, nsecs: bigint): bigint {
  if (segment.unit === 'L') return segment.total ? nsecs / NSECS_PER_MSEC : (nsecs / NSECS_PER_MSEC) % 1000n;
  const width = segment.width ?? 9;
  const digits = width < 9 ? nsecs / 10n ** BigInt(9 - width) : nsecs;
  if (segment.total) return digits;
  return width < 9 ? digits % 10n ** BigInt(width) : digits % NSECS_PER_SEC;
}

function formatFraction(segment: Segment, value: bigint, width: number): string {
  const stripped = segment.total || segment.pad === '0' ? `${value}` : `${value}`.replace(/^([0-9]+?)0*$/, '$1');
  return segment.pad === null ? stripped : stripped.padEnd(width, ' ');
}

function parseSegment(segment: Segment, unit: Unit, group: string): bigint {
  if (!isFraction(unit)) return BigInt(group) * UNITS[unit][0];
  if (segment.total) {
    throw new PuppetError(ISSUES.FRACTION_WITHOUT_SECONDS());
  }
  return BigInt(group) * (group.length >= 9 ? 1n : 10n ** BigInt(9 - group.length));
}

function segmentPattern(segment: Segment): string {
  const { unit, width, pad, total } = segment;
  if (unit === null) return `(${quotePattern(segment.literal)})`;
  if (width !== null) {
    if (pad === null) return `([0-9]{1,${width}})`;
    return pad === '0' ? `([0-9]{${width}})` : `([0-9\\s]{${width}})`;
  }
  if (pad === ' ') return total ? '\\s*([0-9]+)' : `([0-9\\s]{1,${UNITS[unit][2]}})`;
  return total ? '([0-9]+)' : `([0-9]{1,${UNITS[unit][2]}})`;
}

const parsed = new Map<string, TimespanFormat>();

/** Parses a format text. Throws Puppet's error when it is malformed. */
export function timespanFormat(text: string): TimespanFormat {
  const known = parsed.get(text) ?? new TimespanFormat(text, markTotal(parseFormat(text)));
  parsed.set(text, known);
  return known;
}

function markTotal(segments: Segment[]): Segment[] {
  const largest = BY_SIZE.find((unit) => segments.some((segment) => segment.unit === unit));
  const first = segments.find((segment) => largest !== undefined && segment.unit === largest);
  if (first) first.total = true;
  return segments;
}

function parseFormat(text: string): Segment[] {
  const segments: Segment[] = [];
  const literal = (char: string) => {
    const last = segments.at(-1);
    if (last?.unit === null) segments[segments.length - 1] = { ...last, literal: last.literal + char };
    else segments.push({ unit: null, literal: char, pad: null, width: null, total: false });
  };
  for (let at = 0; at < text.length; at += 1) {
    if (text.charAt(at) !== '%') {
      literal(text.charAt(at));
      continue;
    }
    const specifier = /%([-_])?(0)?(\d*)/y;
    specifier.lastIndex = at;
    const [whole = '%', flag, zero, digits = ''] = specifier.exec(text) ?? [];
    const end = at + whole.length;
    const unit = text.charAt(end);
    if (unit === '%') literal('%');
    else if (!isUnit(unit)) throw badSpecifier(text, at, end);
    else {
      const pad = flag === '-' ? null : flag === '_' ? ' ' : '0';
      const width = flag === undefined ? digits : `${zero ?? ''}${digits}`;
      segments.push({ unit, literal: '', pad, width: width === '' ? null : Number(width), total: false });
    }
    at = end;
  }
  return segments;
}

function isUnit(char: string): char is Unit {
  return BY_SIZE.some((unit) => unit === char);
}

function badSpecifier(text: string, start: number, position: number): PuppetError {
  const at = Math.min(position, text.length - 1);
  return new PuppetError(ISSUES.BAD_FORMAT_SPECIFIER({ specifier: text.slice(start, at), format: text, position: at }));
}

export const DEFAULT_TIMESPAN_FORMATS: readonly TimespanFormat[] = [
  '%D-%H:%M:%S.%-N',
  '%H:%M:%S.%-N',
  '%M:%S.%-N',
  '%S.%-N',
  '%D-%H:%M:%S',
  '%H:%M:%S',
  '%D-%H:%M',
  '%S',
].map(timespanFormat);
