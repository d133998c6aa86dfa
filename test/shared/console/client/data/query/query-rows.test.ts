import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { writeQueryCommand } from '../../../../../../shared/console/client/data/query/query-command.ts';
import {
  addressOfRows,
  addressOfTree,
  listColumns,
  sortedValue,
  writeCsv,
} from '../../../../../../shared/console/client/data/query/query-rows.ts';

const LIMIT = '&limit=1001';

describe('addressOfRows', () => {
  it.each<[string, unknown, string]>([
    ['asks for one row more than is shown', ['from', 'nodes'], LIMIT],
    ['leaves a small limit of the query', ['from', 'nodes', ['limit', 5]], ''],
    ['bounds a large limit of the query', ['from', 'nodes', ['limit', 5000]], LIMIT],
    ['leaves the offset of the query', ['from', 'nodes', ['offset', 5]], LIMIT],
  ])('%s', (_, tree, rest) => {
    expect(addressOfRows('nodes { }', tree)).toBe(`/pdb/query/v4?query=nodes+%7B+%7D${rest}`);
  });

  it('asks for the syntax tree before', () => {
    expect(addressOfTree('a&b')).toBe('/pdb/query/v4?query=a%26b&ast_only=true');
  });
});

it('lists the columns of all rows, the node first', () => {
  expect(listColumns([{ b: 1 }, { a: 1, certname: 'x' }])).toEqual(['certname', 'b', 'a']);
});

it('sorts objects by their JSON, and nothing as an empty text', () => {
  expect([null, undefined, 4, 'a', { b: 1 }, true].map(sortedValue)).toEqual(['', '', 4, 'a', '{"b":1}', 'true']);
});

describe('writeCsv', () => {
  it.each<[string, unknown, string]>([
    ['a text', 'web', 'web'],
    ['a number below zero', -5, '-5'],
    ['nothing', null, ''],
    ['a list', ['a', 1], '"[""a"",1]"'],
    ['a comma', 'a,b', '"a,b"'],
    ['quotes', 'a"b', '"a""b"'],
    ['two lines', 'a\nb', '"a\nb"'],
    ['a formula', '=HYPERLINK("x")', '"\'=HYPERLINK(""x"")"'],
    ['a formula with +', '+1', "'+1"],
    ['a formula with -', '-1+1', "'-1+1"],
    ['a formula with @', '@SUM(A1)', "'@SUM(A1)"],
    ['a tab', '\t=1', "'\t=1"],
  ])('%s', (_, value, cell) => {
    expect(writeCsv(['a', 'b'], [{ a: value, b: 'x' }])).toBe(`a,b\r\n${cell},x\r\n`);
  });

  it('guards the names of columns, too', () => {
    expect(writeCsv(['=a'], [])).toBe("'=a\r\n");
  });
});

it.each(['nodes { }', `facts { name = 'os' }`, 'a $HOME `id` \\ "b"\n{ }'])('writes a command for %j', (pql) => {
  const script = `understudy() { printf %s "$2"; }; ${writeQueryCommand(pql)}`;
  expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe(pql);
});
