import { StoreRefused } from '../ports/store-errors.ts';
import type { SqlDialect } from './dialect.ts';

/** A parameter of a statement. */
export type SqlValue = string | number | bigint | null | Uint8Array;

/** A row by its columns. Integers are numbers, a condition is 0 or 1. */
export type Row = Readonly<Record<string, SqlValue>>;

/**
 * A connection to the database of the stores. Statements are the SQL that SQLite and PostgreSQL
 * share, and the words of the `dialect`. Parameters are `?`, or `?1` and so on when one is used
 * twice. All methods throw StoreUnavailable or StoreRefused for faults of the database.
 */
export interface SqlConnection {
  readonly dialect: SqlDialect;
  /** Returns the number of rows that were changed. */
  run(sql: string, ...parameters: readonly SqlValue[]): Promise<number>;
  /** Returns the first row. */
  get(sql: string, ...parameters: readonly SqlValue[]): Promise<Row | null>;
  selectAll(sql: string, ...parameters: readonly SqlValue[]): Promise<readonly Row[]>;
  /**
   * Runs `work` in one transaction, or in the transaction in progress when this is its connection.
   * It is rolled back when `work` throws. `work` uses the connection that it gets and no other,
   * waits for the database alone, and may run again.
   */
  runInTransaction<T>(work: (transaction: SqlConnection) => Promise<T>): Promise<T>;
  /**
   * Runs `work` like `runInTransaction`. When it meets a damaged row of the table, it is rolled
   * back, all such rows are deleted and logged, and it runs again. Only for rows that are made
   * anew.
   */
  runWithoutDamaged<T>(table: string, work: (transaction: SqlConnection) => Promise<T>): Promise<T>;
  /**
   * Like `runWithoutDamaged`, for a work whose statements need no transaction: there is none where
   * damaged rows are not dropped.
   */
  mendAndRun<T>(table: string, work: (on: SqlConnection) => Promise<T>): Promise<T>;
}

/** A statement met a damaged row of the table. */
export class DamagedRowError extends StoreRefused {
  readonly table: string;

  constructor(what: string, table: string) {
    super(what);
    this.table = table;
  }
}

/** Returns the text of a column. Throws StoreRefused for another type or NULL. */
export function textOfColumn(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw new StoreRefused(`the database has no text in column ${column}`);
  return value;
}

/** Returns a column's value if it is text; else null. */
export function textOrNull(value: Row[string] | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

/** Returns the number of a column. Throws StoreRefused for another type or NULL. */
export function numberOfColumn(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== 'number') throw new StoreRefused(`the database has no number in column ${column}`);
  return value;
}

/** Parses a JSON column written by these stores; null when it is NULL. */
export function jsonOfColumn<T>(row: Row, column: string): T | null {
  const value = row[column];
  return typeof value === 'string' ? (JSON.parse(value) as T) : null;
}
