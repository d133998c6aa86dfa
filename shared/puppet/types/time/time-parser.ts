/**
 * Parses points in time by a format, like Ruby's `DateTime._strptime`. Follows Timestamp.parse of
 * Puppet.
 */
import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { NSECS_PER_SEC } from './time-data.ts';
import { timezoneOffset } from './time-format.ts';

const WITHOUT_ZONE = ['%FT%T.%N', '%FT%T', '%F %T.%N', '%F %T', '%F'];
const WITH_ZONE = ['%FT%T.%N %Z', '%FT%T %Z', '%F %T.%N %Z', '%F %T %Z', '%F %Z', ...WITHOUT_ZONE];

interface Fields {
  year?: number;
  month?: number;
  day?: number;
  hour?: number;
  minute?: number;
  second?: number;
  nanos?: bigint;
  zone?: string;
  afternoon?: boolean;
}

/** Parses a text to nanoseconds since the epoch. Throws Puppet's error when no format matches. */
export function parseTimestamp(
  text: string,
  formats: string | readonly string[] | null,
  timezone: string | null,
): bigint {
  const zone = timezone === '' || timezone === 'default' ? null : timezone;
  const fields =
    typeof formats === 'string'
      ? parseByFormat(text, formats, zone)
      : parseByAny(text, formats ?? (zone === null ? WITH_ZONE : WITHOUT_ZONE), zone);
  return toNsecs(fields, zone ?? fields.zone ?? null);
}

function parseByFormat(text: string, format: string, zone: string | null): Fields {
  const fields = read(text, format);
  if (fields === null) throw new PuppetError(ISSUES.TIME_NOT_PARSABLE({ text, format }));
  if (zone !== null && fields.zone !== undefined) {
    throw new PuppetError(ISSUES.TIMEZONE_GIVEN_TWICE());
  }
  return fields;
}

function parseByAny(text: string, formats: readonly string[], zone: string | null): Fields {
  for (const format of formats) {
    const fields = read(text, format);
    if (fields !== null && (zone === null || fields.zone === undefined)) return fields;
  }
  throw new PuppetError(ISSUES.TIME_NOT_PARSABLE_BY_ANY({ text, formats: formats.join(', ') }));
}

function toNsecs(fields: Fields, zone: string | null): bigint {
  const hour =
    fields.afternoon === undefined ? (fields.hour ?? 0) : ((fields.hour ?? 0) % 12) + (fields.afternoon ? 12 : 0);
  const { year } = fields;
  // Ruby: TypeError
  if (year === undefined) throw new PuppetError('no implicit conversion of nil into Integer');
  const date = new Date(0);
  date.setUTCFullYear(year, (fields.month ?? 1) - 1, fields.day ?? 1);
  date.setUTCHours(hour, fields.minute ?? 0, fields.second ?? 0);
  const seconds = BigInt(date.getTime() / 1000) - BigInt(zone === null ? 0 : timezoneOffset(zone));
  return seconds * NSECS_PER_SEC + (fields.nanos ?? 0n);
}

const COMPOSED: Readonly<Record<string, string>> = {
  D: '%m/%d/%y',
  F: '%Y-%m-%d',
  R: '%H:%M',
  T: '%H:%M:%S',
  X: '%H:%M:%S',
  x: '%m/%d/%y',
  r: '%I:%M:%S %p',
  c: '%a %b %e %H:%M:%S %Y',
};
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

type Reader = readonly [pattern: string, store: (fields: Fields, text: string) => boolean];

const isWithin = (text: string, low: number, high: number) => Number(text) >= low && Number(text) <= high;

const READERS: Readonly<Record<string, Reader>> = {
  Y: ['[+-]?\\d+', (fields, text) => set(fields, 'year', Number(text))],
  y: ['\\d{1,2}', (fields, text) => set(fields, 'year', Number(text) + (Number(text) >= 69 ? 1900 : 2000))],
  m: ['\\d{1,2}', (fields, text) => isWithin(text, 1, 12) && set(fields, 'month', Number(text))],
  d: [' ?\\d{1,2}', (fields, text) => isWithin(text, 1, 31) && set(fields, 'day', Number(text))],
  e: [' ?\\d{1,2}', (fields, text) => isWithin(text, 1, 31) && set(fields, 'day', Number(text))],
  // Puppet: the day of the year and seconds since 1970 are parsed but ignored.
  j: ['\\d{1,3}', (_, text) => isWithin(text, 1, 366)],
  H: [' ?\\d{1,2}', (fields, text) => isWithin(text, 0, 24) && set(fields, 'hour', Number(text))],
  k: [' ?\\d{1,2}', (fields, text) => isWithin(text, 0, 24) && set(fields, 'hour', Number(text))],
  I: [' ?\\d{1,2}', (fields, text) => isWithin(text, 1, 12) && set(fields, 'hour', Number(text))],
  l: [' ?\\d{1,2}', (fields, text) => isWithin(text, 1, 12) && set(fields, 'hour', Number(text))],
  M: ['\\d{1,2}', (fields, text) => isWithin(text, 0, 59) && set(fields, 'minute', Number(text))],
  S: ['\\d{1,2}', (fields, text) => isWithin(text, 0, 60) && set(fields, 'second', Number(text))],
  N: ['\\d+', (fields, text) => set(fields, 'nanos', BigInt(text.padEnd(9, '0').slice(0, 9)))],
  L: ['\\d+', (fields, text) => set(fields, 'nanos', BigInt(text.padEnd(9, '0').slice(0, 9)))],
  p: ['[AaPp]\\.?[Mm]\\.?', (fields, text) => set(fields, 'afternoon', /^p/i.test(text))],
  P: ['[AaPp]\\.?[Mm]\\.?', (fields, text) => set(fields, 'afternoon', /^p/i.test(text))],
  s: ['-?\\d+', () => true],
  b: ['[A-Za-z]+', storeMonth],
  B: ['[A-Za-z]+', storeMonth],
  h: ['[A-Za-z]+', storeMonth],
  a: ['[A-Za-z]+', () => true],
  A: ['[A-Za-z]+', () => true],
  z: ['(?:gmt|utc)?[+-]\\d+(?:[:.,]?\\d+)*|[A-Za-z]+', (fields, text) => set(fields, 'zone', text)],
  Z: ['(?:gmt|utc)?[+-]\\d+(?:[:.,]?\\d+)*|[A-Za-z]+', (fields, text) => set(fields, 'zone', text)],
};

function set<K extends keyof Fields>(fields: Fields, name: K, value: NonNullable<Fields[K]>): boolean {
  fields[name] = value;
  return true;
}

function storeMonth(fields: Fields, text: string): boolean {
  const index = MONTHS.indexOf(text.slice(0, 3).toLowerCase());
  return index >= 0 && set(fields, 'month', index + 1);
}

/** Parses a text that matches the format completely; null otherwise. */
function read(text: string, format: string): Fields | null {
  const fields: Fields = {};
  const rest = readPart(text, format, fields);
  return rest === '' ? fields : null;
}

/** Parses the start of the text by a format and returns the rest; null when it does not match. */
function readPart(text: string, format: string, fields: Fields): string | null {
  let rest = text;
  for (let at = 0; at < format.length; at += 1) {
    const char = format.charAt(at);
    if (/\s/.test(char)) {
      rest = rest.trimStart();
      continue;
    }
    if (char !== '%') {
      if (!rest.startsWith(char)) return null;
      rest = rest.slice(1);
      continue;
    }
    at += 1;
    while (/[:EO]/.test(format.charAt(at))) at += 1;
    const next = readField(rest, format.charAt(at), fields, /^%?\d|^%[YmdHMSNLjyI]/.test(format.slice(at + 1)));
    if (next === null) return null;
    rest = next;
  }
  return rest;
}

function readField(text: string, letter: string, fields: Fields, numberFollows: boolean): string | null {
  const composed = COMPOSED[letter];
  if (composed !== undefined) return readPart(text, composed, fields);
  if (letter === '%') return text.startsWith('%') ? text.slice(1) : null;
  const reader = READERS[letter];
  if (reader === undefined) return null;
  const [pattern, store] = reader;
  const exact = letter === 'Y' && numberFollows ? '[+-]?\\d{1,4}' : pattern;
  const found = new RegExp(`^(?:${exact})`, 'i').exec(text)?.[0];
  return found !== undefined && store(fields, found) ? text.slice(found.length) : null;
}
