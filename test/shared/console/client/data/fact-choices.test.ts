import { describe, expect, it } from 'vitest';
import {
  addressOfPaths,
  addressOfValues,
  countValues,
  readPaths,
} from '../../../../../shared/console/client/data/fact-choices.ts';

function queryOf(address: string | null): unknown {
  return address === null ? null : JSON.parse(new URLSearchParams(address.split('?')[1]).get('query') ?? '');
}

describe('facts for a rule', () => {
  it.each([
    ['fact.', ['from', 'fact_paths', ['extract', ['name'], ['~', 'name', '^'], ['group_by', 'name']]]],
    ['ker', ['from', 'fact_paths', ['extract', ['name'], ['~', 'name', '^ker'], ['group_by', 'name']]]],
    ['fact.os.fam', ['from', 'fact_paths', ['extract', ['path'], ['=', 'name', 'os']]]],
  ])('are asked for %j', (typed, query) => {
    expect((queryOf(addressOfPaths(typed)) as unknown[]).slice(0, 3)).toEqual(query);
  });

  it.each(['name', 'trusted.extensions.pp_role', 'fact.os[0]', 'fact.a"b'])('are not asked for %j', (typed) => {
    expect(addressOfPaths(typed)).toBeNull();
  });

  it('are read as rules write them', () => {
    expect(readPaths([{ name: 'kernel' }, { path: ['os', 'family'] }, { path: ['a', 'b.c'] }])).toEqual([
      'fact.kernel',
      'fact.os.family',
    ]);
  });
});

describe('values for a rule', () => {
  it.each([
    ['fact.os.family', ['from', 'inventory', ['extract', ['facts.os.family']], ['limit', 200]]],
    ['trusted.extensions.pp_role', ['from', 'inventory', ['extract', ['trusted.extensions.pp_role']], ['limit', 200]]],
    ['name', null],
    ['fact.', null],
    ['fact.a b', null],
  ])('are asked for %j', (path, query) => {
    expect(queryOf(addressOfValues(path))).toEqual(query);
  });

  it('are counted, the commonest first', () => {
    const rows = [{ f: 'b' }, { f: 'a' }, { f: 'b' }, { f: null }, { f: { x: 1 } }, { f: 4 }];
    expect(countValues(rows)).toEqual([
      ['b', 2],
      ['4', 1],
      ['a', 1],
    ]);
  });
});
