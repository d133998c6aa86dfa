import { expect, it } from 'vitest';
import { filterByPatterns, parseNodePattern } from '../../../../shared/orchestrator/order/node-pattern.ts';

const NAMES = ['db1.example.com', 'web1.example.com', 'web2.example.com', 'web20.example.com'];

it.each([
  [['WEB2.example.com'], ['web2.example.com']],
  [['web?.example.com'], ['web1.example.com', 'web2.example.com']],
  [[String.raw`/^web\d{2}\./`], ['web20.example.com']],
  [
    ['web20.example.com', 'db*'],
    ['db1.example.com', 'web20.example.com'],
  ],
  [['web3.example.com'], []],
])('%j are of the names, in their order, %j', (texts, expected) => {
  const patterns = texts.map(parseNodePattern).filter((pattern) => typeof pattern !== 'string');
  expect(patterns).toHaveLength(texts.length);
  expect(filterByPatterns(patterns, NAMES)).toEqual(expected);
});
