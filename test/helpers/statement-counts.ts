import { Client } from 'pg';

/** Statements that a work sent to PostgreSQL. Each is one round trip. */
export interface Statements {
  readonly reads: number;
  readonly writes: number;
  /** Commits of several statements; a write by itself is one, too. */
  readonly transactions: number;
  /** All statements: with what begins and ends transactions, locks and rings. */
  readonly trips: number;
}

type Texts = ReadonlyMap<string, number>;

/** What belongs to connections, and rings, which are gathered for some time: not to one work. */
const APART = /pg_is_in_recovery|pg_stat_statements|clock_timestamp|^NOTIFY|pg_notify/;

/** Counts the statements in a database of tests, of all processes and threads. */
export class StatementCounts {
  readonly #client: Client;

  private constructor(client: Client) {
    this.#client = client;
  }

  /** Call it before others connect: connections from then on are counted. */
  static async open(url: string): Promise<StatementCounts> {
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query('CREATE EXTENSION pg_stat_statements');
    const { rows } = await client.query('SELECT current_database() AS name');
    await client.query(`ALTER DATABASE ${rows[0].name} SET pg_stat_statements.track = 'top'`);
    return new StatementCounts(client);
  }

  /** Returns the statements of `work` by their texts. */
  async during(work: () => Promise<unknown>): Promise<Texts> {
    const before = await this.#read();
    await work();
    const after = await this.#read();
    return new Map(
      [...after].flatMap(([text, calls]) => {
        const more = calls - (before.get(text) ?? 0);
        return more === 0 ? [] : [[text, more]];
      }),
    );
  }

  async close(): Promise<void> {
    await this.#client.end();
  }

  async #read(): Promise<Texts> {
    const { rows } = await this.#client.query<{ text: string; calls: string }>(
      `SELECT query AS text, sum(calls) AS calls FROM pg_stat_statements
       WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) GROUP BY query`,
    );
    return new Map(rows.flatMap(({ text, calls }) => (APART.test(text) ? [] : [[text, Number(calls)]])));
  }
}

/** Sums up statements by their kind. */
export function sumStatements(texts: Texts): Statements {
  const sum = (pattern: RegExp) =>
    [...texts].reduce((total, [text, calls]) => (pattern.test(text.trim()) ? total + calls : total), 0);
  return {
    reads: sum(/^SELECT(?!.*(pg_advisory_xact_lock|nextval))/s),
    writes: sum(/^(WITH joined AS \(|INSERT|UPDATE|DELETE)/),
    transactions: sum(/^COMMIT/),
    trips: sum(/^/),
  };
}
