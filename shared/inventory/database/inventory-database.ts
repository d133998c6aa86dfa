import type { Statement } from './sql.ts';

/** The columns of a row, each as PostgreSQL's text of its value. */
export type DatabaseRow = readonly (string | null)[];

/** Runs statements one after another on one connection. */
export interface DatabaseConnection {
  /** Gives all rows. Throws DatabaseError. */
  run(statement: Statement): Promise<readonly DatabaseRow[]>;
}

/**
 * Work in one transaction that a thread can do: a function by its module and name. Its argument and
 * its result are plain data.
 */
export interface DatabaseTask<Argument, Result> {
  /** Address of the module that exports `run`, and its name there. */
  readonly module: string;
  readonly name: string;
  run(connection: DatabaseConnection, argument: Argument): Promise<Result>;
}

/** Limits of a reader. */
export interface ReadLimits {
  /** Milliseconds from the start to the last row. */
  readonly timeMs: number;
  /** Most rows; the next one throws TooManyRows. */
  readonly rows: number;
  /**
   * Megabytes of memory. A quarter is for each sort or grouping, which then goes on disk, and a row
   * may have all. What needs more throws TooMuchMemory.
   */
  readonly megabytes: number;
}

/**
 * A PostgreSQL database, embedded or not. Its language is PostgreSQL's own: regular expressions,
 * jsonb and numbers behave as in PuppetDB. The contract is in
 * test/shared/inventory/database/inventory-database.e2e.test.ts.
 */
export interface InventoryDatabase {
  /** Runs the body in one transaction: committed when it returns, rolled back when it throws. */
  transaction<T>(body: (connection: DatabaseConnection) => Promise<T>): Promise<T>;
  /**
   * Does the task in one transaction, off the caller's thread where there are threads. Throws what
   * a transaction throws.
   */
  perform<Argument, Result>(task: DatabaseTask<Argument, Result>, argument: Argument): Promise<Result>;
  /**
   * Reads rows in batches through a cursor, in one snapshot, so that memory is bounded by a batch.
   * Throws DatabaseError, StatementTimedOut and TooManyRows; stops early when the caller does.
   * Others are served while a caller does not go on. It loses its rows beyond the limit, or, of a
   * server, after ten seconds.
   */
  read(statement: Statement, limits: ReadLimits): AsyncIterable<readonly DatabaseRow[]>;
  /** Ends all connections, after statements that run. */
  close(): Promise<void>;
}

/** Classes of SQLSTATE: lack of resources, the system, the configuration, and internal errors. */
const FAULTS: readonly string[] = ['53', '58', 'F0', 'XX'];

/** PostgreSQL refused a statement. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
  /** PostgreSQL's code for the kind of error (SQLSTATE), as 2201B. */
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }

  /** Whether the database is at fault, or what it runs on, and not the statement. */
  get isFault(): boolean {
    return this.code === '' || FAULTS.includes(this.code.slice(0, 2));
  }
}

/** A statement took longer than its limit and was cancelled. */
export class StatementTimedOut extends Error {
  override readonly name = 'StatementTimedOut';

  constructor(limitMs: number) {
    super(`The query took longer than ${limitMs / 1000} s and was cancelled`);
  }
}

/** A query has more rows than one answer may hold. */
export class TooManyRows extends Error {
  override readonly name = 'TooManyRows';

  constructor(rows: number) {
    super(`The query has more than ${rows} rows; ask for fewer with limit and offset, or a projection with group by`);
  }
}

/** A query needs more memory, or more disk for its sorts, than it may take. */
export class TooMuchMemory extends Error {
  override readonly name = 'TooMuchMemory';

  constructor(megabytes: number) {
    super(`The query needs more than its ${megabytes} MB of memory; ask for fewer columns or rows at once`);
  }
}

/** PostgreSQL's codes for exhausted memory, and for the limit of files of sorts. */
const EXHAUSTED = ['53200', '53400'];

/** An error of a reader, in terms of its limits. */
export function explainReadError(error: unknown, { megabytes }: ReadLimits): unknown {
  return error instanceof DatabaseError && EXHAUSTED.includes(error.code) ? new TooMuchMemory(megabytes) : error;
}

/** The database cannot be reached, or ended while a statement ran. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
}
