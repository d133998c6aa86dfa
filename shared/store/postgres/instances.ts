import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { DAY_MS } from '../../util/day.ts';
import type { Clock } from '../ports/clock.ts';
import type { ServerState } from '../ports/servers.ts';
import { numberOfColumn, type SqlConnection, textOfColumn } from '../sql/connection.ts';

const BEAT_MS = 5_000;
/** An instance that was not seen for so long is dead. */
export const DEAD_AFTER_MS = 20_000;
/** Names of dead instances are kept for so long, for `status`. */
const KEPT_MS = DAY_MS;

/** A server's description of itself. */
interface InstanceDetail {
  readonly host: string;
  readonly release: string;
  readonly process: number;
  /** The version of the tables that it knows; absent: 1. */
  readonly tables?: number;
}

/** A name that no other server has. */
export function nameInstance(): string {
  return `${hostname().toLowerCase()}-${randomUUID().slice(0, 8)}`;
}

/** Lists all servers, the oldest first, with those that died within a day. */
export async function listInstances(
  database: SqlConnection,
  clock: Pick<Clock, 'now'>,
  leaders: Readonly<Record<string, string>>,
): Promise<readonly ServerState[]> {
  const rows = await database.selectAll('SELECT * FROM instances ORDER BY started_at, name');
  const now = clock.now();
  return rows.map((row) => {
    const [name, seenAt] = [textOfColumn(row, 'name'), numberOfColumn(row, 'seen_at')];
    const works = Object.entries(leaders).filter(([, leader]) => leader === name);
    // Written by `beat`.
    const { tables: _, ...detail }: InstanceDetail = JSON.parse(textOfColumn(row, 'detail'));
    return {
      name,
      ...detail,
      startedAt: numberOfColumn(row, 'started_at'),
      seenAt,
      isAlive: now - seenAt < DEAD_AFTER_MS,
      leads: works.map(([work]) => work).sort(),
    };
  });
}

interface HeartbeatOptions {
  readonly name: string;
  readonly detail: InstanceDetail;
  readonly reportFault: (error: unknown) => void;
  /** Jobs of dead servers are visible again. */
  readonly onFreed?: () => void;
}

/**
 * Shows that this server lives, and frees what dead ones have received: their jobs are visible at
 * once. A server that could not be seen for a time goes on: its receipts are void, as after any
 * visibility time-out.
 */
export class Heartbeat {
  readonly #database: SqlConnection;
  readonly #clock: Clock;
  readonly #options: HeartbeatOptions;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #servers = 1;

  private constructor(database: SqlConnection, clock: Clock, options: HeartbeatOptions) {
    this.#database = database;
    this.#clock = clock;
    this.#options = options;
    this.#running = this.#keepBeating();
  }

  /** Returns after the first beat. */
  static async start(database: SqlConnection, clock: Clock, options: HeartbeatOptions): Promise<Heartbeat> {
    await beat(database, clock.now(), options);
    await database.run('DELETE FROM instances WHERE seen_at < ?', clock.now() - KEPT_MS);
    return new Heartbeat(database, clock, options);
  }

  /** The number of servers that lived at the last beat. */
  get servers(): number {
    return this.#servers;
  }

  /** Leaves no trace of an instance that ended in order. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    const { name, reportFault } = this.#options;
    await this.#database.run('DELETE FROM instances WHERE name = ?', name).catch(reportFault);
    await freeDead(this.#database, this.#clock.now()).catch(reportFault);
  }

  async #keepBeating(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#clock.sleep(BEAT_MS, signal);
      if (signal.aborted) return;
      await this.beatOnce().catch(this.#options.reportFault);
    }
  }

  /** Shows that this server lives, and frees what dead ones have. */
  async beatOnce(): Promise<void> {
    this.#servers = await beat(this.#database, this.#clock.now(), this.#options);
    if ((await freeDead(this.#database, this.#clock.now())) > 0) this.#options.onFreed?.();
  }
}

/** Returns the number of servers that live. */
async function beat(database: SqlConnection, now: number, { name, detail }: HeartbeatOptions): Promise<number> {
  const row = await database.get(
    `INSERT INTO instances (name, started_at, seen_at, detail) VALUES (?1, ?2, ?2, ?3)
     ON CONFLICT (name) DO UPDATE SET seen_at = excluded.seen_at
     RETURNING (SELECT 1 + count(*) FROM instances AS others WHERE others.seen_at > ?4 AND others.name <> ?1) AS servers`,
    name,
    now,
    JSON.stringify(detail),
    now - DEAD_AFTER_MS,
  );
  return numberOfColumn(row ?? {}, 'servers');
}

/** Frees the jobs of dead instances, also of those whose row is gone. Returns how many. */
async function freeDead(database: SqlConnection, now: number): Promise<number> {
  return database.run(
    `UPDATE jobs SET visible_at = ?, receipt = NULL, receiver = NULL WHERE receipt IS NOT NULL AND NOT EXISTS
       (SELECT 1 FROM instances WHERE name = split_part(coalesce(receiver, ''), '/', 1) AND seen_at > ?)`,
    now,
    now - DEAD_AFTER_MS,
  );
}
