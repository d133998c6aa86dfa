/** Reads times from hashes of arguments. */
import type { PuppetHash } from '../values/puppet-hash.ts';
import type { Value } from '../values/values.ts';
import { Timespan } from './timespan.ts';

const TIMESPAN_FIELDS = ['days', 'hours', 'minutes', 'seconds', 'milliseconds', 'microseconds', 'nanoseconds'];

/** A Timespan from `{string, format}` or from its fields. */
export function timespanOfHash(fields: PuppetHash): Timespan {
  const text = fields.get('string');
  if (typeof text === 'string') return Timespan.parse(text, formatsOf(fields.get('format')));
  const numbers = TIMESPAN_FIELDS.map((name) => {
    const value = fields.get(name);
    return typeof value === 'bigint' ? value : 0n;
  });
  return Timespan.fromFields(fields.get('negative') === true, numbers);
}

/** Reads a `format` argument: one format, several, or null for the standard ones. */
export function formatsOf(value: Value | undefined): string | readonly string[] | null {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.map(String) : null;
}
