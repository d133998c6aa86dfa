import { type CalendarEvent, type Chain, DAYS, SECOND } from './calendar-event-model.ts';

/** Writes a calendar event as `systemd-analyze` does. */
export function printCalendarEvent(event: CalendarEvent): string {
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
