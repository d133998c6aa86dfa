import { describe, expect, it } from 'vitest';
import {
  countCanaries,
  isWindowOpen,
  parseNotifyRate,
  parseNotifyWindow,
  printNotifyRate,
  printNotifyWindow,
} from '../../../../shared/fleet/policies/notify-policy.ts';

describe('a rate', () => {
  it.each([
    ['2%/min', { amount: 2, unit: 'percent', per: 'min' }],
    ['100%/h', { amount: 100, unit: 'percent', per: 'h' }],
    ['0.5/s', { amount: 0.5, unit: 'nodes', per: 's' }],
    ['250/min', { amount: 250, unit: 'nodes', per: 'min' }],
  ])('is read from %j, and printed so', (text, rate) => {
    expect(parseNotifyRate(text)).toEqual(rate);
    expect(parseNotifyRate(text)).toSatisfy((read) => read !== null && printNotifyRate(read) === text);
  });

  it.each(['2%', '0/min', '-1/min', '101%/min', '2%/day', '2 %/min', '1e3/s', '', 2, null, '1/toString'])(
    'is not read from %j',
    (text) => {
      expect(parseNotifyRate(text)).toBeNull();
    },
  );
});

describe('a window', () => {
  it.each([
    ['22:00-05:00', { from: 1320, until: 300, zone: 'UTC' }],
    ['08:30-17:00 Europe/Berlin', { from: 510, until: 1020, zone: 'Europe/Berlin' }],
  ])('is read from %j, and printed so', (text, window) => {
    expect(parseNotifyWindow(text)).toEqual(window);
    expect(parseNotifyWindow(text)).toSatisfy((read) => read !== null && printNotifyWindow(read) === text);
  });

  it.each(['22-05', '24:00-05:00', '22:60-05:00', '05:00-05:00', '22:00-05:00 Mars/Base', '22:00-05:00 ', 5, null])(
    'is not read from %j',
    (text) => {
      expect(parseNotifyWindow(text)).toBeNull();
    },
  );

  it.each([
    ['22:00-05:00', '2026-11-23T21:59:59Z', false],
    ['22:00-05:00', '2026-11-23T22:00:00Z', true],
    ['22:00-05:00', '2026-11-24T00:00:00Z', true],
    ['22:00-05:00', '2026-11-24T04:59:59Z', true],
    ['22:00-05:00', '2026-11-24T05:00:00Z', false],
    ['08:00-17:00', '2026-11-23T12:00:00Z', true],
    ['08:00-17:00', '2026-11-23T17:00:00Z', false],
    // Summer time: 22:00 in Berlin is 20:00 in UTC in July, and 21:00 in November.
    ['22:00-05:00 Europe/Berlin', '2026-07-23T20:00:00Z', true],
    ['22:00-05:00 Europe/Berlin', '2026-11-23T20:00:00Z', false],
    ['22:00-05:00 Europe/Berlin', '2026-11-23T21:00:00Z', true],
    ['00:00-00:30 Asia/Kolkata', '2026-11-23T18:30:00Z', true],
  ])('%s at %s', (text, time, isOpen) => {
    const window = parseNotifyWindow(text);
    expect(window).not.toBeNull();
    expect(isWindowOpen(window, Date.parse(time))).toBe(isOpen);
  });

  it('is open at any time when there is none', () => {
    expect(isWindowOpen(null, 0)).toBe(true);
  });
});

it.each([
  ['paced', null, 5],
  ['now', null, 0],
  ['now', 3, 3],
  ['paced', 0, 0],
  ['paced', '2%', 5],
  ['now', '0.1%', 1],
  ['paced', '100%', 201],
] as const)('counts the canaries of %s with the setting %j, of 201 nodes', (notify, canary, count) => {
  expect(countCanaries({ notify, canary }, 201)).toBe(count);
});
