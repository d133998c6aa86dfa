import { expect, it } from 'vitest';
import { makeMessageId } from '../../../../shared/orchestrator/pcp/message-id.ts';
import { isMessageId } from '../../../../shared/orchestrator/pcp/pcp-message.ts';
import { SeededChance } from '../../../fuzz/seeded-chance.ts';

it.each([
  [0, '00000000-0000-4000-8000-000000000000'],
  [1 - 2 ** -53, 'ffffffff-ffff-4fff-bfff-ffffffffffff'],
])('makes a UUID of the random number %f', (random, expected) => {
  expect(makeMessageId(() => random)).toBe(expected);
});

it('makes valid ids that differ', () => {
  const chance = new SeededChance(1);
  const ids = Array.from({ length: 1000 }, () => makeMessageId(() => chance.next()));
  expect(new Set(ids).size).toBe(1000);
  expect(ids.filter((id) => !isMessageId(id))).toEqual([]);
});
