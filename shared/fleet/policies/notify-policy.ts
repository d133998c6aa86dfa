import type { FreshnessPolicy } from './policy-fields.ts';

export interface NotifyRate {
  readonly amount: number;
  /** Percent of all nodes of the environment, or a number of nodes. */
  readonly unit: 'percent' | 'nodes';
  readonly per: keyof typeof RATE_MS;
}

/** A time of each day, also across midnight. */
export interface NotifyWindow {
  /** Minutes since midnight; `until` is not part of the window. */
  readonly from: number;
  readonly until: number;
  /** An IANA time zone. */
  readonly zone: string;
}

/** Milliseconds of the units of time of a rate. */
export const RATE_MS = { s: 1000, min: 60_000, h: 3_600_000 } as const;

/** Canaries of paced nodes without a setting. */
const PACED_CANARY = 5;

const MOST_CANARIES = 1000;
const DAY_MINUTES = 24 * 60;
const SHARE = /^(\d{1,3}(?:\.\d{1,3})?)%$/;
const RATE = /^(\d{1,9}(?:\.\d{1,3})?)(%?)\/(s|min|h)$/;
const WINDOW = /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)(?: ([\w+/-]{1,64}))?$/;

/** Reads a rate such as `2%/min` or `10/s`; null for anything else. */
export function parseNotifyRate(text: unknown): NotifyRate | null {
  const [, amount = '', percent, per = ''] = (typeof text === 'string' && RATE.exec(text)) || [];
  const isUnit = per === 's' || per === 'min' || per === 'h';
  if (!isUnit || Number(amount) <= 0 || (percent === '%' && Number(amount) > 100)) return null;
  return { amount: Number(amount), unit: percent === '%' ? 'percent' : 'nodes', per };
}

/** Prints a rate as `parseNotifyRate` reads it. */
export function printNotifyRate({ amount, unit, per }: NotifyRate): string {
  return `${amount}${unit === 'percent' ? '%' : ''}/${per}`;
}

/** Reads a window: `22:00-05:00` (in UTC) or `22:00-05:00 Europe/Berlin`; null for others. */
export function parseNotifyWindow(text: unknown): NotifyWindow | null {
  const found = typeof text === 'string' ? WINDOW.exec(text) : null;
  if (found === null) return null;
  const [hours = 0, minutes = 0, untilHours = 0, untilMinutes = 0] = found.slice(1, 5).map(Number);
  const [from, until] = [60 * hours + minutes, 60 * untilHours + untilMinutes];
  const zone = found[5] ?? 'UTC';
  return from === until || !isTimeZone(zone) ? null : { from, until, zone };
}

/** Prints a window as `parseNotifyWindow` reads it. */
export function printNotifyWindow({ from, until, zone }: NotifyWindow): string {
  const times = [from, until].map((minutes) => {
    const [hour, minute] = [Math.floor(minutes / 60), minutes % 60];
    return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
  });
  return `${times.join('-')}${zone === 'UTC' ? '' : ` ${zone}`}`;
}

/** Whether nodes may be notified at a time. */
export function isWindowOpen(window: NotifyWindow | null, now: number): boolean {
  if (window === null) return true;
  const { from, until } = window;
  const minute = minuteOfDay(now, window.zone);
  return from < until ? minute >= from && minute < until : minute >= from || minute < until;
}

/** Reads a number of canaries, or a share as `2%`; null for anything else. */
export function parseCanary(value: unknown): number | string | null {
  if (typeof value === 'string') {
    const [, percent] = SHARE.exec(value) ?? [];
    return percent !== undefined && Number(percent) > 0 && Number(percent) <= 100 ? value : null;
  }
  const isCount = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST_CANARIES;
  return isCount ? value : null;
}

/**
 * Number of nodes that go before the others by this policy, in an environment of `nodes` nodes. A
 * share is one node at least.
 */
export function countCanaries({ notify, canary }: Pick<FreshnessPolicy, 'notify' | 'canary'>, nodes: number): number {
  if (typeof canary !== 'string') return canary ?? (notify === 'paced' ? PACED_CANARY : 0);
  const share = Math.ceil((Number.parseFloat(canary) * nodes) / 100);
  return Math.min(MOST_CANARIES, Math.max(1, share));
}

function isTimeZone(zone: string): boolean {
  try {
    formatOf(zone);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function minuteOfDay(now: number, zone: string): number {
  if (zone === 'UTC') return Math.floor(now / 60_000) % DAY_MINUTES;
  const [hours = 0, minutes = 0] = formatOf(zone).format(now).split(':').map(Number);
  return 60 * hours + minutes;
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
}
