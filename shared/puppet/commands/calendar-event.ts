import {
  type CalendarEvent,
  type Chain,
  type Component,
  InvalidCalendarEvent,
  SECOND,
} from './calendar-event-model.ts';
import { printCalendarEvent } from './calendar-event-printer.ts';
import { readCalendarEvent } from './calendar-event-reader.ts';

const EVERY_DAY = 127;

/**
 * Returns the normalized form of a calendar event, as systemd 252 has it; null for one with a time
 * zone other than UTC or with a time stamp. Throws InvalidCalendarEvent.
 *
 * systemd: src/shared/calendarspec.c
 */
export function normalizeCalendarEvent(text: string): string | null {
  const isUtc = /. UTC$/i.test(text) || text.toUpperCase() === ' UTC';
  const local = isUtc ? text.slice(0, -4) : text;
  if (/ [A-Za-z][-+/\w]*$/.test(local) || /^(?:\S* )?@/.test(local)) return null;
  if (local === '') throw new InvalidCalendarEvent('Invalid argument');
  const event = normalize(readCalendarEvent(local));
  if (!isValid(event)) throw new InvalidCalendarEvent('Invalid argument');
  return printCalendarEvent(event) + (isUtc ? ' UTC' : '');
}

function normalize(event: CalendarEvent): CalendarEvent {
  const { weekdays, isFromMonthEnd, year, month, day, hour, minute, second } = event;
  return {
    weekdays: weekdays === EVERY_DAY ? 0 : weekdays,
    isFromMonthEnd: isFromMonthEnd && day !== null,
    year: normalizeChain(year?.map(fixYear) ?? null),
    month: normalizeChain(month),
    day: normalizeChain(day),
    hour: normalizeChain(hour),
    minute: normalizeChain(minute),
    second: normalizeChain(second),
  };
}

function fixYear({ start, stop, repeat }: Component): Component {
  const fix = (year: number) => (year < 0 || year >= 100 ? year : year + (year < 70 ? 2000 : 1900));
  return { start: fix(start), stop: fix(stop), repeat };
}

function normalizeChain(chain: Chain): Chain {
  if (chain === null) return null;
  const sorted = chain
    .map(normalizeComponent)
    .sort((a, b) => a.start - b.start || a.stop - b.stop || a.repeat - b.repeat);
  return sorted.filter((each, index) => JSON.stringify(each) !== JSON.stringify(sorted[index + 1]));
}

function normalizeComponent({ start, stop, repeat }: Component): Component {
  const end = stop > start && repeat > 0 ? stop - ((stop - start) % repeat) : stop;
  const isOne = start === end || (end > start && repeat > 0 && start + repeat > end);
  return isOne ? { start, stop: -1, repeat: 0 } : { start, stop: end, repeat };
}

function isValid({ isFromMonthEnd, year, month, day, hour, minute, second }: CalendarEvent): boolean {
  return (
    isWithin(year, 1970, 2199, false) &&
    isWithin(month, 1, 12, false) &&
    isWithin(day, 1, 31, isFromMonthEnd) &&
    isWithin(hour, 0, 23, false) &&
    isWithin(minute, 0, 59, false) &&
    isWithin(second, 0, 60 * SECOND - 1, false)
  );
}

/**
 * systemd counts days from the end of a month to the 28th at most: `chain_valid` takes three off
 * the limit, and each further value of the list takes three off again.
 */
function isWithin(chain: Chain, from: number, to: number, isFromEnd: boolean): boolean {
  return (chain ?? []).every((each, index) =>
    isComponentWithin(each, from, isFromEnd ? to - 3 * (index + 1) : to, isFromEnd),
  );
}

function isComponentWithin({ start, stop, repeat }: Component, from: number, to: number, isFromEnd: boolean): boolean {
  if (start < from || start > to || repeat > to - from) return false;
  if (stop >= 0) return stop >= from && stop <= to && start + repeat <= stop;
  return isFromEnd ? start - repeat >= from : start + repeat <= to;
}
