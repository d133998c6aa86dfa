import { expect, it } from 'vitest';
import { chooseId } from '../../../shared/cli/client/choose-id.ts';
import { describeAmbiguousId, matchIds, shortenId } from '../../../shared/util/short-id.ts';

it.each([
  ['0123456789abcdef', '0123456789ab'],
  ['6dc1162c-1dd1-4c8e-9a1b-0800200c9a66', '6dc1162c-1dd1'],
  ['u-1', 'u-1'],
  ['17', '17'],
  ['', ''],
])('shortens %j to %j', (id, short) => {
  expect(shortenId(id)).toBe(short);
});

const IDS = ['aa', 'aabb', 'aabc', 'c0', 'c0'];

it.each([
  ['aa', ['aa']],
  ['aab', ['aabb', 'aabc']],
  ['c', ['c0']],
  ['d', []],
  ['', ['aa', 'aabb', 'aabc', 'c0']],
])('finds what %j means', (given, found) => {
  expect(matchIds(IDS, given)).toEqual(found);
});

it('names ids that a prefix stands for, with as many digits as distinguish them', () => {
  expect(() => chooseId(IDS, 'aab', 'token')).toThrow("'aab' begins several ids: aabb, aabc");
  expect(() => chooseId(IDS, 'd', 'token')).toThrow("there is no token 'd'");
  expect(chooseId(IDS, 'c', 'token')).toBe('c0');
  const [long, other] = ['0123456789abcdef', '0123456789abcdee'];
  expect(describeAmbiguousId('0', [long, other])).toBe(`'0' begins several ids: ${long}, ${other}`);
  expect(describeAmbiguousId('0', ['0a', '0b', '0c', '0d', '0e', '0f'])).toBe(
    "'0' begins several ids: 0a, 0b, 0c, 0d, 0e and 1 more",
  );
});
