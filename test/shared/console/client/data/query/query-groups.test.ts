import { describe, expect, it } from 'vitest';
import {
  addressOfGroups,
  countByColumn,
  listGroupColumns,
  readGroups,
} from '../../../../../../shared/console/client/data/query/query-groups.ts';
import { parsePql } from '../../../../../../shared/inventory/pql/parse-pql.ts';

const COUNTED = ['function', 'count'];
const LIMIT = ['limit', 1001];

describe('addressOfGroups', () => {
  it.each<[string, unknown]>([
    ['nodes { }', ['from', 'nodes', ['extract', ['a', COUNTED], ['group_by', 'a']], LIMIT]],
    ['nodes { a = 1 }', ['from', 'nodes', ['extract', ['a', COUNTED], ['=', 'a', 1], ['group_by', 'a']], LIMIT]],
    ['nodes[a, b] { }', ['from', 'nodes', ['extract', ['a', COUNTED], ['group_by', 'a']], LIMIT]],
    ['nodes[a] { order by a }', ['from', 'nodes', ['extract', ['a', COUNTED], ['group_by', 'a']], LIMIT]],
    ['nodes[a] { b = 2 }', ['from', 'nodes', ['extract', ['a', COUNTED], ['=', 'b', 2], ['group_by', 'a']], LIMIT]],
    ['nodes { limit 5 }', null],
    ['nodes[a, count()] { group by a }', null],
    ['nodes[count()] { }', null],
  ])('%s', (pql, expected) => {
    // Numbers of a syntax tree are objects of their own until they are JSON.
    const tree: unknown = JSON.parse(JSON.stringify(parsePql(pql), (_, one) => plainNumber(one)));
    const address = addressOfGroups(tree, 'a');
    const query = address === null ? 'null' : new URLSearchParams(address.split('?')[1]).get('query');
    expect(JSON.parse(query ?? '')).toEqual(expected);
  });
});

function plainNumber(value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}

it('counts rows by a column, the commonest first', () => {
  const rows = [{ a: 'x' }, { a: null }, { a: 'y' }, { a: 'y' }, {}, { a: 7 }, { a: true }];
  expect(countByColumn('a', rows)).toEqual([
    { label: 'none', count: 2 },
    { label: 'y', count: 2 },
    { label: '7', count: 1 },
    { label: 'true', count: 1 },
    { label: 'x', count: 1 },
  ]);
});

it('takes the numbers of rows that are groups', () => {
  const rows = [
    { a: 'x', count: 3 },
    { a: 'y', count: 40 },
    { a: 'x', count: 4 },
  ];
  expect(countByColumn('a', rows)).toEqual([
    { label: 'y', count: 40 },
    { label: 'x', count: 7 },
  ]);
  expect(readGroups('a', [{ a: 'x', count: 3 }, { count: 9 }])).toEqual([
    { label: 'none', count: 9 },
    { label: 'x', count: 3 },
  ]);
});

it('offers no column with objects', () => {
  expect(
    listGroupColumns(
      ['a', 'b', 'c'],
      [
        { a: 1, b: {} },
        { a: null, b: 1, c: ['x'] },
      ],
    ),
  ).toEqual(['a']);
});
