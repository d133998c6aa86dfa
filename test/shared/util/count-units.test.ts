import { expect, it } from 'vitest';
import { countUnits } from '../../../shared/util/count-units.ts';

it.each([
  [0, 'node', '0 nodes'],
  [1, 'node', '1 node'],
  [2, 'canary', '2 canaries'],
] as const)('prints %i %s', (count, unit, text) => {
  expect(countUnits(count, unit)).toBe(text);
});
