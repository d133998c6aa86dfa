import { describe, expect, it } from 'vitest';
import {
  askForValues,
  joinFactPath,
  MOST_DISTINCT,
  readDistribution,
  splitFactPath,
} from '../../../../shared/fleet/facts/fact-distribution.ts';

describe('a path of a fact', () => {
  it.each([
    ['os', ['os']],
    ['os.release.major', ['os', 'release', 'major']],
    ['"odd.name".deep', ['odd.name', 'deep']],
    ['mountpoints./boot.size', ['mountpoints', '/boot', 'size']],
  ])('%s has the names %j', (text, names) => {
    expect(splitFactPath(text)).toEqual(names);
    expect(joinFactPath(names)).toBe(text);
  });
});

describe('the values of a fact', () => {
  it('are asked for as far as they are counted', () => {
    expect(JSON.parse(askForValues(['mountpoints', '/boot']))).toEqual([
      'from',
      'inventory',
      ['extract', ['facts.mountpoints."/boot"', ['function', 'count']], ['group_by', 'facts.mountpoints."/boot"']],
      ['limit', MOST_DISTINCT + 1],
    ]);
  });

  it('come with the commonest first, and the number of the others', () => {
    const rows = Array.from({ length: 60 }, (_, index) => ({ 'facts.a': `v${index}`, count: index + 1 }));
    const found = readDistribution(['a'], [...rows, { 'facts.a': null, count: 900 }, null, { 'facts.a': 5 }]);
    expect(found.values).toHaveLength(50);
    expect(found.values.slice(0, 2).map(({ value, nodes }) => [value, nodes])).toEqual([
      [null, 900],
      ['"v59"', 60],
    ]);
    const total = 900 + (60 * 61) / 2;
    expect(found).toMatchObject({ distinct: 60, others: (11 * 12) / 2, total });
  });

  it('are not all counted when there are too many', () => {
    const rows = Array.from({ length: MOST_DISTINCT + 1 }, (_, index) => ({ 'facts.a': index, count: 1 }));
    expect(readDistribution(['a'], rows)).toMatchObject({ distinct: null, others: null, total: MOST_DISTINCT + 1 });
  });

  it('are shortened, but found whole', () => {
    const [value] = readDistribution(['a'], [{ 'facts.a': 'x'.repeat(300), count: 1 }]).values;
    expect(value?.value).toBe(`"${'x'.repeat(198)}…`);
    expect(value?.query).toBe(`inventory[certname] { facts.a = "${'x'.repeat(300)}" }`);
  });
});
