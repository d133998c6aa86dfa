import type { QueryRow } from './query-rows.ts';

/** A bar of a chart. */
export interface RowGroup {
  readonly label: string;
  readonly count: number;
}

type Clause = readonly unknown[];

/** Different values that are counted. */
export const MOST_GROUPS = 1_000;
const PAGING: readonly unknown[] = ['limit', 'offset', 'order_by'];

/**
 * The address that counts all rows of a query by a column. Null for a query whose rows are groups
 * already, or a part of all: then only the rows that are shown can be counted.
 */
export function addressOfGroups(tree: unknown, column: string): string | null {
  if (!isClause(tree) || tree[0] !== 'from') return null;
  const [, entity, ...clauses] = tree;
  const others = clauses.filter((clause) => !isClause(clause) || !PAGING.includes(clause[0]));
  const isWhole = !clauses.some((clause) => isClause(clause) && ['limit', 'offset'].includes(String(clause[0])));
  const [first, ...more] = others;
  if (!isWhole || more.length > 0) return null;
  const isExtract = isClause(first) && first[0] === 'extract';
  const [, fields, ...rest]: Clause = isExtract ? first : ['extract', [], ...(first === undefined ? [] : [first])];
  const isGrouped = rest.some((clause) => isClause(clause) && clause[0] === 'group_by');
  if (isGrouped || hasFunction(fields)) return null;
  const counted = ['extract', [column, ['function', 'count']], ...rest, ['group_by', column]];
  const query = JSON.stringify(['from', entity, counted, ['limit', MOST_GROUPS + 1]]);
  return `/pdb/query/v4?${new URLSearchParams({ query })}`;
}

/** The groups that the inventory counted, the largest first. */
export function readGroups(column: string, rows: readonly QueryRow[]): readonly RowGroup[] {
  return sortGroups(rows.map((row) => ({ label: labelOf(row[column]), count: Number(row.count) })));
}

/**
 * Rows by their value in a column, the largest group first. Rows that are groups count as many as
 * their `count` says.
 */
export function countByColumn(column: string, rows: readonly QueryRow[]): readonly RowGroup[] {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const label = labelOf(row[column]);
    counts.set(label, (counts.get(label) ?? 0) + (typeof row.count === 'number' ? row.count : 1));
  }
  return sortGroups([...counts].map(([label, count]) => ({ label, count })));
}

/** Columns that rows can be counted by: those without objects and arrays. */
export function listGroupColumns(columns: readonly string[], rows: readonly QueryRow[]): readonly string[] {
  return columns.filter((name) => rows.every((row) => typeof row[name] !== 'object' || row[name] === null));
}

function sortGroups(groups: readonly RowGroup[]): readonly RowGroup[] {
  return groups.toSorted((a, b) => b.count - a.count || (a.label < b.label ? -1 : 1));
}

function labelOf(value: unknown): string {
  if (value === null || value === undefined) return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isClause(value: unknown): value is Clause {
  return Array.isArray(value);
}

function hasFunction(fields: unknown): boolean {
  return isClause(fields) && (fields[0] === 'function' || fields.some(hasFunction));
}
