import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { StoreRefused, StoreUnavailable } from '../ports/store-errors.ts';
import { DamagedRowError, type Row, type SqlConnection, type SqlValue } from '../sql/connection.ts';
import { SQLITE } from '../sql/dialect.ts';
import { translateDatabaseError, unusableDirectoryError } from './database-errors.ts';
import { assertDatabaseIsThere, DATABASE, makeDatabaseFile } from './directory-files.ts';
import { makeFolder } from './folder.ts';
import { migrateSchema } from './migrate-schema.ts';
import { checkReads, dropDamagedRows, qualifyWrites, registerDigests } from './row-digests.ts';
import { DIGESTED_TABLES, SCHEMA, SCHEMA_VERSION } from './schema.ts';
import { findSchemaFaults, findSchemaState } from './schema-check.ts';
import { ServerLock } from './server-lock.ts';

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
export class EmbeddedDatabase implements SqlConnection {
  readonly dialect = SQLITE;
  readonly directory: string;
  /** The connection for works in a transaction. */
  readonly transaction: SqlConnection = {
    dialect: SQLITE,
    run: async (sql, ...parameters) => this.runNow(sql, ...parameters),
    get: async (sql, ...parameters) => this.getNow(sql, ...parameters),
    selectAll: async (sql, ...parameters) => this.selectAllNow(sql, ...parameters),
    runInTransaction: (work) => this.#runInTransaction(work),
    runWithoutDamaged: (table, work) => this.#runWithoutDamaged(table, work),
    mendAndRun: (table, work) => this.#runWithoutDamaged(table, work),
  };
  readonly #connection: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  /** The end of the transaction in progress; null without one. */
  #turn: Promise<void> | null = null;

  constructor(directory: string) {
    this.directory = directory;
    let connection: DatabaseSync | null = null;
    try {
      makeFolder(directory);
      assertDatabaseIsThere(directory);
      makeDatabaseFile(join(directory, DATABASE));
      connection = new DatabaseSync(join(directory, DATABASE), { timeout: BUSY_TIMEOUT_MS });
      const state = findSchemaState(connection, directory);
      connection.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = OFF;');
      registerDigests(connection, directory, DIGESTED_TABLES);
      if (state === 'new')
        connection.exec(`BEGIN IMMEDIATE; ${SCHEMA} PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT`);
      if (state === 'older') migrateAlone(connection, directory);
      if (state !== 'new') assertSchema(connection, directory);
      checkReads(connection, DIGESTED_TABLES);
      this.#connection = connection;
    } catch (error) {
      connection?.close();
      throw unusableDirectoryError(directory, error);
    }
  }

  async run(sql: string, ...parameters: readonly SqlValue[]): Promise<number> {
    while (this.#turn !== null) await this.#turn;
    return this.runNow(sql, ...parameters);
  }

  async get(sql: string, ...parameters: readonly SqlValue[]): Promise<Row | null> {
    while (this.#turn !== null) await this.#turn;
    return this.getNow(sql, ...parameters);
  }

  async selectAll(sql: string, ...parameters: readonly SqlValue[]): Promise<readonly Row[]> {
    while (this.#turn !== null) await this.#turn;
    return this.selectAllNow(sql, ...parameters);
  }

  /** `work` may await nothing but its connection: it keeps a write lock of the database. */
  runInTransaction<T>(work: (transaction: SqlConnection) => Promise<T>): Promise<T> {
    return this.#takeTurn(() => this.#runInTransaction(work));
  }

  runWithoutDamaged<T>(table: string, work: (transaction: SqlConnection) => Promise<T>): Promise<T> {
    return this.#takeTurn(() => this.#runWithoutDamaged(table, work));
  }

  mendAndRun<T>(table: string, work: (on: SqlConnection) => Promise<T>): Promise<T> {
    return this.runWithoutDamaged(table, work);
  }

  /**
   * Runs all `works` in one write transaction (group commit). They use `transaction`. When it
   * throws, nothing is written: the transaction could not begin or be committed, or SQLite rolled
   * it back as a whole.
   */
  runTogether(works: readonly (() => Promise<void>)[]): Promise<void> {
    return this.runInTransaction(async () => {
      for (const work of works) {
        await work();
        if (this.#connection.isTransaction) continue;
        throw new StoreUnavailable(`data directory '${this.directory}': a transaction of several writes was undone`);
      }
    });
  }

  /** Waits until no other work has the connection. */
  async #takeTurn<T>(work: () => Promise<T>): Promise<T> {
    while (this.#turn !== null) await this.#turn;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#turn = promise;
    try {
      return await work();
    } finally {
      this.#turn = null;
      resolve();
    }
  }

  async #runInTransaction<T>(work: (transaction: SqlConnection) => Promise<T>): Promise<T> {
    const [begin, end, undo] = this.#connection.isTransaction ? SAVEPOINT : TRANSACTION;
    try {
      this.#connection.exec(begin);
      try {
        const result = await work(this.transaction);
        this.#connection.exec(end);
        return result;
      } catch (error) {
        if (this.#connection.isTransaction) this.#connection.exec(undo);
        throw error;
      }
    } catch (error) {
      throw translateDatabaseError(this.directory, error);
    }
  }

  async #runWithoutDamaged<T>(table: string, work: (transaction: SqlConnection) => Promise<T>): Promise<T> {
    try {
      return await this.#runInTransaction(work);
    } catch (error) {
      const damaged = DIGESTED_TABLES.find(({ name }) => name === table);
      if (!(error instanceof DamagedRowError) || error.table !== table || damaged === undefined) throw error;
      const count = this.#guard(() => dropDamagedRows(this.#connection, damaged));
      console.warn(`${error.message}: deleted ${count} such rows`);
      return this.#runInTransaction(work);
    }
  }

  /** From now on each write through this connection throws StoreRefused. */
  refuseWrites(): void {
    this.#connection.exec('PRAGMA query_only = ON');
  }

  close(): void {
    this.#statements.clear();
    if (this.#connection.isOpen) this.#connection.close();
  }

  /** Runs a statement for whoever alone uses the connection, or in a transaction. */
  runNow(sql: string, ...parameters: readonly SqlValue[]): number {
    return this.#guard(() => Number(this.#prepare(sql).run(...parameters).changes));
  }

  /** See `runNow`. */
  getNow(sql: string, ...parameters: readonly SqlValue[]): Row | null {
    return this.#guard(() => this.#prepare(sql).get(...parameters) ?? null);
  }

  /** See `runNow`. */
  selectAllNow(sql: string, ...parameters: readonly SqlValue[]): readonly Row[] {
    return this.#guard(() => this.#prepare(sql).all(...parameters));
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

/** A server of the earlier release must have ended: it would not see what is written then. */
function migrateAlone(connection: DatabaseSync, directory: string): void {
  const lock = new ServerLock(directory);
  try {
    migrateSchema(connection, directory);
  } finally {
    lock.release();
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
