import { useEffect, useState } from 'preact/hooks';
import { readBrowserClock } from '../data/browser-clock.ts';

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];
const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
const ABSOLUTE = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'medium',
});

/** A time as text: `3 min. ago`, `in 2 hr.`, `now`. */
export function printRelative(time: number, now: number): string {
  const seconds = Math.round((time - now) / 1000);
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) >= length) return RELATIVE.format(Math.trunc(seconds / length), unit);
  }
  return 'now';
}

const ZONED = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' });

/** A time in the browser's zone, with the zone. */
function printZoned(time: number): string {
  return ZONED.format(time);
}

/** The difference of the browser's zone from UTC at a time: `UTC`, `UTC+1`, `UTC−3:30`. */
export function printZone(time: number): string {
  const minutes = -new Date(time).getTimezoneOffset();
  if (minutes === 0) return 'UTC';
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `UTC${minutes < 0 ? '−' : '+'}${hours}${rest === 0 ? '' : `:${String(rest).padStart(2, '0')}`}`;
}

/** A time in the browser's zone. */
export function printAbsolute(time: number): string {
  return ABSOLUTE.format(time);
}

/** Milliseconds since 1970 of what an API gives as a time; null for none. */
export function readMoment(value: number | string | null | undefined): number | null {
  if (value === null || value === undefined || value === '') return null;
  const time = typeof value === 'number' ? value : Date.parse(value);
  return Number.isFinite(time) ? time : null;
}

const tickers = new Set<() => void>();
let timer = 0;

/** The present time; the component renders again every 10 seconds. All share one timer. */
export function useNow(): number {
  const [, setTick] = useState(0);
  useEffect(() => {
    const tick = () => setTick((count) => count + 1);
    tickers.add(tick);
    if (timer === 0) timer = window.setInterval(tickAll, 10_000);
    return () => {
      tickers.delete(tick);
      if (tickers.size > 0) return;
      window.clearInterval(timer);
      timer = 0;
    };
  }, []);
  return readBrowserClock();
}

function tickAll(): void {
  for (const tick of tickers) tick();
}

/** A time relative to now; the absolute one on hover and for assistive technology. */
export function RelativeTime({ at }: { readonly at: number | string | null | undefined }) {
  const now = useNow();
  const time = readMoment(at);
  if (time === null) return <span class="muted">never</span>;
  const absolute = printZoned(time);
  return (
    <time dateTime={new Date(time).toISOString()} title={absolute} class="time">
      {printRelative(time, now)}
    </time>
  );
}

/** A duration in seconds as text: `42 ms`, `1.42 s`, `3 min 20 s`, `2 h 5 min`. */
export function printDuration(seconds: number): string {
  if (seconds > 0 && seconds < 1) return `${Math.max(1, Math.round(seconds * 1000))} ms`;
  if (seconds < 10) return `${seconds.toFixed(2)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(seconds % 60)} s`;
  if (minutes < 2_880) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${Math.floor(minutes / 1_440)} d ${Math.floor((minutes % 1_440) / 60)} h`;
}
