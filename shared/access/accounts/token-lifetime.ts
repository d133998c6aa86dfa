import { DAY_MS } from '../../util/day.ts';
import { AccessRefused } from './access-control.ts';

const UNITS: Readonly<Record<string, number>> = {
  y: 365 * 24 * 3600,
  d: 24 * 3600,
  h: 3600,
  m: 60,
  s: 1,
  '': 1,
};

export const USUAL_LIFETIME_MS = 3600_000;
const MOST_YEARS = 10;
const MOST_LIFETIME_MS = MOST_YEARS * 365 * DAY_MS;
const MOST_LABEL = 200;

/**
 * Reads a lifetime such as `4h`: a whole number and one of `y d h m s`, without a unit seconds. `0`
 * is the longest. Returns milliseconds. Throws AccessRefused.
 */
export function readLifetime(text: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,10})([ydhms]?)$/.exec(text) ?? [];
  if (digits === '') {
    const message = `'${text}' is not a lifetime: a whole number and one of the units y, d, h, m, s, without a space`;
    throw new AccessRefused('schema-violation', message, { lifetime: text });
  }
  const milliseconds = Number(digits) * (UNITS[unit] ?? 1) * 1000;
  if (milliseconds > MOST_LIFETIME_MS) {
    throw new AccessRefused('schema-violation', `A lifetime of '${text}' is longer than ${MOST_YEARS} years`, {
      lifetime: text,
    });
  }
  return milliseconds === 0 ? MOST_LIFETIME_MS : milliseconds;
}

/** Checks a token's label. Throws AccessRefused. */
export function checkLabel(label: string): void {
  if (label.length <= MOST_LABEL && label.trim() !== '' && !label.includes(',')) return;
  const message = `A label has at most ${MOST_LABEL} characters, no comma, and is not blank`;
  throw new AccessRefused('schema-violation', message, { label });
}
