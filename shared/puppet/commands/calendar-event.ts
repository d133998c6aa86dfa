/** A value of a part of a calendar event: one, a range, or a start that repeats. */
interface Component {
  readonly start: number;
  /** The last value; -1 for none. */
  readonly stop: number;
  /** The distance between two values; 0 for a value that does not repeat. */
  readonly repeat: number;
}

/** The values of a part; null for all. */
type Chain = readonly Component[] | null;

interface CalendarEvent {
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

const SECOND = 1_000_000;
const LARGEST = 2 ** 31 - 1;
const MOST_COMPONENTS = 241;
const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const DAY =
  /^(?:(mon)(?:day)?|(tue)(?:sday)?|(wed)(?:nesday)?|(thu)(?:rsday)?|(fri)(?:day)?|(sat)(?:urday)?|(sun)(?:day)?)(?=$|[-., ])/i;
const EVERY_DAY = 127;
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
  const event = normalize(WORDS.get(local.toLowerCase()) ?? new EventReader(local).read());
  if (!isValid(event)) throw new InvalidCalendarEvent('Invalid argument');
  return printEvent(event) + (isUtc ? ' UTC' : '');
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
      chain.unshift(this.readComponent(isSecond));
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

function isWithin(chain: Chain, from: number, to: number, isFromEnd: boolean): boolean {
  return (chain ?? []).every(({ start, stop, repeat }) => {
    if (start < from || start > to || repeat > to - from) return false;
    if (stop >= 0) return stop >= from && stop <= to && start + repeat <= stop;
    return isFromEnd ? start - repeat >= from : start + repeat <= to;
  });
}

function printEvent(event: CalendarEvent): string {
  const { weekdays, isFromMonthEnd, year, month, day, hour, minute, second } = event;
  const days = weekdays === 0 ? '' : `${printWeekdays(weekdays)} `;
  const date = `${printChain(year, 4)}-${printChain(month, 2)}${isFromMonthEnd ? '~' : '-'}${printChain(day, 2)}`;
  return `${days}${date} ${printChain(hour, 2)}:${printChain(minute, 2)}:${printSeconds(second)}`;
}

function printWeekdays(bits: number): string {
  const runs: number[][] = [];
  for (let day = 0; day < DAYS.length; day += 1) {
    if ((bits & (1 << day)) === 0) continue;
    const run = runs.at(-1);
    if (run?.at(-1) === day - 1) run.push(day);
    else runs.push([day]);
  }
  return runs.map(([first = 0, ...more]) => printRun(first, more.at(-1) ?? first)).join(',');
}

function printRun(first: number, last: number): string {
  if (first === last) return DAYS[first] ?? '';
  return `${DAYS[first]}${last === first + 1 ? ',' : '..'}${DAYS[last]}`;
}

function printSeconds(chain: Chain): string {
  const [only, ...more] = chain ?? [];
  return only?.start === 0 && only.stop < 0 && only.repeat === SECOND && more.length === 0
    ? '*'
    : printChain(chain, 2, SECOND);
}

function printChain(chain: Chain, width: number, unit = 1): string {
  if (chain === null) return '*';
  const print = (value: number, digits: number) => {
    const fraction = value % unit;
    const whole = String(Math.floor(value / unit)).padStart(digits, '0');
    return fraction === 0 ? whole : `${whole}.${String(fraction).padStart(6, '0')}`;
  };
  const printed = chain.map(({ start, stop, repeat }) => {
    const range = stop > 0 ? `..${print(stop, width)}` : '';
    const step = repeat > 0 && !(stop > 0 && repeat === unit) ? `/${print(repeat, 1)}` : '';
    return `${print(start, width)}${range}${step}`;
  });
  return printed.join(',');
}
