import { DAY_MS } from '../../util/day.ts';
import type { Clock } from '../ports/clock.ts';
import type { ChangePlace, ChangeTurn, NodeChange, NodeChangeDetail, NodeChangeLog } from '../ports/node-changes.ts';
import { StoreRefused, StoreUnavailable } from '../ports/store-errors.ts';
import {
  jsonOfColumn,
  numberOfColumn,
  type Row,
  type SqlConnection,
  type SqlValue,
  textOfColumn,
  textOrNull,
} from './connection.ts';
import type { SqlDialect } from './dialect.ts';

/** Retention of changes for consumers that do not read them. */
interface ChangeRetention {
  readonly changes: number;
  readonly ms: number;
  /** A consumer that missed changes and was away for this time is forgotten. */
  readonly consumerMs: number;
}

const RETENTION: ChangeRetention = { changes: 1_000_000, ms: 3 * DAY_MS, consumerMs: 7 * DAY_MS };
const CONSUMERS = 'change_consumers';
/** The longest wait for transactions that change nodes, and the pause between two looks. */
const MOST_WAIT_MS = 10_000;
const POLL_MS = 20;
/** Changes between two deletions of old ones. */
const TRIM_EVERY = 1000;

/** Appends a change if anybody reads changes: see `follow`. */
function appendChange({ marked }: SqlDialect): string {
  return `INSERT INTO node_changes (certname, at, detail)
    SELECT ?, ?, ? WHERE EXISTS (SELECT 1 FROM ${CONSUMERS} WHERE ${marked(CONSUMERS)})`;
}

function valuesOf({ certname, at, ...detail }: NodeChange): readonly SqlValue[] {
  return [certname, at, JSON.stringify(detail)];
}

/** The last position, and whether changes have none yet. */
const SEEN = {
  written: "(SELECT seq FROM sqlite_sequence WHERE name = 'node_changes') AS last, 0 AS is_fresh",
  given: `(SELECT last FROM counters WHERE name = 'node_changes') AS last,
    EXISTS (SELECT 1 FROM node_changes WHERE position IS NULL) AS is_fresh`,
} as const;

/** One row per change. Positions have no gaps: a missing row was deleted. */
export class SqlNodeChangeLog implements NodeChangeLog {
  readonly #database: SqlConnection;
  readonly #clock: Clock;
  readonly #retention: ChangeRetention;
  #written = 0;

  constructor(database: SqlConnection, clock: Clock, retention: ChangeRetention = RETENTION) {
    this.#database = database;
    this.#clock = clock;
    this.#retention = retention;
  }

  async follow(consumer: string): Promise<void> {
    const row = await this.#database.runInTransaction(async (on) =>
      on.get(
        `INSERT INTO change_consumers (consumer, position, pass, seen_at) VALUES (?1, ?2, '', ?3)
         ON CONFLICT (consumer) DO UPDATE SET seen_at = excluded.seen_at RETURNING pass`,
        consumer,
        await givePositions(on),
        this.#clock.now(),
      ),
    );
    if (row?.pass === '') await this.#waitForWriters();
  }

  /**
   * Waits for the transactions that perhaps looked for consumers before this one was there: they
   * write no changes, so that its pass over the nodes has to begin after them.
   */
  async #waitForWriters(): Promise<void> {
    const end = this.#clock.now() + MOST_WAIT_MS;
    let left = await this.#listWriters();
    while (left.size > 0) {
      if (this.#clock.now() >= end) throw new StoreUnavailable('transactions that change nodes take too long');
      await this.#clock.sleep(POLL_MS);
      left = left.intersection(await this.#listWriters());
    }
  }

  async #listWriters(): Promise<ReadonlySet<string>> {
    const { markedTransactions } = this.#database.dialect;
    const rows = markedTransactions === null ? [] : await this.#database.selectAll(markedTransactions, CONSUMERS);
    return new Set(rows.map((row) => textOfColumn(row, 'id')));
  }

  async read(consumer: string, limit: number): Promise<ChangeTurn> {
    // One query: a change that is written meanwhile is in the next turn at the latest.
    const place = `SELECT position, pass, ${SEEN[this.#database.dialect.positions]} FROM change_consumers WHERE consumer = ?`;
    const row = await this.#database.get(place, consumer);
    const last =
      row === null || row.is_fresh === 1
        ? await this.#lastPosition()
        : row.last === null
          ? 0
          : numberOfColumn(row, 'last');
    if (row === null) return { changes: [], pass: '', position: last };
    const position = numberOfColumn(row, 'position');
    if (position >= last) return { changes: [], pass: textOrNull(row.pass), position };
    const rows = await this.#database.selectAll(
      'SELECT position, certname, at, detail FROM node_changes WHERE position > ? ORDER BY position LIMIT ?',
      position,
      limit,
    );
    const [first, newest] = [rows[0], rows.at(-1)];
    const hasMissed = first === undefined || numberOfColumn(first, 'position') > position + 1;
    return {
      changes: rows.map(toChange),
      pass: hasMissed ? '' : textOrNull(row.pass),
      position: newest === undefined ? last : numberOfColumn(newest, 'position'),
    };
  }

  #lastPosition(): Promise<number> {
    const { dialect } = this.#database;
    // A connection of SQLite may only read.
    return dialect.positions === 'written'
      ? givePositions(this.#database)
      : this.#database.runInTransaction(givePositions);
  }

  async advance(consumer: string, { position, pass }: ChangePlace): Promise<void> {
    await this.#database.runInTransaction(async (on) => {
      await on.run(
        'UPDATE change_consumers SET position = ?, pass = ?, seen_at = ? WHERE consumer = ?',
        position,
        pass,
        this.#clock.now(),
        consumer,
      );
      await deleteHandled(on);
    });
  }

  async forget(consumer: string): Promise<void> {
    await this.#database.runInTransaction(async (on) => {
      await on.run('DELETE FROM change_consumers WHERE consumer = ?', consumer);
      await deleteHandled(on);
    });
  }

  /** The time of a change that is made now. */
  now(): number {
    return this.#clock.now();
  }

  /** Writes changes in the transaction that makes them, if anybody reads changes. */
  async append(on: SqlConnection, changes: readonly NodeChange[]): Promise<void> {
    for (const change of changes)
      await this.#trimAfter(on, await on.run(appendChange(on.dialect), ...valuesOf(change)));
  }

  /** Runs a statement that writes, and appends the change that it makes. */
  async runWith(change: NodeChange, sql: string, ...parameters: readonly SqlValue[]): Promise<void> {
    const { joinWrites } = this.#database.dialect;
    if (joinWrites === null) {
      await this.#database.runInTransaction(async (on) => {
        await on.run(sql, ...parameters);
        await this.append(on, [change]);
      });
      return;
    }
    const written = await this.#database.run(
      joinWrites(sql, appendChange(this.#database.dialect)),
      ...parameters,
      ...valuesOf(change),
    );
    await this.#trimAfter(this.#database, written);
  }

  async #trimAfter(on: SqlConnection, written: number): Promise<void> {
    this.#written += written;
    if (written > 0 && this.#written % TRIM_EVERY === 0) await this.#trim(on);
  }

  /** Positions follow time, so the oldest that is kept by its time ends the deletion. */
  async #trim(on: SqlConnection): Promise<void> {
    const now = this.#clock.now();
    const newest = 'coalesce((SELECT max(position) FROM node_changes), 0)';
    await on.run(`DELETE FROM node_changes WHERE position <= ${newest} - ?`, this.#retention.changes);
    await on.run(
      `DELETE FROM node_changes WHERE position <
         coalesce((SELECT position FROM node_changes WHERE at >= ? AND position IS NOT NULL ORDER BY position LIMIT 1), 0)`,
      now - this.#retention.ms,
    );
    await on.run(
      `DELETE FROM change_consumers WHERE seen_at < ?
         AND position + 1 < (SELECT min(position) FROM node_changes)`,
      now - this.#retention.consumerMs,
    );
    await deleteHandled(on);
  }
}

async function deleteHandled(on: SqlConnection): Promise<void> {
  await on.run(
    `DELETE FROM node_changes
     WHERE position <= coalesce((SELECT min(position) FROM change_consumers), ${Number.MAX_SAFE_INTEGER})`,
  );
}

/**
 * Returns the last position. Where transactions commit out of the order of their ids, changes that
 * were committed get the next positions first, in the order of their ids: those of a node were
 * written one after the other.
 */
async function givePositions(on: SqlConnection): Promise<number> {
  if (on.dialect.positions === 'written') {
    const row = await on.get("SELECT seq FROM sqlite_sequence WHERE name = 'node_changes'");
    return row ? numberOfColumn(row, 'seq') : 0;
  }
  const head = "SELECT last FROM counters WHERE name = 'node_changes'";
  if ((await on.get('SELECT 1 AS one FROM node_changes WHERE position IS NULL LIMIT 1')) === null) {
    return numberOfColumn((await on.get(head)) ?? { last: 0 }, 'last');
  }
  await on.run("INSERT INTO counters (name, last) VALUES ('node_changes', 0) ON CONFLICT DO NOTHING");
  const last = numberOfColumn((await on.get(`${head}${on.dialect.locked}`)) ?? {}, 'last');
  const given = await on.run(
    `UPDATE node_changes SET position = ? + fresh.place FROM (
       SELECT id, row_number() OVER (ORDER BY id) AS place FROM node_changes WHERE position IS NULL) AS fresh
     WHERE node_changes.id = fresh.id`,
    last,
  );
  await on.run("UPDATE counters SET last = ? WHERE name = 'node_changes'", last + given);
  return last + given;
}

function toChange(row: Row): NodeChange {
  const detail = jsonOfColumn<NodeChangeDetail>(row, 'detail');
  if (detail === null) throw new StoreRefused('a change of a node has no detail');
  return { certname: textOfColumn(row, 'certname'), at: numberOfColumn(row, 'at'), ...detail };
}
