const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** Units with the span up to which they are used: 119 minutes say more than 1 hour. */
const UNITS: readonly (readonly [number, string, number])[] = [
  [SECOND, 's', 2 * MINUTE],
  [MINUTE, 'min', 2 * HOUR],
  [HOUR, 'h', 2 * DAY],
  [DAY, 'd', 2 * YEAR],
];

/**
 * Describes a time relative to `now`, both in milliseconds: `now`, `40 s ago`, `3 h ago`, `in 5
 * years`.
 */
export function formatAge(at: number, now: number): string {
  const span = Math.abs(now - at);
  if (span < SECOND) return 'now';
  const [size, unit] = UNITS.find(([, , bound]) => span < bound) ?? [YEAR, 'years'];
  const text = `${Math.floor(span / size)} ${unit}`;
  return at > now ? `in ${text}` : `${text} ago`;
}
