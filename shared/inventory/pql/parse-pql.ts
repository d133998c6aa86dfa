import type { AstList } from '../ast/ast.ts';
import { QueryRefused } from '../ast/query-error.ts';
import { Parsing } from './parsing.ts';
import { pqlQuery, pqlSpace } from './pql-grammar.ts';

/**
 * Reads a query in the Puppet Query Language and gives it in AST form: `["from", entity, …]`.
 * Throws QueryRefused with line, column and a caret below the place where reading failed.
 */
export function parsePql(text: string): AstList {
  const parsing = new Parsing(text);
  for (const { end, values } of pqlQuery(parsing, 0)) {
    const rest = pqlSpace(parsing, end).some((space) => space.end === text.length);
    if (end === text.length || rest) return values[0] as AstList;
    parsing.fail(end, '#"\\s+" (followed by end-of-string)');
    parsing.fail(end, 'end-of-string');
  }
  throw new QueryRefused(describeFailure(text, parsing));
}

function describeFailure(text: string, { failure, expectations }: Parsing): string {
  const before = text.slice(0, failure).split('\n');
  const [line, column] = [before.length, (before.at(-1) ?? '').length + 1];
  const shown = text.split('\n')[line - 1] || 'null';
  const expected = `${expectations.length === 1 ? 'Expected:' : 'Expected one of:\n'}\n${expectations.join('\n')}`;
  return `PQL parse error at line ${line}, column ${column}:\n\n${shown}\n${' '.repeat(column - 1)}^\n\n${expected}\n`;
}
