import { describe, expect, it } from 'vitest';
import { normalizeCalendarEvent } from '../../../../shared/puppet/commands/calendar-event.ts';
import { InvalidCalendarEvent } from '../../../../shared/puppet/commands/calendar-event-model.ts';

/** Normalized forms of systemd 252 (`systemd-analyze calendar`). */
const NORMALIZED: readonly (readonly [string, string])[] = [
  ['minutely', '*-*-* *:*:00'],
  ['Daily', '*-*-* 00:00:00'],
  ['weekly', 'Mon *-*-* 00:00:00'],
  ['quarterly', '*-01,04,07,10-01 00:00:00'],
  ['semi-annually', '*-01,07-01 00:00:00'],
  ['anually', '*-01-01 00:00:00'],
  ['daily UTC', '*-*-* 00:00:00 UTC'],
  ['Mon,', 'Mon *-*-* 00:00:00'],
  ['Mon..Fri', 'Mon..Fri *-*-* 00:00:00'],
  ['Mon-Fri 8:00', 'Mon..Fri *-*-* 08:00:00'],
  ['Monday,Tue..Thu 5:00', 'Mon..Thu *-*-* 05:00:00'],
  ['Sat,Sun 12:05', 'Sat,Sun *-*-* 12:05:00'],
  ['Mon,Tue,Thu', 'Mon,Tue,Thu *-*-* 00:00:00'],
  ['Mon,Tue,Wed,Thu,Fri,Sat,Sun 1:00', '*-*-* 01:00:00'],
  ['*:0/30', '*-*-* *:00/30:00'],
  ['*-*-* *:*:*', '*-*-* *:*:*'],
  ['*:*:0..1', '*-*-* *:*:00..01'],
  ['*~*', '*-*-* 00:00:00'],
  ['*-*~1', '*-*~01 00:00:00'],
  ['*-*~28', '*-*~28 00:00:00'],
  ['*-*~19,1,5', '*-*~01,05,19 00:00:00'],
  ['*-05~07/1', '*-05~07/1 00:00:00'],
  ['2026-02-30', '2026-02-30 00:00:00'],
  ['26-1-1', '2026-01-01 00:00:00'],
  ['70-1-1', '1970-01-01 00:00:00'],
  ['*-*-1..7 18:00:00', '*-*-01..07 18:00:00'],
  ['12,14,13,12:20,10,30', '*-*-* 12,13,14:10,20,30:00'],
  ['03-05 08:05:40', '*-03-05 08:05:40'],
  ['2:3:4.5', '*-*-* 02:03:04.500000'],
  ['2:3:4.1234567', '*-*-* 02:03:04.123457'],
  ['*:*:0.5..3/0.5', '*-*-* *:*:00.500000..03/0.500000'],
  ['*-1/3 05:00', '*-*-01/3 05:00:00'],
  ['*-9,23 01:00', '*-*-09,23 01:00:00'],
  ['9/12:21:00', '*-*-* 09/12:21:00'],
  ['*-*-* 00/8:00:00', '*-*-* 00/8:00:00'],
  ['1..3:00', '*-*-* 01..03:00:00'],
  ['1..1:00', '*-*-* 01:00:00'],
  ['0..23/5:00', '*-*-* 00..20/5:00:00'],
  ['mon 5:00 utc', 'Mon *-*-* 05:00:00 UTC'],
  ['Mon..Mon 1:00', 'Mon *-*-* 01:00:00'],
  ['*-*-* 5:00:00/20', '*-*-* 05:00:00/20'],
];

/** What systemd 252 refuses, with its reasons. */
const REFUSED: readonly (readonly [string, string])[] = [
  ['2026~1', 'Invalid argument'],
  ['*-*~1/2', 'Invalid argument'],
  ['*-*~29', 'Invalid argument'],
  ['*-*~1..29', 'Invalid argument'],
  ['*-*~1,26', 'Invalid argument'],
  ['*-*~1,5,23', 'Invalid argument'],
  ['0/24:00', 'Invalid argument'],
  ['', 'Invalid argument'],
  ['foo', 'Invalid argument'],
  ['Mon..', 'Invalid argument'],
  ['Sun..Mon', 'Invalid argument'],
  ['mon..tue..wed', 'Invalid argument'],
  ['Montag', 'Invalid argument'],
  ['Mon,,Tue', 'Invalid argument'],
  ['*:*/5', 'Invalid argument'],
  ['24:00', 'Invalid argument'],
  ['1:2:60', 'Invalid argument'],
  ['5:', 'Invalid argument'],
  ['0/0:00', 'Numerical result out of range'],
  ['2200-1-1', 'Invalid argument'],
  ['*-*-*T5:00', 'Invalid argument'],
  ['99999999999:00', 'Numerical result out of range'],
  ['*-*~3..1 1:00', 'Invalid argument'],
  ['01:00 *-*-*', 'Invalid argument'],
  ['1:2:3.', 'Invalid argument'],
  ['Fri 5:00 ', 'Invalid argument'],
];

describe('calendar events', () => {
  it.each(NORMALIZED)('normalizes %j', (text, normalized) => {
    expect(normalizeCalendarEvent(text)).toBe(normalized);
  });

  it.each(REFUSED)('refuses %j', (text, reason) => {
    expect(() => normalizeCalendarEvent(text)).toThrow(new InvalidCalendarEvent(reason));
  });

  it.each(['5:00 CET', 'Mon 5:00:00 Europe/Berlin', '@123', 'Mon @1'])('does not know %j', (text) => {
    expect(normalizeCalendarEvent(text)).toBeNull();
  });
});
