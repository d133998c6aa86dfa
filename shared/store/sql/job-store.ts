import type { LedgerBodies, LedgerEvent, LedgerKind, NodeRun } from '../ports/job-records.ts';
import type {
  JobStore,
  Ledger,
  LedgerChange,
  LedgerCounter,
  LedgerLease,
  LedgerOptions,
  StopRequest,
} from '../ports/job-store.ts';
import { StoreRefused } from '../ports/store-errors.ts';
import { jsonOfColumn, numberOfColumn, type Row, type SqlConnection, textOfColumn } from './connection.ts';

const LEDGER = 'SELECT * FROM ledgers WHERE kind = ? AND number = ?';

/** One row per ledger, per node of a job and per event. A commit is one transaction. */
export class SqlJobStore implements JobStore {
  readonly #database: SqlConnection;

  constructor(database: SqlConnection) {
    this.#database = database;
  }

  async takeNumbers(counter: LedgerCounter, count: number): Promise<number> {
    const row = await this.#database.get(
      `INSERT INTO counters (name, last) VALUES (?, ?)
         ON CONFLICT (name) DO UPDATE SET last = counters.last + excluded.last RETURNING last`,
      counter,
      count,
    );
    return numberOfColumn(row ?? {}, 'last') - count + 1;
  }

  async create<Kind extends LedgerKind>(
    kind: Kind,
    number: number,
    body: LedgerBodies[Kind],
    { isOpen, expiresAt }: LedgerOptions,
  ): Promise<void> {
    await this.#database.run(
      `INSERT INTO ledgers (kind, number, version, token, body, is_open, expires_at)
         VALUES (?, ?, 1, '', ?, ?, ?) ON CONFLICT DO NOTHING`,
      kind,
      number,
      JSON.stringify(body),
      isOpen ? 1 : 0,
      expiresAt,
    );
  }

  async get<Kind extends LedgerKind>(kind: Kind, number: number): Promise<Ledger<LedgerBodies[Kind]> | null> {
    const row = await this.#database.get(LEDGER, kind, number);
    return row && readLedger(row);
  }

  async list<Kind extends LedgerKind>(
    kind: Kind,
    after: number,
    limit: number,
  ): Promise<readonly Ledger<LedgerBodies[Kind]>[]> {
    const sql = 'SELECT * FROM ledgers WHERE kind = ? AND number > ? ORDER BY number LIMIT ?';
    return (await this.#database.selectAll(sql, kind, after, limit)).map((row) => readLedger<LedgerBodies[Kind]>(row));
  }

  async listOpen(kind: LedgerKind): Promise<readonly number[]> {
    const ledgers = this.#database.dialect.indexed('ledgers', 'ledgers_open');
    const sql = `SELECT number FROM ${ledgers} WHERE kind = ? AND is_open = 1 ORDER BY number`;
    return (await this.#database.selectAll(sql, kind)).map((row) => numberOfColumn(row, 'number'));
  }

  async claim<Kind extends LedgerKind>(
    kind: Kind,
    number: number,
    { owner, until }: LedgerLease,
    now: number,
  ): Promise<Ledger<LedgerBodies[Kind]> | null> {
    const row = await this.#database.get(
      `UPDATE ledgers SET version = version + 1, token = '', lease_owner = ?, lease_until = ?
         WHERE kind = ? AND number = ? AND (lease_until <= ? OR lease_owner = ?) RETURNING *`,
      owner,
      until,
      kind,
      number,
      now,
      owner,
    );
    return row && readLedger(row);
  }

  async commit<Kind extends LedgerKind>(
    kind: Kind,
    number: number,
    version: number,
    change: LedgerChange<LedgerBodies[Kind]>,
    token: string,
  ): Promise<boolean> {
    return this.#database.runInTransaction(async (on) => {
      const row = await on.get(`${LEDGER}${on.dialect.locked}`, kind, number);
      if (row === null || row.version !== version) {
        return row?.version === version + 1 && row.token === token;
      }
      await replaceLedger(on, kind, number, change, token);
      for (const run of change.nodes ?? []) {
        const sql = `INSERT INTO ledger_nodes (number, name, run) VALUES (?, ?, ?)
          ON CONFLICT (number, name) DO UPDATE SET run = excluded.run`;
        await on.run(sql, number, run.name, JSON.stringify(run));
      }
      for (const event of change.events ?? []) {
        const sql = 'INSERT INTO ledger_events (kind, number, id, event) VALUES (?, ?, ?, ?)';
        await on.run(sql, kind, number, event.id, JSON.stringify(event));
      }
      return true;
    });
  }

  async requestStop(number: number, stop: StopRequest): Promise<void> {
    const sql = `UPDATE ledgers SET stop = ?1 WHERE kind = 'job' AND number = ?2 AND (stop IS NULL OR ?3 = 1)`;
    await this.#database.run(sql, stop, number, stop === 'force' ? 1 : 0);
  }

  async remove(kind: LedgerKind, number: number): Promise<void> {
    await this.#database.run('DELETE FROM ledgers WHERE kind = ? AND number = ?', kind, number);
  }

  async getNode(number: number, name: string): Promise<NodeRun | null> {
    const row = await this.#database.get('SELECT run FROM ledger_nodes WHERE number = ? AND name = ?', number, name);
    return row && jsonOfColumn<NodeRun>(row, 'run');
  }

  async listNodes(number: number, after: string, limit: number): Promise<readonly NodeRun[]> {
    const sql = 'SELECT run FROM ledger_nodes WHERE number = ? AND name > ? ORDER BY name LIMIT ?';
    const rows = await this.#database.selectAll(sql, number, after, limit);
    return rows.flatMap((row) => jsonOfColumn<NodeRun>(row, 'run') ?? []);
  }

  async listEvents(kind: LedgerKind, number: number, start: number, limit: number): Promise<readonly LedgerEvent[]> {
    const sql = 'SELECT event FROM ledger_events WHERE kind = ? AND number = ? AND id >= ? ORDER BY id LIMIT ?';
    const rows = await this.#database.selectAll(sql, kind, number, start, limit);
    return rows.flatMap((row) => jsonOfColumn<LedgerEvent>(row, 'event') ?? []);
  }

  async expire(now: number): Promise<readonly number[]> {
    return this.#database.runInTransaction(async (on) => {
      const sql = `SELECT kind, number FROM ledgers WHERE expires_at <= ? ORDER BY kind, number${on.dialect.locked}`;
      const expired = await on.selectAll(sql, now);
      for (const row of expired) {
        const [kind, number] = [textOfColumn(row, 'kind'), numberOfColumn(row, 'number')];
        await on.run('DELETE FROM ledger_events WHERE kind = ? AND number = ?', kind, number);
        if (kind === 'job') await on.run('DELETE FROM ledger_nodes WHERE number = ?', number);
        await on.run('DELETE FROM ledgers WHERE kind = ? AND number = ?', kind, number);
      }
      return expired.map((row) => numberOfColumn(row, 'number'));
    });
  }

  /** Ends all leases: their owners are gone. */
  async releaseAll(): Promise<void> {
    await this.#database.run('UPDATE ledgers SET lease_until = 0 WHERE lease_until > 0');
  }
}

async function replaceLedger(
  on: SqlConnection,
  kind: LedgerKind,
  number: number,
  { body, isOpen, lease }: LedgerChange<unknown>,
  token: string,
): Promise<void> {
  await on.run(
    `UPDATE ledgers SET version = version + 1, token = ?, body = ?, is_open = coalesce(?, is_open),
       lease_owner = coalesce(?, lease_owner), lease_until = coalesce(?, lease_until)
       WHERE kind = ? AND number = ?`,
    token,
    JSON.stringify(body),
    isOpen === undefined ? null : Number(isOpen),
    lease?.owner ?? null,
    lease?.until ?? null,
    kind,
    number,
  );
}

function readLedger<Body>(row: Row): Ledger<Body> {
  const body = jsonOfColumn<Body>(row, 'body');
  if (body === null) throw new StoreRefused('a ledger has no body');
  const stop = row.stop === 'soft' || row.stop === 'force' ? row.stop : null;
  return { number: numberOfColumn(row, 'number'), version: numberOfColumn(row, 'version'), body, stop };
}
