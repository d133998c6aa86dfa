import type { ApiFault } from './api-fault.ts';

/** Failures in a row after which only the user, an event or a visit to the page asks again. */
export const MOST_RETRIES = 8;
const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;

/**
 * The pause before the next try, in ms; null when there is none. `failures` counts from one.
 * `spread` is a number from 0 to 1, so that pages that failed together do not return together.
 */
export function planRetry(fault: ApiFault, failures: number, spread: number): number | null {
  if (!fault.isTransient || failures > MOST_RETRIES) return null;
  const doubled = Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1));
  const asked = Math.min(fault.retryAfter ?? 0, 300) * 1000;
  return Math.round(Math.max(asked, doubled) * (1 + spread / 2));
}

/** A random number from 0 to 1. */
export function readSpread(): number {
  const [value = 0] = crypto.getRandomValues(new Uint16Array(1));
  return value / 65_535;
}
