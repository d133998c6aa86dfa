import { Pool, type PoolClient } from 'pg';
import { readCursor, workMemory } from './cursor.ts';
import { inTransaction } from './in-transaction.ts';
import {
  type DatabaseConnection,
  DatabaseError,
  type DatabaseRow,
  type DatabaseTask,
  DatabaseUnavailable,
  type InventoryDatabase,
  type ReadLimits,
  StatementTimedOut,
} from './inventory-database.ts';
import { describePostgresError } from './postgres-error.ts';
import type { Statement } from './sql.ts';

/** PostgreSQL's code for a statement that was cancelled, here always by its timeout. */
const CANCELLED = '57014';
/** A reader that takes no rows for so long makes room for others. */
const PATIENCE_MS = 10_000;
const POSTGRES_PORT = 5432;
const AS_TEXT = { getTypeParser: () => (text: string) => text };

/** Any PostgreSQL from version 12 on, through a pool of connections. */
export class PostgresDatabase implements InventoryDatabase {
  readonly #pool: Pool;

  /**
   * `url` is `postgresql://user:password@host:port/database`. `findPassword` gives the password of
   * each connection in place of the URL's.
   */
  constructor(url: string, connections = 10, findPassword?: () => Promise<string>) {
    const place = findPassword ? { ...partsOf(url), password: findPassword } : { connectionString: url };
    this.#pool = new Pool({ ...place, max: connections, options: '-c timezone=UTC' });
    this.#pool.on('error', () => undefined);
    // The server may end a connection while nobody waits for it; the next statement fails then.
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
  }

  transaction<T>(body: (connection: DatabaseConnection) => Promise<T>): Promise<T> {
    return this.#use((client) => {
      const connection = { run: (statement: Statement) => runStatement(client, statement, 0) };
      return inTransaction(connection, 'begin', () => body(connection));
    });
  }

  /** In this thread: for functions that do nothing else. See `PostgresServer`. */
  perform<Argument, Result>(task: DatabaseTask<Argument, Result>, argument: Argument): Promise<Result> {
    return this.transaction((connection) => task.run(connection, argument));
  }

  async *read(statement: Statement, limits: ReadLimits): AsyncGenerator<readonly DatabaseRow[]> {
    const client = await this.#connect();
    try {
      const connection = { run: (one: Statement) => runStatement(client, one, limits.timeMs) };
      await beginReading(client, limits);
      yield* readCursor(connection, statement, limits);
    } finally {
      await client.query('rollback').then(
        () => client.release(),
        (error) => client.release(error),
      );
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #use<T>(body: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    try {
      const result = await body(client);
      client.release();
      return result;
    } catch (error) {
      client.release(!(error instanceof DatabaseError));
      throw error;
    }
  }

  async #connect(): Promise<PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw new DatabaseUnavailable(`the database cannot be reached: ${String(error)}`);
    }
  }
}

/** A URL with its password, even an empty one, would take the place of another password. */
function partsOf(url: string) {
  const { hostname, port, username, pathname, searchParams } = new URL(url);
  return {
    host: hostname,
    port: Number(port || POSTGRES_PORT),
    user: decodeURIComponent(username),
    database: pathname.slice(1),
    ssl: searchParams.get('sslmode') === 'verify-full',
  };
}

/** In one message. A reader that does not go on must not keep a connection. */
async function beginReading(client: PoolClient, limits: ReadLimits): Promise<void> {
  const time = Math.ceil(limits.timeMs);
  const settings = [
    `statement_timeout = ${time}`,
    `idle_in_transaction_session_timeout = ${Math.min(time, PATIENCE_MS)}`,
    `work_mem = ${workMemory(limits)}`,
  ];
  const text = ['begin read only', ...settings.map((setting) => `set local ${setting}`)].join('; ');
  await runStatement(client, { text, values: [] }, limits.timeMs);
}

async function runStatement(
  client: PoolClient,
  { text, values }: Statement,
  limitMs: number,
): Promise<readonly DatabaseRow[]> {
  try {
    // Without values, the text may have several statements.
    const parameters = values.length === 0 ? {} : { values: [...values] };
    const { rows } = await client.query({ text, ...parameters, rowMode: 'array', types: AS_TEXT });
    return rows as unknown as readonly DatabaseRow[];
  } catch (error) {
    const { message, code } = describePostgresError(error);
    if (code === CANCELLED) throw new StatementTimedOut(limitMs);
    if (code === '' || code.startsWith('57')) throw new DatabaseUnavailable(`the database ended: ${message}`);
    throw new DatabaseError(message, code);
  }
}
