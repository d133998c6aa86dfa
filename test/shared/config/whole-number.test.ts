import { expect, it } from 'vitest';
import { RENEWAL_HOURS } from '../../../shared/config/renewal.ts';
import { readWholeNumber } from '../../../shared/config/whole-number.ts';

it.each([
  [undefined, 24],
  ['', 24],
  ['0', 0],
  ['8760', 8760],
])('reads %j as %d hours', (text, hours) => {
  expect(readWholeNumber(text, RENEWAL_HOURS, 'HOURS')).toBe(hours);
});

it.each(['8761', '-1', '1.5', 'day'])('refuses %j', (text) => {
  expect(() => readWholeNumber(text, RENEWAL_HOURS, 'HOURS')).toThrow(
    new RangeError(`HOURS must be a whole number from 0 to 8760, not '${text}'`),
  );
});
