import { expect, it } from 'vitest';
import { findGrowth } from './run-soak.ts';

const START = { residentMb: 200, descriptors: 40, threads: 13 };
const curve = (...megabytes: readonly number[]) => megabytes.map((residentMb) => ({ residentMb }));
const repeat = (value: number, count: number) => Array.from({ length: count }, () => value);

it.each([
  ['a curve that becomes flat', curve(...repeat(300, 5), ...repeat(600, 10)), START, []],
  ['a short run', curve(100, 200, 300, 400, 500, 600), START, []],
  [
    'memory that grows to the end',
    curve(...repeat(300, 5), ...repeat(600, 5), ...repeat(700, 5)),
    START,
    ['memory grew from 600 MB in the second third to 700 MB in the last'],
  ],
  ['descriptors that stay open', [], { ...START, descriptors: 100 }, ['descriptors grew from 40 to 100 when idle']],
  ['threads that stay', [], { ...START, threads: 30 }, ['threads grew from 13 to 30 when idle']],
])('judges %s', (_, samples, idle, faults) => {
  expect(findGrowth(samples, START, idle)).toEqual(faults);
});
