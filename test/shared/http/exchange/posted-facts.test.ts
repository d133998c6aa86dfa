import { expect, it } from 'vitest';
import { readPostedFacts } from '../../../../shared/http/exchange/posted-facts.ts';

it('lets go of the values while a request is held, and has them again when they are looked at', () => {
  const text = JSON.stringify({ name: 'web01', values: { os: { family: 'Debian' } } });
  const facts = readPostedFacts(encodeURIComponent(text), 'web01');
  const before = facts.values;
  expect(facts.values).toBe(before);
  facts.pack();
  expect(facts.values).not.toBe(before);
  expect([...facts.values.keys()]).toEqual([...before.keys()]);
});
