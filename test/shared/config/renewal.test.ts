import { expect, it } from 'vitest';
import { readRenewalHours } from '../../../shared/config/renewal.ts';

it.each([
  [undefined, 24],
  ['', 24],
  ['0', 0],
  ['8760', 8760],
])('reads %j as %d hours', (text, hours) => {
  expect(readRenewalHours(text, 'HOURS')).toBe(hours);
});

it.each(['8761', '-1', '1.5', 'day'])('refuses %j', (text) => {
  expect(() => readRenewalHours(text, 'HOURS')).toThrow(
    new RangeError(`HOURS must be a whole number from 0 to 8760, not '${text}'`),
  );
});
