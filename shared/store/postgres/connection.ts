import { Client, type ClientConfig, Pool, type PoolClient, type QueryResult } from 'pg';
import type { Row, SqlConnection, SqlValue } from '../sql/connection.ts';
import { POSTGRES } from '../sql/dialect.ts';
import { isConnectionLost, isRepeatable, StandbyError, translatePostgresError } from './errors.ts';
import type { DatabasePlace } from './place.ts';

/** Bounds of waits, in milliseconds. A silent host must not hold a request. */
const CONNECT_MS = 5_000;
/** Ends in the server before the client gives up. */
const STATEMENT_MS = 15_000;
const QUERY_MS = 20_000;
const IDLE_IN_TRANSACTION_MS = 20_000;
/** Connections that nobody used for so long are closed. */
const IDLE_MS = 60_000;
/** Runs of a transaction that PostgreSQL ends for another one. */
const MOST_RUNS = 4;
/** Texts of statements that are kept translated. */
const MOST_STATEMENTS = 1000;

/** Identifiers of PostgreSQL's types. */
const [BOOL, BYTEA, INT8, INT2, INT4, OID, FLOAT8, NUMERIC] = [16, 17, 20, 21, 23, 26, 701, 1700];
const NUMBERS = new Set([INT8, INT2, INT4, OID, FLOAT8, NUMERIC]);
const TYPES = {
  getTypeParser: (type: number) => {
    if (NUMBERS.has(type)) return Number;
    if (type === BOOL) return (text: string) => (text === 't' ? 1 : 0);
    if (type === BYTEA) return (text: string) => Buffer.from(text.slice(2), 'hex');
    return (text: string) => text;
  },
};

interface PoolLimits {
  /** Most connections at a time. */
  readonly connections: number;
  /** Shown in `pg_stat_activity`. */
  readonly name: string;
  /** Longest waits for a connection, and for the answer to a statement, in milliseconds. */
  readonly connectMs?: number;
  readonly queryMs?: number;
}

/**
 * A PostgreSQL database through a pool of connections, each to the server that takes writes. What
 * it throws is never repeated inside but for a transaction that PostgreSQL rolled back: whether a
 * lost connection committed is unknown.
 */
export class PostgresConnection implements SqlConnection {
  readonly dialect = POSTGRES;
  readonly #place: DatabasePlace;
  readonly #pool: Pool;
  /** Connections that were found to be to a server that takes writes. */
  readonly #checked = new WeakSet<PoolClient>();
  /** The place in the list of hosts of the next connection. */
  #host = 0;
  /** The highest timeline that was seen: that of a former primary is lower. */
  #timeline = 0;

  constructor(place: DatabasePlace, limits: PoolLimits) {
    const { connections, name, connectMs = CONNECT_MS, queryMs = QUERY_MS } = limits;
    this.#place = place;
    const nextHost = () => place.hosts[this.#host % place.hosts.length];
    class HostClient extends Client {
      constructor(config: ClientConfig = {}) {
        super({ ...config, ...nextHost() });
      }
    }
    this.#pool = new Pool({
      Client: HostClient,
      max: connections,
      user: place.user === '' ? undefined : place.user,
      password: place.password,
      database: place.database,
      ssl: place.tls,
      application_name: name,
      connectionTimeoutMillis: connectMs,
      idleTimeoutMillis: IDLE_MS,
      query_timeout: queryMs,
      statement_timeout: STATEMENT_MS,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      keepAlive: true,
    });
    this.#pool.on('error', () => undefined);
    // The server may end a connection while nobody waits for it: the next statement fails then.
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
  }

  /** The database without a password, for messages. */
  get shown(): string {
    return this.#place.shown;
  }

  /** The connections that are open, those of them that nobody uses, and calls that wait for one. */
  get use(): { readonly open: number; readonly idle: number; readonly waiting: number } {
    return { open: this.#pool.totalCount, idle: this.#pool.idleCount, waiting: this.#pool.waitingCount };
  }

  run(sql: string, ...parameters: readonly SqlValue[]): Promise<number> {
    return this.#repeat((client) => countChanged(client, sql, parameters));
  }

  get(sql: string, ...parameters: readonly SqlValue[]): Promise<Row | null> {
    return this.#repeat(async (client) => (await selectRows(client, sql, parameters))[0] ?? null);
  }

  selectAll(sql: string, ...parameters: readonly SqlValue[]): Promise<readonly Row[]> {
    return this.#repeat((client) => selectRows(client, sql, parameters));
  }

  runInTransaction<T>(work: (transaction: SqlConnection) => Promise<T>): Promise<T> {
    return this.#repeat(async (client) => {
      await query(client, 'BEGIN', []);
      try {
        const result = await work(transactionOf(client));
        await query(client, 'COMMIT', []);
        return result;
      } catch (error) {
        if (!isConnectionLost(error)) await query(client, 'ROLLBACK', []);
        throw error;
      }
    });
  }

  /** PostgreSQL's data checksums find damaged pages: nothing is dropped here. */
  runWithoutDamaged<T>(_: string, work: (transaction: SqlConnection) => Promise<T>): Promise<T> {
    return this.runInTransaction(work);
  }

  mendAndRun<T>(_: string, work: (on: SqlConnection) => Promise<T>): Promise<T> {
    return work(this);
  }

  /** A connection of its own, for whoever keeps it; release it with `release`. */
  async open(): Promise<PoolClient> {
    try {
      return await this.#connect();
    } catch (error) {
      throw translatePostgresError(this.shown, error);
    }
  }

  /** Waits for the statements in progress. */
  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #repeat<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    for (let run = 1; ; run += 1) {
      try {
        return await this.#use(work);
      } catch (error) {
        if (!isRepeatable(error) || run >= MOST_RUNS) throw translatePostgresError(this.shown, error);
      }
    }
  }

  async #use<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    let isUsable = false;
    try {
      const result = await work(client);
      isUsable = true;
      return result;
    } catch (error) {
      isUsable = !isConnectionLost(error);
      throw error;
    } finally {
      client.release(!isUsable);
    }
  }

  /** Looks once at each host. */
  async #connect(): Promise<PoolClient> {
    let last: unknown = null;
    for (const _ of this.#place.hosts) {
      try {
        const client = await this.#pool.connect();
        if (!this.#checked.has(client)) await this.#check(client);
        return client;
      } catch (error) {
        last = error;
        this.#host += 1;
      }
    }
    throw last;
  }

  /** Refuses a standby, and a former primary that does not know that it is none any more. */
  async #check(client: PoolClient): Promise<void> {
    try {
      const sql = `SELECT pg_is_in_recovery() AS is_standby,
        CASE WHEN has_function_privilege('pg_control_checkpoint()', 'EXECUTE')
          THEN (SELECT timeline_id FROM pg_control_checkpoint()) ELSE 0 END AS timeline`;
      const [row] = await selectRows(client, sql, []);
      if (row?.is_standby === 1) throw new StandbyError('the server is a standby, which takes no writes');
      const timeline = Number(row?.timeline);
      if (timeline !== 0 && timeline < this.#timeline) {
        throw new StandbyError(`the server is on timeline ${timeline}, and the primary is on ${this.#timeline}`);
      }
      this.#timeline = Math.max(this.#timeline, timeline);
      this.#checked.add(client);
    } catch (error) {
      client.release(true);
      throw error;
    }
  }
}

/** The connection of a transaction in progress. */
function transactionOf(client: PoolClient): SqlConnection {
  const transaction: SqlConnection = {
    dialect: POSTGRES,
    run: (sql, ...parameters) => countChanged(client, sql, parameters),
    get: async (sql, ...parameters) => (await selectRows(client, sql, parameters))[0] ?? null,
    selectAll: (sql, ...parameters) => selectRows(client, sql, parameters),
    // The transaction as a whole is undone when its work throws.
    runInTransaction: (work) => work(transaction),
    runWithoutDamaged: (_, work) => work(transaction),
    mendAndRun: (_, work) => work(transaction),
  };
  return transaction;
}

async function countChanged(client: PoolClient, sql: string, parameters: readonly SqlValue[]): Promise<number> {
  return (await query(client, sql, parameters)).rowCount ?? 0;
}

async function selectRows(client: PoolClient, sql: string, parameters: readonly SqlValue[]): Promise<readonly Row[]> {
  return (await query(client, sql, parameters)).rows;
}

function query(client: PoolClient, sql: string, values: readonly SqlValue[]): Promise<QueryResult<Row>> {
  return client.query<Row>({ text: numberParameters(sql), values: values.map(toParameter), types: TYPES });
}

function toParameter(value: SqlValue): SqlValue {
  return value instanceof Uint8Array && !Buffer.isBuffer(value) ? Buffer.from(value) : value;
}

const numbered = new Map<string, string>();

/** Replaces `?` and `?1` by `$1`: no statement has a question mark in a text. */
export function numberParameters(sql: string): string {
  const known = numbered.get(sql);
  if (known !== undefined) return known;
  let last = 0;
  const text = sql.replaceAll(/\?(\d*)/g, (_, number: string) => {
    last = number === '' ? last + 1 : Number(number);
    return `$${last}`;
  });
  if (numbered.size < MOST_STATEMENTS) numbered.set(sql, text);
  return text;
}
