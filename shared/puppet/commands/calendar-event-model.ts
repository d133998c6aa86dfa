/** A value of a part of a calendar event: one, a range, or a start that repeats. */
export interface Component {
  readonly start: number;
  /** The last value; -1 for none. */
  readonly stop: number;
  /** The distance between two values; 0 for a value that does not repeat. */
  readonly repeat: number;
}

/** The values of a part; null for all. */
export type Chain = readonly Component[] | null;

/** A parsed calendar event. */
export interface CalendarEvent {
  readonly weekdays: number;
  readonly isFromMonthEnd: boolean;
  readonly year: Chain;
  readonly month: Chain;
  readonly day: Chain;
  readonly hour: Chain;
  readonly minute: Chain;
  /** In microseconds. */
  readonly second: Chain;
}

/** The text is not a calendar event. The message is what `strerror` says. */
export class InvalidCalendarEvent extends Error {}

/** Microseconds of a second. */
export const SECOND = 1_000_000;

/** The days of a week; bit 0 of `weekdays` stands for the first. */
export const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
