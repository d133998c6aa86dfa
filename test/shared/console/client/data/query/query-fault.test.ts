import { expect, it } from 'vitest';
import { readQueryFault } from '../../../../../../shared/console/client/data/query/query-fault.ts';
import { QueryRefused } from '../../../../../../shared/inventory/ast/query-error.ts';
import { parsePql } from '../../../../../../shared/inventory/pql/parse-pql.ts';

function messageOf(pql: string): string {
  try {
    parsePql(pql);
  } catch (error) {
    if (error instanceof QueryRefused) return error.message;
    throw error;
  }
  throw new Error(`${pql} is read`);
}

it.each([
  ['nodes { certname = }', 19, { text: 'nodes { certname = }', number: 1, column: 19 }],
  ['nodes {\n  certname ==\n}', 20, { text: '  certname ==', number: 2, column: 12 }],
  ['nodse { }', 0, { text: 'nodse { }', number: 1, column: 0 }],
  ['nodes {', 7, { text: 'nodes {', number: 1, column: 7 }],
])('finds the place where %j cannot be read', (pql, at, line) => {
  const fault = readQueryFault(messageOf(pql), pql);
  expect(fault).toMatchObject({ at, line });
  expect(fault.sentence).toContain(`The query cannot be read at line ${line.number}, column ${line.column + 1}.`);
});

it('finds the name that a message quotes', () => {
  const message = "'hostname' is not a queryable object for nodes. Known queryable objects are 'certname'";
  const pql = 'nodes {\n  hostname = "a"\n}';
  expect(readQueryFault(message, pql)).toEqual({
    sentence: message,
    at: 10,
    line: { text: '  hostname = "a"', number: 2, column: 2 },
  });
});

it('has no place for a message that names none', () => {
  expect(readQueryFault('The query took too long', 'nodes { }')).toEqual({
    sentence: 'The query took too long',
    at: null,
    line: null,
  });
});
