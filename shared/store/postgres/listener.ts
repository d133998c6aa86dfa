import type { Notification, PoolClient } from 'pg';
import { type Doorbell, JOBS } from '../ports/doorbell.ts';
import { systemClock } from '../system-clock.ts';
import type { PostgresConnection } from './connection.ts';

const CHANNEL = 'understudy_jobs';
/** Rings within this time are one: each costs a commit, though without a sync. */
const GATHER_MS = 50;
/** Pause before a lost connection is opened again: meanwhile those who wait look by themselves. */
const AGAIN_MS = 2000;
/** A ring without a name, as servers of older releases send it, is one for jobs. */
const PROBE = 'probe';

/**
 * A doorbell through the database (LISTEN and NOTIFY). A ring is sent apart from the transaction
 * that it is for. Nothing depends on it: PgBouncer in transaction mode loses all rings. A
 * connection that listens sends itself one, to find that out.
 */
export class Listener implements Doorbell {
  readonly #database: PostgresConnection;
  readonly #stopping = new AbortController();
  #running: Promise<void> | null = null;
  readonly #waiting = new Map<string, Set<() => void>>();
  #ringing = new Set<string>();
  #isHeard = false;

  constructor(database: PostgresConnection) {
    this.#database = database;
  }

  get isHeard(): boolean {
    return this.#isHeard;
  }

  ring(name = JOBS): void {
    this.#wake(name);
    const isPlanned = this.#ringing.size > 0;
    this.#ringing.add(name);
    if (!isPlanned) setTimeout(() => this.#sendRings(), GATHER_MS).unref();
  }

  /** The first who waits opens the connection that listens. */
  async wait(milliseconds: number, signal?: AbortSignal, name = JOBS): Promise<void> {
    this.#running ??= this.#keepListening();
    const waking = new AbortController();
    const wake = () => waking.abort();
    const those = this.#waiting.get(name) ?? new Set();
    this.#waiting.set(name, those.add(wake));
    await systemClock.sleep(milliseconds, signal ? AbortSignal.any([signal, waking.signal]) : waking.signal);
    those.delete(wake);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  #sendRings(): void {
    const names = this.#ringing;
    this.#ringing = new Set();
    for (const name of names) if (!this.#stopping.signal.aborted) void this.#send(name);
  }

  async #send(name: string): Promise<void> {
    const sent =
      name === JOBS
        ? this.#database.run(`NOTIFY ${CHANNEL}`)
        : this.#database.get('SELECT pg_notify(?, ?)', CHANNEL, name);
    await sent.catch(() => {});
  }

  #wake(name: string): void {
    const those = this.#waiting.get(name) ?? [];
    this.#waiting.delete(name);
    for (const wake of those) wake();
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
      await this.#send(PROBE);
      await untilEnd(client, signal);
    } finally {
      this.#isHeard = false;
      client.off('notification', this.#onNotification);
      client.release(true);
    }
  }

  readonly #onNotification = ({ payload }: Notification) => {
    this.#isHeard = true;
    this.#wake(payload || JOBS);
  };
}

function untilEnd(client: PoolClient, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
    client.once('error', () => resolve());
    client.once('end', () => resolve());
  });
}
