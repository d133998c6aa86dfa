import { expect, it } from 'vitest';
import { describeLoadGate, listOpenQueues } from '../../../../shared/fleet/compiles/load-gate.ts';

it.each([
  ['without a bound', null, 99, ['waiting', 'express', 'background'], null],
  ['below the bound', 2, 1.5, ['waiting', 'express', 'background'], { average: 1.5, max: 2, holds_back: false }],
  ['at the bound', 2, 2, ['waiting', 'express', 'background'], { average: 2, max: 2, holds_back: false }],
  ['above the bound', 2, 2.01, ['waiting'], { average: 2.01, max: 2, holds_back: true }],
])('opens queues %s', (_, maxLoad, load, queues, described) => {
  const gate = { maxLoad, readLoad: () => load };
  expect(listOpenQueues(gate)).toEqual(queues);
  expect(describeLoadGate(gate)).toEqual(described);
});
