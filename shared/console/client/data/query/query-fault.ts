/** A place in a query that the inventory refuses. */
export interface QueryFault {
  readonly sentence: string;
  /** The offset in the query; null where the message names no place. */
  readonly at: number | null;
  /** The line with the place, its number from 1, and the column from 0. */
  readonly line: { readonly text: string; readonly number: number; readonly column: number } | null;
}

const PARSE_ERROR = /^PQL parse error at line (\d+), column (\d+):/;

/** Reads the place from a message of the inventory: line and column, or the name that it quotes. */
export function readQueryFault(message: string, query: string): QueryFault {
  const [, line, column] = PARSE_ERROR.exec(message) ?? [];
  if (line !== undefined && column !== undefined) {
    const lines = query.split('\n');
    const number = Math.min(Number(line), lines.length);
    const start = lines.slice(0, number - 1).reduce((sum, one) => sum + one.length + 1, 0);
    const at = Math.min(start + Number(column) - 1, query.length);
    return { sentence: describe(message, number, Number(column)), at, line: lineAt(query, at) };
  }
  const name = [...message.matchAll(/'([^']+)'/g)].map(([, one = '']) => one).find((one) => query.includes(one));
  const at = name === undefined ? null : query.indexOf(name);
  return { sentence: message.trim(), at, line: at === null ? null : lineAt(query, at) };
}

function describe(message: string, line: number, column: number): string {
  const [, expected = ''] = /Expected(?: one of)?:\s+([\s\S]*)$/.exec(message) ?? [];
  const tokens = expected.split('\n').map((one) => one.trim());
  // Patterns of characters say little to whoever writes a query.
  const words = [...new Set(tokens.filter((one) => one !== '' && !one.startsWith('#') && one !== 'end-of-string'))];
  const place = `The query cannot be read at line ${line}, column ${column}.`;
  return words.length === 0 ? place : `${place} One of these can stand there: ${words.join(' or ')}`;
}

function lineAt(query: string, at: number): QueryFault['line'] {
  const before = query.slice(0, at).split('\n');
  const number = before.length;
  return { text: query.split('\n')[number - 1] ?? '', number, column: (before.at(-1) ?? '').length };
}
