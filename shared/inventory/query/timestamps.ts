import { type Ast, isAstNumber, Real } from '../ast/ast.ts';
import { QueryRefused } from '../ast/query-error.ts';

/**
 * The forms of time that queries may have, after those that PuppetDB's time library tries: dates
 * and times of ISO 8601 in basic and extended form, ordinal and week dates, `RFC 822`.
 */
const ZONE = '(?<zone>Z|[+-]\\d{2}(?::?\\d{2})?)';
const CLOCK = '(?<hour>\\d{1,2}):(?<minute>\\d{1,2})(?::(?<second>\\d{1,2})(?:[.,](?<fraction>\\d+))?)?';
const FORMS: readonly RegExp[] = [
  new RegExp(
    `^(?<year>[+-]?\\d{1,9})-(?<month>\\d{1,2})-(?<day>\\d{1,2})(?:T(?:${CLOCK}|(?<hour>\\d{1,2}))?${ZONE}?)?$`,
  ),
  /^(?<year>\d{4})(?<month>\d{2})(?<day>\d{2})$/,
  new RegExp(
    `^(?<year>\\d{4})(?<month>\\d{2})(?<day>\\d{2})T(?<hour>\\d{2})(?<minute>\\d{2})(?<second>\\d{2})(?:\\.(?<fraction>\\d+))?${ZONE}$`,
  ),
  /^(?<year>\d{1,4})-(?<month>\d{1,2})-(?<day>\d{1,2}) (?<hour>\d{1,2}):(?<minute>\d{1,2}):(?<second>\d{1,2})$/,
  /^(?<year>\d{1,9})-(?<month>\d{1,2})$/,
  /^(?<year>\d{1,9})$/,
  new RegExp(`^T?${CLOCK}${ZONE}?$`),
];

/** Milliseconds since 1970 of a time in a query: a text in one of many forms, or that number. */
export function readTime(value: Ast): number | null {
  if (isAstNumber(value)) return Math.trunc(Number(value instanceof Real ? value.value : value));
  if (typeof value !== 'string') return null;
  for (const form of FORMS) {
    const parts = form.exec(value)?.groups;
    if (parts !== undefined) return toMilliseconds(parts);
  }
  return readMailTime(value);
}

function toMilliseconds(parts: Readonly<Record<string, string | undefined>>): number | null {
  const part = (name: string, otherwise: number): number => Number(parts[name] ?? otherwise);
  const [month, day] = [part('month', 1), part('day', 1)];
  const [hour, minute, second] = [part('hour', 0), part('minute', 0), part('second', 0)];
  const milliseconds = Math.trunc(Number(`0.${parts.fraction ?? '0'}`) * 1000);
  const time = new Date(0);
  time.setUTCFullYear(part('year', 1970), month - 1, day);
  time.setUTCHours(hour, minute, second, milliseconds);
  const isValid = time.getUTCMonth() === month - 1 && time.getUTCDate() === day;
  if (!isValid || hour > 23 || minute > 59 || second > 59) return null;
  return time.getTime() - readZone(parts.zone);
}

function readZone(zone: string | undefined): number {
  const found = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone ?? '');
  if (found === null) return 0;
  const minutes = Number(found[2]) * 60 + Number(found[3] ?? 0);
  return (found[1] === '-' ? -1 : 1) * minutes * 60_000;
}

function readMailTime(value: string): number | null {
  if (!/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{1,2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} [+-]\d{4}$/.test(value))
    return null;
  const time = Date.parse(value);
  return Number.isNaN(time) ? null : time;
}

/** A time in a query, as PostgreSQL reads it. Refuses what is none. */
export function requireTime(value: Ast, shown: string): string {
  const time = readTime(value);
  if (time === null) throw new QueryRefused(`'${shown}' is not a valid timestamp value`);
  return writeTime(time);
}

/** Milliseconds since 1970 as PostgreSQL reads them. */
export function writeTime(milliseconds: number): string {
  const date = new Date(milliseconds);
  if (Number.isNaN(date.getTime())) return 'infinity';
  const year = date.getUTCFullYear();
  if (year > 0 && year < 10_000) return date.toISOString();
  const text = date.toISOString().replace(/^[+-]?\d+-/, '');
  return year <= 0 ? `${String(1 - year).padStart(4, '0')}-${text} BC` : `${year}-${text}`;
}
