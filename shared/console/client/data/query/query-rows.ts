/** A row of an answer of the inventory. */
export type QueryRow = Readonly<Record<string, unknown>>;

/** Rows that a page shows; one more is asked for, to know whether there are more. */
export const MOST_ROWS = 1_000;

/** The address of the syntax tree of a query, which the inventory checks. */
export function addressOfTree(pql: string): string {
  return `/pdb/query/v4?${new URLSearchParams({ query: pql, ast_only: 'true' })}`;
}

/** The address of the first rows of a query; `tree` is its syntax tree. */
export function addressOfRows(pql: string, tree: unknown): string {
  const clauses: readonly unknown[] = Array.isArray(tree) ? tree : [];
  const limit = clauses.find((clause) => Array.isArray(clause) && clause[0] === 'limit');
  // The parameter would take the place of the query's own limit.
  const isShort = Array.isArray(limit) && Number(limit[1]) <= MOST_ROWS;
  return `/pdb/query/v4?${new URLSearchParams({ query: pql, ...(isShort ? {} : { limit: String(MOST_ROWS + 1) }) })}`;
}

/** The columns of rows: every member of any of them, `certname` first. */
export function listColumns(rows: readonly QueryRow[]): readonly string[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return names.toSorted((a, b) => Number(b === 'certname') - Number(a === 'certname'));
}

/** A value as it is sorted. */
export function sortedValue(value: unknown): string | number {
  if (typeof value === 'number' || typeof value === 'string') return value;
  return value === null || value === undefined ? '' : JSON.stringify(value);
}

/**
 * Rows as CSV, RFC 4180. A text that a spreadsheet would take for a formula begins with an
 * apostrophe there.
 */
export function writeCsv(columns: readonly string[], rows: readonly QueryRow[]): string {
  const lines = [columns.map(quoteCell), ...rows.map((row) => columns.map((name) => quoteCell(row[name])))];
  return lines.map((cells) => `${cells.join(',')}\r\n`).join('');
}

function quoteCell(value: unknown): string {
  const text = value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
  const isFormula = typeof value === 'string' && /^[=+\-@\t\r]/.test(text);
  const safe = isFormula ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
