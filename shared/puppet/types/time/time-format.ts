/** Ruby's `Time#strftime` in UTC or with a fixed offset. */
import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { absolute, floorDivide, NSECS_PER_SEC } from './time-data.ts';
import { findZoneOffset } from './time-zones.ts';

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/**
 * The offset of a timezone in seconds east of UTC. Throws Puppet's error when the timezone is
 * unknown.
 */
export function timezoneOffset(timezone: string): number {
  // Differs from Puppet: a catalog must not depend on the machine's zone, so `current` is UTC.
  if (timezone.toLowerCase() === 'current') return 0;
  const match = /^(?:gmt|utc)?([+-])(\d{1,2}):?(\d{2})?(?::?(\d{2}))?$/i.exec(timezone);
  if (match) {
    const [, sign, hours, minutes = '0', seconds = '0'] = match;
    const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
    return sign === '-' ? -size : size;
  }
  const known = findZoneOffset(timezone);
  if (known === undefined) throw new PuppetError(ISSUES.ILLEGAL_TIMEZONE({ zone: timezone }));
  return known;
}

const LAST_SECOND_OF_DATE = 8_640_000_000_000n;
/** The calendar repeats after this period. */
const SECONDS_OF_400_YEARS = 12_622_780_800n;

interface Moment {
  /** The local time as if it were UTC. */
  readonly date: Date;
  /** Years to add to those of `date`, whose range is limited. */
  readonly later: number;
  readonly nanos: bigint;
  readonly epoch: bigint;
  readonly offset: number;
  readonly isUtc: boolean;
}

/** Formats nanoseconds since the epoch. */
export function formatTime(format: string, nsecs: bigint, timezone: string | null): string {
  const isUtc = timezone === null || timezone === '';
  const offset = isUtc ? 0 : timezoneOffset(timezone);
  const epoch = floorDivide(nsecs, NSECS_PER_SEC);
  const local = epoch + BigInt(offset);
  const cycles = absolute(local) > LAST_SECOND_OF_DATE ? floorDivide(local, SECONDS_OF_400_YEARS) : 0n;
  const moment: Moment = {
    date: new Date(Number(local - cycles * SECONDS_OF_400_YEARS) * 1000),
    later: Number(cycles) * 400,
    nanos: nsecs - epoch * NSECS_PER_SEC,
    epoch,
    offset,
    isUtc,
  };
  return expand(format, moment);
}

function expand(format: string, moment: Moment): string {
  return format.replace(
    /%([-0^#_:]*)(\d*)([EO]?)([a-zA-Z%])/g,
    (whole: string, flags: string, width: string, _: string, letter: string) =>
      formatField(letter, flags, width, moment) ?? whole,
  );
}

const COMPOSED: Readonly<Record<string, string>> = {
  c: '%a %b %e %H:%M:%S %Y',
  D: '%m/%d/%y',
  F: '%Y-%m-%d',
  r: '%I:%M:%S %p',
  R: '%H:%M',
  T: '%H:%M:%S',
  v: '%e-%^b-%Y',
  x: '%m/%d/%y',
  X: '%H:%M:%S',
};

function formatField(letter: string, flags: string, width: string, moment: Moment): string | null {
  const composed = COMPOSED[letter];
  if (composed !== undefined) return padField(changeCase(expand(composed, moment), flags), flags, width, ' ', 0);
  const number = NUMERIC_FIELDS[letter]?.(moment);
  if (number !== undefined) return padField(number.value.toString(), flags, width, number.pad, number.width);
  if (letter === 'N' || letter === 'L') return formatFraction(letter, width, moment);
  if (letter === 'z') return offsetText(flags, width, moment);
  const text = TEXT_FIELDS[letter]?.(moment);
  return text === undefined ? null : padField(changeCase(text, flags), flags, width, ' ', 0);
}

function changeCase(text: string, flags: string): string {
  if (flags.includes('^')) return text.toUpperCase();
  return flags.includes('#') ? (text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase()) : text;
}

function padField(text: string, flags: string, width: string, pad: string, standard: number): string {
  if (flags.includes('-')) return text;
  const char = flags.includes('_') ? ' ' : flags.includes('0') ? '0' : pad;
  const size = width === '' ? standard : Number(width);
  return text.startsWith('-') && char === '0'
    ? `-${text.slice(1).padStart(size - 1, char)}`
    : text.padStart(size, char);
}

interface NumericField {
  readonly value: number | bigint;
  readonly width: number;
  readonly pad: string;
}

const zero = (value: number | bigint, width: number): NumericField => ({ value, width, pad: '0' });
const blank = (value: number): NumericField => ({ value, width: 2, pad: ' ' });
const yearOf = ({ date, later }: Moment): number => date.getUTCFullYear() + later;
const isoYearOf = ({ date, later }: Moment): number => isoWeek(date).year + later;
const lastTwo = (year: number): NumericField => zero(((year % 100) + 100) % 100, 2);
const wholeYear = (year: number): NumericField => zero(year, year < 0 ? 5 : 4);
const hour12 = (date: Date): number => date.getUTCHours() % 12 || 12;
/** The week of the year whose weeks begin at a day: 0 is Sunday. */
const weekFrom = (date: Date, first: number): number =>
  Math.floor((dayOfYear(date) + 6 - ((date.getUTCDay() + 7 - first) % 7)) / 7);

const NUMERIC_FIELDS: Readonly<Record<string, (moment: Moment) => NumericField>> = {
  Y: (moment) => wholeYear(yearOf(moment)),
  C: (moment) => zero(Math.floor(yearOf(moment) / 100), 2),
  y: (moment) => lastTwo(yearOf(moment)),
  m: ({ date }) => zero(date.getUTCMonth() + 1, 2),
  d: ({ date }) => zero(date.getUTCDate(), 2),
  e: ({ date }) => blank(date.getUTCDate()),
  j: ({ date }) => zero(dayOfYear(date), 3),
  H: ({ date }) => zero(date.getUTCHours(), 2),
  k: ({ date }) => blank(date.getUTCHours()),
  I: ({ date }) => zero(hour12(date), 2),
  l: ({ date }) => blank(hour12(date)),
  M: ({ date }) => zero(date.getUTCMinutes(), 2),
  S: ({ date }) => zero(date.getUTCSeconds(), 2),
  u: ({ date }) => zero(date.getUTCDay() || 7, 1),
  w: ({ date }) => zero(date.getUTCDay(), 1),
  s: ({ epoch }) => zero(epoch, 1),
  U: ({ date }) => zero(weekFrom(date, 0), 2),
  W: ({ date }) => zero(weekFrom(date, 1), 2),
  V: ({ date }) => zero(isoWeek(date).week, 2),
  G: (moment) => wholeYear(isoYearOf(moment)),
  g: (moment) => lastTwo(isoYearOf(moment)),
};

function dayOfYear(date: Date): number {
  const newYear = new Date(0);
  newYear.setUTCFullYear(date.getUTCFullYear(), 0, 1);
  return Math.floor((date.getTime() - newYear.getTime()) / 86_400_000) + 1;
}

function isoWeek(date: Date): { week: number; year: number } {
  const thursday = new Date(date.getTime() + (4 - (date.getUTCDay() || 7)) * 86_400_000);
  return { week: Math.floor((dayOfYear(thursday) - 1) / 7) + 1, year: thursday.getUTCFullYear() };
}

const dayName = ({ date }: Moment): string => DAYS[date.getUTCDay()] ?? '';
const monthName = ({ date }: Moment): string => MONTHS[date.getUTCMonth()] ?? '';

const TEXT_FIELDS: Readonly<Record<string, (moment: Moment) => string>> = {
  A: dayName,
  a: (moment) => dayName(moment).slice(0, 3),
  B: monthName,
  b: (moment) => monthName(moment).slice(0, 3),
  h: (moment) => monthName(moment).slice(0, 3),
  p: ({ date }) => (date.getUTCHours() < 12 ? 'AM' : 'PM'),
  P: ({ date }) => (date.getUTCHours() < 12 ? 'am' : 'pm'),
  Z: ({ isUtc }) => (isUtc ? 'UTC' : ''),
  n: () => '\n',
  t: () => '\t',
  '%': () => '%',
};

function formatFraction(letter: string, width: string, { nanos }: Moment): string {
  const digits = width === '' ? (letter === 'L' ? 3 : 9) : Number(width);
  return nanos.toString().padStart(9, '0').padEnd(digits, '0').slice(0, digits);
}

/**
 * The offset as `+hhmm`, separated by the given number of colons; a width pads the hours. Null for
 * an invalid number of colons.
 */
function offsetText(flags: string, width: string, { offset, isUtc }: Moment): string | null {
  const size = Math.abs(offset);
  const colons = (flags.match(/:/g) ?? []).length;
  const parts = [Math.floor(size / 60) % 60, size % 60].slice(0, partsShown(colons, size));
  if (colons > 3) return null;
  const separator = colons === 0 ? '' : ':';
  const rest = parts.map((part) => separator + part.toString().padStart(2, '0')).join('');
  const digits = Math.max(Number(width) - rest.length - 1, 2);
  const hours = Math.floor(size / 3600).toString();
  // Puppet: Ruby marks an unknown zone with `-`. UTC counts as unknown when padding is off.
  const sign = offset < 0 || (isUtc && flags.includes('-')) ? '-' : '+';
  return (flags.includes('_') ? `${sign}${hours}`.padStart(digits + 1) : sign + hours.padStart(digits, '0')) + rest;
}

function partsShown(colons: number, size: number): number {
  if (colons === 3) return size % 3600 === 0 ? 0 : size % 60 === 0 ? 1 : 2;
  return colons === 2 ? 2 : 1;
}
