import { expect, it } from 'vitest';
import { certnameFault } from '../../../../shared/access/ca/certname.ts';

/** A name of so many characters, of labels that are not too long. */
const nameOf = (length: number) => `${'a23456789.'.repeat(Math.floor(length / 10))}${'b'.repeat(length % 10)}`;

it('has 240 characters at most', () => {
  expect(certnameFault(nameOf(239))).toBeNull();
  expect(certnameFault(`${nameOf(239)}b`)).toBeNull();
  expect(certnameFault(nameOf(241))).toBe('Certificate names have at most 240 characters.');
});
