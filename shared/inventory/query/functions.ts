/** Functions of the query language and those of PostgreSQL that they stand for. */
export const FUNCTIONS: ReadonlyMap<string, string> = new Map([
  ['sum', 'sum'],
  ['avg', 'avg'],
  ['min', 'min'],
  ['max', 'max'],
  ['count', 'count'],
  ['to_string', 'to_char'],
  ['jsonb_typeof', 'jsonb_typeof'],
]);
