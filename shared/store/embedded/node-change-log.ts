import { DAY_MS } from '../../util/day.ts';
import type { Clock } from '../ports/clock.ts';
import type { ChangePlace, ChangeTurn, NodeChange, NodeChangeDetail, NodeChangeLog } from '../ports/node-changes.ts';
import { StoreRefused } from '../ports/store-errors.ts';
import { type EmbeddedDatabase, jsonOfColumn, numberOfColumn, type Row, textOfColumn, textOrNull } from './database.ts';

/** Retention of changes for consumers that do not read them. */
interface ChangeRetention {
  readonly changes: number;
  readonly ms: number;
  /** A consumer that missed changes and was away for this time is forgotten. */
  readonly consumerMs: number;
}

const RETENTION: ChangeRetention = { changes: 1_000_000, ms: 3 * DAY_MS, consumerMs: 7 * DAY_MS };
/** Changes between two deletions of old ones. */
const TRIM_EVERY = 1000;

/** One row per change. Positions have no gaps: a missing row was deleted. */
export class EmbeddedNodeChangeLog implements NodeChangeLog {
  readonly #database: EmbeddedDatabase;
  readonly #clock: Clock;
  readonly #retention: ChangeRetention;

  constructor(database: EmbeddedDatabase, clock: Clock, retention: ChangeRetention = RETENTION) {
    this.#database = database;
    this.#clock = clock;
    this.#retention = retention;
  }

  async follow(consumer: string): Promise<void> {
    this.#database.run(
      `INSERT INTO change_consumers (consumer, position, pass, seen_at) VALUES (?1, ?2, '', ?3)
       ON CONFLICT DO UPDATE SET seen_at = excluded.seen_at`,
      consumer,
      this.#lastPosition(),
      this.#clock.now(),
    );
  }

  async read(consumer: string, limit: number): Promise<ChangeTurn> {
    // Read first: a change that is written meanwhile is in the next turn at the latest.
    const last = this.#lastPosition();
    const sql = 'SELECT position, pass FROM change_consumers WHERE consumer = ?';
    const row = this.#database.get(sql, consumer);
    if (row === null) return { changes: [], pass: '', position: last };
    const position = numberOfColumn(row, 'position');
    const rows = this.#database.selectAll(
      'SELECT position, certname, at, detail FROM node_changes WHERE position > ? ORDER BY position LIMIT ?',
      position,
      limit,
    );
    const [first, newest] = [rows[0], rows.at(-1)];
    const hasMissed = first === undefined ? last > position : numberOfColumn(first, 'position') > position + 1;
    return {
      changes: rows.map(toChange),
      pass: hasMissed ? '' : textOrNull(row.pass),
      position: newest === undefined ? Math.max(position, last) : numberOfColumn(newest, 'position'),
    };
  }

  async advance(consumer: string, { position, pass }: ChangePlace): Promise<void> {
    this.#database.runInTransaction(() => {
      this.#database.run(
        'UPDATE change_consumers SET position = ?, pass = ?, seen_at = ? WHERE consumer = ?',
        position,
        pass,
        this.#clock.now(),
        consumer,
      );
      this.#deleteHandled();
    });
  }

  async forget(consumer: string): Promise<void> {
    this.#database.runInTransaction(() => {
      this.#database.run('DELETE FROM change_consumers WHERE consumer = ?', consumer);
      this.#deleteHandled();
    });
  }

  /** Whether changes have to be written. */
  hasConsumers(): boolean {
    return this.#database.get('SELECT 1 FROM change_consumers LIMIT 1') !== null;
  }

  /** The time of a change that is made now. */
  now(): number {
    return this.#clock.now();
  }

  /** Writes changes; call it in the transaction that makes them. */
  append(changes: readonly NodeChange[]): void {
    if (changes.length === 0 || !this.hasConsumers()) return;
    for (const { certname, at, ...detail } of changes) {
      const sql = 'INSERT INTO node_changes (certname, at, detail) VALUES (?, ?, ?)';
      this.#database.run(sql, certname, at, JSON.stringify(detail));
      if (this.#lastPosition() % TRIM_EVERY === 0) this.#trim();
    }
  }

  #lastPosition(): number {
    const row = this.#database.get("SELECT seq FROM sqlite_sequence WHERE name = 'node_changes'");
    return row ? numberOfColumn(row, 'seq') : 0;
  }

  #deleteHandled(): void {
    this.#database.run(
      `DELETE FROM node_changes
       WHERE position <= coalesce((SELECT min(position) FROM change_consumers), ${Number.MAX_SAFE_INTEGER})`,
    );
  }

  /** Positions follow time, so the oldest that is kept by its time ends the deletion. */
  #trim(): void {
    const now = this.#clock.now();
    this.#database.run('DELETE FROM node_changes WHERE position <= ?', this.#lastPosition() - this.#retention.changes);
    this.#database.run(
      `DELETE FROM node_changes WHERE position <
         coalesce((SELECT position FROM node_changes WHERE at >= ? ORDER BY position LIMIT 1), 0)`,
      now - this.#retention.ms,
    );
    this.#database.run(
      `DELETE FROM change_consumers WHERE seen_at < ?
         AND position + 1 < (SELECT min(position) FROM node_changes)`,
      now - this.#retention.consumerMs,
    );
    this.#deleteHandled();
  }
}

function toChange(row: Row): NodeChange {
  const detail = jsonOfColumn<NodeChangeDetail>(row, 'detail');
  if (detail === null) throw new StoreRefused('a change of a node has no detail');
  return { certname: textOfColumn(row, 'certname'), at: numberOfColumn(row, 'at'), ...detail };
}
