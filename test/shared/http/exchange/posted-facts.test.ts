import { expect, it } from 'vitest';
import { readPostedFacts } from '../../../../shared/http/exchange/posted-facts.ts';

it('parses the facts anew each time, and keeps none of the values', () => {
  const text = JSON.stringify({ name: 'web01', values: { os: { family: 'Debian' } } });
  const facts = readPostedFacts(encodeURIComponent(text), 'web01');
  const first = facts.parse();
  expect([...first.keys()]).toEqual(['os']);
  expect(facts.parse()).toEqual(first);
  expect(facts.parse()).not.toBe(first);
});
