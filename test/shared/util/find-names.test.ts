import { describe, expect, it } from 'vitest';
import { findNames } from '../../../shared/util/find-names.ts';

const NAMES = ['app01', 'db01', 'db02', 'web01', 'web02', 'xdb'];

describe('a search in sorted names', () => {
  it.each<[string, number, number, readonly string[]]>([
    ['db', 9, 9, ['db01', 'db02', 'xdb']],
    ['db', 2, 9, ['db01', 'db02']],
    ['db', 9, 5, ['db01', 'db02']],
    ['01', 2, 9, ['app01', 'db01']],
    ['web02', 9, 9, ['web02']],
    ['zz', 9, 9, []],
    ['', 2, 9, ['app01', 'db01']],
  ])('for %j, at most %d, looking into %d', (text, limit, most, found) => {
    expect(findNames(NAMES, text, limit, most)).toEqual(found);
  });
});
