import { expect, it } from 'vitest';
import { postedFacts } from '../../../../shared/http/exchange/posted-facts.ts';
import { FairQueue } from '../../../../shared/util/fair-queue.ts';

it('parses the facts anew each time, and keeps none of the values', async () => {
  const text = JSON.stringify({ name: 'web01', values: { os: { family: 'Debian' } } });
  const facts = postedFacts(text, 'web01', new FairQueue({ places: 1 }));
  const first = await facts.parse();
  expect([...first.keys()]).toEqual(['os']);
  expect(await facts.parse()).toEqual(first);
  expect(await facts.parse()).not.toBe(first);
});
