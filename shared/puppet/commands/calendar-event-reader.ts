import {
  type CalendarEvent,
  type Chain,
  type Component,
  InvalidCalendarEvent,
  SECOND,
} from './calendar-event-model.ts';

const LARGEST = 2 ** 31 - 1;
const MOST_COMPONENTS = 241;
const DAY =
  /^(?:(mon)(?:day)?|(tue)(?:sday)?|(wed)(?:nesday)?|(thu)(?:rsday)?|(fri)(?:day)?|(sat)(?:urday)?|(sun)(?:day)?)(?=$|[-., ])/i;
const ZERO: Chain = [{ start: 0, stop: -1, repeat: 0 }];
const MIDNIGHT = { hour: ZERO, minute: ZERO, second: ZERO };
const EVER = { weekdays: 0, isFromMonthEnd: false, year: null, month: null, day: null, hour: null, minute: null };

const WORDS: ReadonlyMap<string, CalendarEvent> = new Map([
  ['minutely', { ...EVER, second: ZERO }],
  ['hourly', { ...EVER, minute: ZERO, second: ZERO }],
  ['daily', { ...EVER, ...MIDNIGHT }],
  ['weekly', { ...EVER, ...MIDNIGHT, weekdays: 1 }],
  ['monthly', { ...EVER, ...MIDNIGHT, day: values(1) }],
  ...['annually', 'yearly', 'anually'].map(onMonths(1)),
  ['quarterly', onMonths(1, 4, 7, 10)('')[1]],
  ...['biannually', 'bi-annually', 'semiannually', 'semi-annually'].map(onMonths(1, 7)),
]);

function onMonths(...months: readonly number[]): (name: string) => readonly [string, CalendarEvent] {
  return (name) => [name, { ...EVER, ...MIDNIGHT, month: values(...months), day: values(1) }];
}

function values(...starts: readonly number[]): Chain {
  return starts.map((start) => ({ start, stop: -1, repeat: 0 }));
}

/**
 * Reads a calendar event without its time zone: one of systemd's words (`weekly`), or weekdays,
 * date and time. Throws InvalidCalendarEvent.
 */
export function readCalendarEvent(text: string): CalendarEvent {
  return WORDS.get(text.toLowerCase()) ?? new EventReader(text).read();
}

class EventReader {
  private readonly text: string;
  private position = 0;

  constructor(text: string) {
    this.text = text;
  }

  read(): CalendarEvent {
    const weekdays = this.readWeekdays();
    const date = this.readDate();
    const time = this.readTime();
    return { weekdays, ...date, ...time };
  }

  private readWeekdays(): number {
    let bits = 0;
    let open = -1;
    for (let isFirst = true; ; isFirst = false) {
      const day = this.readWeekday();
      if (day < 0) return isFirst ? 0 : this.fail();
      if (open > day) this.fail();
      for (let each = open < 0 ? day : open; each <= day; each += 1) bits |= 1 << each;
      if (this.isAt('', ' ')) return this.endWeekdays(bits);
      const separator = this.take(/^(?:\.\.|-|,)/);
      if (separator === '' || (separator !== ',' && open >= 0)) this.fail();
      open = separator === ',' ? -1 : day;
      // A comma may end the list, a range may not.
      if (this.isAt('', ' ')) return open < 0 ? this.endWeekdays(bits) : this.fail();
    }
  }

  private endWeekdays(bits: number): number {
    this.take(/^ +/);
    return bits;
  }

  /** The number of the day here; -1 for another text. */
  private readWeekday(): number {
    const found = DAY.exec(this.rest());
    if (found === null) return /^(?:mon|tue|wed|thu|fri|sat|sun)/i.test(this.rest()) ? this.fail() : -1;
    this.position += found[0].length;
    return found.slice(1).findIndex((day) => day !== undefined);
  }

  private readDate(): Pick<CalendarEvent, 'year' | 'month' | 'day' | 'isFromMonthEnd'> {
    const start = this.position;
    const none = { year: null, month: null, day: null, isFromMonthEnd: false };
    if (this.isAt('')) return none;
    const first = this.readChain(false);
    if (this.isAt('', ':')) {
      this.position = start;
      return none;
    }
    const separator = this.take(/^[-~]/) || this.fail();
    const second = this.readChain(false);
    const isFromMonthEnd = separator === '~';
    if (this.isAt('', ' ')) return this.endDate({ ...none, month: first, day: second, isFromMonthEnd });
    if (isFromMonthEnd) this.fail();
    const last = this.take(/^[-~]/) || this.fail();
    const third = this.readChain(false);
    if (!this.isAt('', ' ')) this.fail();
    return this.endDate({ year: first, month: second, day: third, isFromMonthEnd: last === '~' });
  }

  private endDate<Date>(date: Date): Date {
    this.take(/^ +/);
    return date;
  }

  private readTime(): Pick<CalendarEvent, 'hour' | 'minute' | 'second'> {
    if (this.isAt('')) return MIDNIGHT;
    const hour = this.readChain(false);
    this.take(/^:/) || this.fail();
    const minute = this.readChain(false);
    if (this.isAt('')) return { hour, minute, second: ZERO };
    this.take(/^:/) || this.fail();
    const second = this.readChain(true);
    return this.isAt('') ? { hour, minute, second } : this.fail();
  }

  private readChain(isSecond: boolean): Chain {
    if (this.take(/^\*/)) return isSecond ? [{ start: 0, stop: -1, repeat: SECOND }] : null;
    const chain: Component[] = [];
    do {
      if (chain.length >= MOST_COMPONENTS) this.fail('No buffer space available');
      chain.push(this.readComponent(isSecond));
    } while (this.take(/^,/));
    return chain;
  }

  private readComponent(isSecond: boolean): Component {
    const unit = isSecond ? SECOND : 1;
    const start = this.readNumber(isSecond);
    const stop = this.take(/^\.\./) ? this.readNumber(isSecond) : -1;
    let repeat = stop < 0 ? 0 : unit;
    if (this.take(/^\//)) {
      repeat = this.readNumber(isSecond);
      if (repeat === 0) this.fail('Numerical result out of range');
    } else if (isSecond && stop >= 0 && start + repeat > stop) this.fail();
    return this.isAt('', ' ', ',', '-', '~', ':') ? { start, stop, repeat } : this.fail();
  }

  private readNumber(isSecond: boolean): number {
    const digits = this.take(/^\d+/) || this.fail();
    // One dot begins a fraction, two dots separate the ends of a range.
    const fraction = isSecond && /^\.(?!\.)/.test(this.rest()) ? this.readFraction() : 0;
    const value = Number(digits) * (isSecond ? SECOND : 1) + fraction;
    return value > LARGEST ? this.fail('Numerical result out of range') : value;
  }

  /** Microseconds; the seventh digit rounds. */
  private readFraction(): number {
    const digits = this.take(/^\.\d+/) || this.fail();
    const rounded = Number(digits[7] ?? '0') >= 5 ? 1 : 0;
    return Number(digits.slice(1, 7).padEnd(6, '0')) + rounded;
  }

  private rest(): string {
    return this.text.slice(this.position);
  }

  private isAt(...characters: readonly string[]): boolean {
    return characters.includes(this.text.charAt(this.position));
  }

  private take(pattern: RegExp): string {
    const [found = ''] = pattern.exec(this.rest()) ?? [];
    this.position += found.length;
    return found;
  }

  private fail(reason = 'Invalid argument'): never {
    throw new InvalidCalendarEvent(reason);
  }
}
