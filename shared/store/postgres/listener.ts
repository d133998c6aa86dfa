import type { Notification, PoolClient } from 'pg';
import { type Doorbell, JOBS } from '../ports/doorbell.ts';
import { systemClock } from '../system-clock.ts';
import type { PostgresConnection } from './connection.ts';

const CHANNEL = 'understudy_jobs';
/** Rings within this time are one: each costs a commit, though without a sync. */
const GATHER_MS = 50;
/** Pause before a lost connection is opened again: meanwhile those who wait look by themselves. */
const AGAIN_MS = 2000;
const PROBE = 'probe';
/** A ring for jobs has the name of its server behind this. */
const JOBS_OF = `${JOBS}@`;
/**
 * Workers of other servers look for a job so much later: one of its own server has the facts and
 * the catalog at hand, and its request hears of the end at once.
 */
const OTHERS_MS = 40;

/**
 * A doorbell through the database (LISTEN and NOTIFY). A ring is sent apart from the transaction
 * that it is for. Nothing depends on it: PgBouncer in transaction mode loses all rings. A
 * connection that listens sends itself one, to find that out.
 */
export class Listener implements Doorbell {
  readonly #database: PostgresConnection;
  readonly #instance: string;
  readonly #othersMs: number;
  readonly #stopping = new AbortController();
  #running: Promise<void> | null = null;
  readonly #waiting = new Map<string, Set<() => void>>();
  #ringing = new Set<string>();
  #isHeard = false;

  /** `instance` names the server: all processes and threads of it have one name. */
  constructor(database: PostgresConnection, instance: string, othersMs = OTHERS_MS) {
    this.#database = database;
    this.#instance = instance;
    this.#othersMs = othersMs;
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
    const payload = name === JOBS ? JOBS_OF + this.#instance : name;
    const sent = this.#database.get('SELECT pg_notify(?, ?)', CHANNEL, payload);
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
    if (!payload?.startsWith(JOBS_OF)) this.#wake(payload ?? '');
    else if (payload === JOBS_OF + this.#instance) this.#wake(JOBS);
    else setTimeout(() => this.#wake(JOBS), this.#othersMs).unref();
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
