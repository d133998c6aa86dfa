import { expect, it } from 'vitest';
import { readPostedFacts } from '../../../../shared/http/exchange/posted-facts.ts';
import { Semaphore } from '../../../../shared/util/semaphore.ts';

it('parses the facts anew each time, and keeps none of the values', async () => {
  const text = JSON.stringify({ name: 'web01', values: { os: { family: 'Debian' } } });
  const facts = readPostedFacts(encodeURIComponent(text), 'web01', new Semaphore(1));
  const first = await facts.parse();
  expect([...first.keys()]).toEqual(['os']);
  expect(await facts.parse()).toEqual(first);
  expect(await facts.parse()).not.toBe(first);
});
