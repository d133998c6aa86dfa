import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { StoreRefused, StoreUnavailable } from '../ports/store-errors.ts';
import { translateDatabaseError, unusableDirectoryError } from './database-errors.ts';
import { assertDatabaseIsThere, DATABASE, makeDatabaseFile } from './directory-files.ts';
import { makeFolder } from './folder.ts';
import { checkReads, DamagedRowError, dropDamagedRows, qualifyWrites, registerDigests } from './row-digests.ts';
import { DIGESTED_TABLES, SCHEMA, SCHEMA_VERSION } from './schema.ts';
import { findSchemaFaults, refuseOtherVersion } from './schema-check.ts';

export type Row = Record<string, SQLOutputValue>;

/** Time-out of a statement for another connection's write lock. */
const BUSY_TIMEOUT_MS = 10_000;

/** Statements that begin, end and undo a unit of work. */
const TRANSACTION = ['BEGIN IMMEDIATE', 'COMMIT', 'ROLLBACK'] as const;
const SAVEPOINT = ['SAVEPOINT work', 'RELEASE work', 'ROLLBACK TO work; RELEASE work'] as const;

/**
 * The SQLite file of a data directory, with its schema in place. Several threads and processes may
 * open it at once. A commit is durable when it returns. Throws StoreRefused, naming the directory,
 * when it cannot be used, and when the database is gone but not what belongs to it.
 */
export class EmbeddedDatabase {
  readonly directory: string;
  readonly #connection: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(directory: string) {
    this.directory = directory;
    let connection: DatabaseSync | null = null;
    try {
      makeFolder(directory);
      assertDatabaseIsThere(directory);
      makeDatabaseFile(join(directory, DATABASE));
      connection = new DatabaseSync(join(directory, DATABASE), { timeout: BUSY_TIMEOUT_MS });
      const isNew = refuseOtherVersion(connection, directory);
      connection.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = OFF;');
      registerDigests(connection, directory, DIGESTED_TABLES);
      if (isNew) connection.exec(`BEGIN IMMEDIATE; ${SCHEMA} PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT`);
      else assertSchema(connection, directory);
      checkReads(connection, DIGESTED_TABLES);
      this.#connection = connection;
    } catch (error) {
      connection?.close();
      throw unusableDirectoryError(directory, error);
    }
  }

  run(sql: string, ...parameters: SQLInputValue[]): number {
    return this.#guard(() => Number(this.#prepare(sql).run(...parameters).changes));
  }

  get(sql: string, ...parameters: SQLInputValue[]): Row | null {
    return this.#guard(() => this.#prepare(sql).get(...parameters) ?? null);
  }

  selectAll(sql: string, ...parameters: SQLInputValue[]): Row[] {
    return this.#guard(() => this.#prepare(sql).all(...parameters));
  }

  /**
   * Runs `work` in one write transaction, or in a savepoint of the transaction in progress. It is
   * rolled back when `work` throws.
   */
  runInTransaction<T>(work: () => T): T {
    const [begin, end, undo] = this.#connection.isTransaction ? SAVEPOINT : TRANSACTION;
    return this.#guard(() => {
      this.#connection.exec(begin);
      try {
        const result = work();
        this.#connection.exec(end);
        return result;
      } catch (error) {
        if (this.#connection.isTransaction) this.#connection.exec(undo);
        throw error;
      }
    });
  }

  /**
   * Runs `work` like `runInTransaction`. When it meets a damaged row of the table, it is rolled
   * back, all such rows are deleted and logged, and it runs again. Only for rows that are made
   * anew.
   */
  runWithoutDamaged<T>(table: string, work: () => T): T {
    try {
      return this.runInTransaction(work);
    } catch (error) {
      const damaged = DIGESTED_TABLES.find(({ name }) => name === table);
      if (!(error instanceof DamagedRowError) || error.table !== table || damaged === undefined) throw error;
      const count = this.#guard(() => dropDamagedRows(this.#connection, damaged));
      console.warn(`${error.message}: deleted ${count} such rows`);
      return this.runInTransaction(work);
    }
  }

  /**
   * Runs all `works` in one write transaction (group commit). When it throws, nothing is written:
   * the transaction could not begin or be committed, or SQLite rolled it back as a whole.
   */
  runTogether(works: readonly (() => void)[]): void {
    this.runInTransaction(() => {
      for (const work of works) {
        work();
        if (this.#connection.isTransaction) continue;
        throw new StoreUnavailable(`data directory '${this.directory}': a transaction of several writes was undone`);
      }
    });
  }

  /** From now on each write through this connection throws StoreRefused. */
  refuseWrites(): void {
    this.#connection.exec('PRAGMA query_only = ON');
  }

  close(): void {
    this.#statements.clear();
    if (this.#connection.isOpen) this.#connection.close();
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#connection.prepare(qualifyWrites(sql));
    this.#statements.set(sql, statement);
    return statement;
  }

  #guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw translateDatabaseError(this.directory, error);
    }
  }
}

/** A table of another name would count as one that is not there yet. */
function assertSchema(connection: DatabaseSync, directory: string): void {
  const [fault] = findSchemaFaults(connection, SCHEMA);
  if (fault === undefined) return;
  throw new StoreRefused(
    `data directory '${directory}' cannot be used: ${fault}: restore a backup ('understudy restore')`,
  );
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

/** Parses a JSON column written by this store; null when it is NULL. */
export function jsonOfColumn<T>(row: Row, column: string): T | null {
  const value = row[column];
  return typeof value === 'string' ? (JSON.parse(value) as T) : null;
}
