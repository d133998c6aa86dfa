import { describe, expect, it } from 'vitest';
import { matchesFilter } from '../../../../shared/puppet/compiler/export-filter.ts';
import { findFilterKeys, listExportKeys } from '../../../../shared/puppet/compiler/export-keys.ts';

const TAG = ['tag', '==', 'Web'];
const TITLE = ['title', '==', 'X'];
const OTHER = ['port', '==', 80];

describe('findFilterKeys', () => {
  it.each<[string, unknown, readonly string[] | null]>([
    ['nothing', null, null],
    ['a tag, in lower case', TAG, ['tag=web']],
    ['a title, as it is', TITLE, ['title=X']],
    ['a parameter', OTHER, null],
    ['a tag that must not match', ['tag', '!=', 'x'], null],
    ['a tag that is no text', ['tag', '==', 5], null],
    ['a tag and a parameter', [TAG, 'and', OTHER], ['tag=web']],
    ['a parameter and a tag', [OTHER, 'and', TAG], ['tag=web']],
    ['a tag and a title: the title', [TAG, 'and', TITLE], ['title=X']],
    ['a tag or a title: both', [TAG, 'or', TITLE], ['tag=web', 'title=X']],
    ['the same twice', [TAG, 'or', TAG], ['tag=web']],
    ['a tag or a parameter', [TAG, 'or', OTHER], null],
    ['two tags or one, and a parameter', [[TAG, 'or', ['tag', '==', 'db']], 'and', [OTHER, 'and', TAG]], ['tag=web']],
    ['a value in place of a query', 'x', []],
  ])('%s', (_, filter, keys) => {
    expect(findFilterKeys(filter)).toEqual(keys);
  });

  it('never misses an export that the filter matches', () => {
    const leaves = [TAG, TITLE, OTHER, ['tag', '!=', 'web'], ['tag', '==', 'db'], null];
    const filters = leaves.flatMap((left) =>
      leaves.flatMap((right) =>
        ['and', 'or'].flatMap((operator) => [
          [left, operator, right],
          [[left, operator, right], 'and', TAG],
        ]),
      ),
    );
    const resources = ['X', 'x'].flatMap((title) =>
      [[], ['Web'], ['web', 'db']].flatMap((tags) =>
        [80, 81].map((port) => ({ certname: 'a', type: 'T', title, tags, parameters: { port } })),
      ),
    );
    for (const filter of filters) {
      const keys = findFilterKeys(filter);
      const missed = resources.filter(
        (one) => matchesFilter(one, filter) && keys && !listExportKeys(one).some((key) => keys.includes(key)),
      );
      expect([filter, missed]).toEqual([filter, []]);
    }
  });
});
