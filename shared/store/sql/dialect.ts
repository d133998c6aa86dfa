/** The words in which SQLite and PostgreSQL differ. Each is a piece of SQL. */
export interface SqlDialect {
  /** A table as it is, without the check of its rows' digests. */
  unchecked(table: string): string;
  /** A table in the order of this index only. */
  indexed(table: string, index: string): string;
  /** The texts of a JSON array, as a query of one column. */
  texts(parameter: string): string;
  /** The integers of a JSON array, as a query of one column. */
  integers(parameter: string): string;
  /** The members of a JSON object as a relation with the columns `key` and `value` (text). */
  members(json: string): string;
  /** Two writes as one statement, whose count is that of the second; null: it takes two. */
  readonly joinWrites: ((first: string, second: string) => string) | null;
  /** The greater of two numbers. */
  greatest(one: string, other: string): string;
  /** A join whose left side is read first. */
  readonly ordered: string;
  /** At the end of a query in a transaction: the rows stay as they are until it ends. */
  readonly locked: string;
  /** Like `locked`, and passes rows that another transaction has locked. */
  readonly unlocked: string;
  /**
   * A statement that makes other transactions with one of these names (a JSON array) wait until
   * this one ends; null where one transaction is in progress at a time.
   */
  readonly lockNames: string | null;
  /**
   * A condition that is true. Until its transaction ends, it is among the `markedTransactions` of
   * the table.
   */
  marked(table: string): string;
  /**
   * A query of the `id` of each transaction in progress that read the table (a parameter) with the
   * condition `marked`; null where one is in progress at a time.
   */
  readonly markedTransactions: string | null;
  /** A query after rows were copied with their numbers, so that new ones get others; null: none. */
  continueIds(table: string, column: string): string | null;
  /** Whether each query is a round trip over a network. */
  readonly isDistant: boolean;
  /** Positions in the log of changes are `written` with a change, or `given` when it is read. */
  readonly positions: 'written' | 'given';
}

/** Transactions that write are made one after the other. */
export const SQLITE: SqlDialect = {
  unchecked: (table) => `main.${table}`,
  indexed: (table, index) => `main.${table} INDEXED BY ${index}`,
  texts: (parameter) => `SELECT value FROM json_each(${parameter})`,
  integers: (parameter) => `SELECT value FROM json_each(${parameter})`,
  members: (json) => `json_each(${json})`,
  joinWrites: null,
  greatest: (one, other) => `max(${one}, ${other})`,
  ordered: 'CROSS JOIN',
  locked: '',
  unlocked: '',
  lockNames: null,
  marked: () => 'true',
  markedTransactions: null,
  continueIds: () => null,
  isDistant: false,
  positions: 'written',
};

/** Transactions run side by side, each statement sees what was committed before it. */
export const POSTGRES: SqlDialect = {
  unchecked: (table) => table,
  indexed: (table) => table,
  texts: (parameter) => `SELECT value FROM json_array_elements_text(${parameter}::json) AS list (value)`,
  integers: (parameter) => `SELECT value::bigint FROM json_array_elements_text(${parameter}::json) AS list (value)`,
  members: (json) => `json_each_text(${json}::json)`,
  joinWrites: (first, second) => `WITH joined AS (${first}) ${second}`,
  greatest: (one, other) => `greatest(${one}, ${other})`,
  ordered: 'JOIN',
  locked: ' FOR UPDATE',
  unlocked: ' FOR UPDATE SKIP LOCKED',
  lockNames: `SELECT pg_advisory_xact_lock(number) FROM (
    SELECT DISTINCT hashtextextended(value, 0) AS number FROM json_array_elements_text(?::json) AS list (value)
    ORDER BY 1) AS names`,
  // The lock of the table that this takes delays nobody, and programs that only read take another.
  marked: (table) => `NOT EXISTS (SELECT 1 FROM ${table} WHERE false FOR KEY SHARE)`,
  markedTransactions: `SELECT virtualtransaction AS id FROM pg_locks
    WHERE locktype = 'relation' AND mode = 'RowShareLock' AND relation = CAST(? AS text)::regclass
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  continueIds: (table, column) =>
    `SELECT setval(pg_get_serial_sequence('${table}', '${column}'), coalesce(max(${column}), 0) + 1, false) AS next
       FROM ${table}`,
  isDistant: true,
  positions: 'given',
};
