import type { PoolClient } from 'pg';
import type { Doorbell } from '../sql/compile-queue.ts';
import { systemClock } from '../system-clock.ts';
import type { PostgresConnection } from './connection.ts';

const CHANNEL = 'understudy_jobs';
/** Rings within this time are one: each costs a commit, though without a sync. */
const GATHER_MS = 50;
/** Pause before a lost connection is opened again: meanwhile those who wait look by themselves. */
const AGAIN_MS = 2000;

/**
 * A doorbell through the database (LISTEN and NOTIFY). A ring is sent apart from the transaction
 * that it is for. Nothing depends on it: PgBouncer in transaction mode loses all rings.
 */
export class Listener implements Doorbell {
  readonly #database: PostgresConnection;
  readonly #stopping = new AbortController();
  #running: Promise<void> | null = null;
  #waiting = new Set<() => void>();
  #isRinging = false;

  constructor(database: PostgresConnection) {
    this.#database = database;
  }

  ring(): void {
    this.#wakeAll();
    if (this.#isRinging) return;
    this.#isRinging = true;
    setTimeout(() => {
      this.#isRinging = false;
      if (this.#stopping.signal.aborted) return;
      void this.#database.run(`NOTIFY ${CHANNEL}`).catch(() => {});
    }, GATHER_MS).unref();
  }

  /** The first who waits opens the connection that listens. */
  async wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
    this.#running ??= this.#keepListening();
    const waking = new AbortController();
    const wake = () => waking.abort();
    this.#waiting.add(wake);
    await systemClock.sleep(milliseconds, signal ? AbortSignal.any([signal, waking.signal]) : waking.signal);
    this.#waiting.delete(wake);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  #wakeAll(): void {
    const waiting = this.#waiting;
    this.#waiting = new Set();
    for (const wake of waiting) wake();
  }

  async #keepListening(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#listen(signal).catch(() => {});
      await systemClock.sleep(AGAIN_MS, signal);
    }
  }

  /** Returns when the connection is lost, or the signal aborts. */
  async #listen(signal: AbortSignal): Promise<void> {
    const client = await this.#database.open();
    try {
      client.on('notification', this.#onNotification);
      await client.query(`LISTEN ${CHANNEL}`);
      await untilEnd(client, signal);
    } finally {
      client.off('notification', this.#onNotification);
      client.release(true);
    }
  }

  readonly #onNotification = () => this.#wakeAll();
}

function untilEnd(client: PoolClient, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
    client.once('error', () => resolve());
    client.once('end', () => resolve());
  });
}
