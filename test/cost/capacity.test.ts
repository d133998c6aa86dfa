import { expect, it } from 'vitest';
import { USUAL_FLEET } from './bill.ts';
import { planCapacity } from './capacity.ts';
import { IDLE, NO_USE } from './use.ts';

const run = { ...NO_USE, readUnits: 4, writeUnits: 1 };
const deploy = { ...NO_USE, writeUnits: 12, nodeWrites: 4, readUnits: 6 };
const USE = { ...IDLE, run, deploy };
const plan = (nodes: number) =>
  Object.fromEntries(
    planCapacity({ ...USUAL_FLEET, nodes, interval: 30 }, USE).map(({ peak, value, setting }) => [
      peak,
      [value, setting],
    ]),
  );

it('asks for nothing but the usual of a small fleet', () => {
  expect(plan(4000)).toMatchObject({
    'runs, spread over the interval': [expect.closeTo(2.22), 'containers.max >= 2'],
    'runs, all within a minute': [expect.closeTo(66.7, 1), 'containers.max >= 3, or agents come again'],
    'reads of the tables': [expect.closeTo(266.7, 1), null],
    'writes to the tables': [expect.closeTo(80), null],
    'compiles after a deploy for all': [expect.closeTo(4.44), 'expressConcurrency >= 3'],
  });
});

it('asks for warm tables and more containers of a large one', () => {
  expect(plan(1_000_000)).toMatchObject({
    'writes to a shard of unchanged runs': [expect.closeTo(1041.7, 1), null],
    'reads of the tables': [expect.closeTo(66_666.7, 1), 'warmThroughput.reads >= 66667'],
    'writes to the tables': [expect.closeTo(20_000), 'warmThroughput.writes >= 20000'],
    'compiles after a deploy for all': [expect.closeTo(1111.1, 1), 'expressConcurrency >= 556'],
  });
});
