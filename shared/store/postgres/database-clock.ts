import { performance } from 'node:perf_hooks';
import type { Clock } from '../ports/clock.ts';
import { numberOfColumn, type SqlConnection } from '../sql/connection.ts';
import { systemClock } from '../system-clock.ts';

const MEASURE_EVERY_MS = 60_000;
const ATTEMPTS = 3;

/** The difference between the machine's clock and the database's. */
interface ClockOffset {
  /** The machine's time less the database's, in milliseconds. */
  readonly machineMs: number;
  /** The measurement is wrong by at most so many milliseconds. */
  readonly uncertaintyMs: number;
}

/**
 * The database's clock, which all servers share: the time that passes here, from its time at the
 * last measurement on. Measured once a minute.
 */
export class DatabaseClock implements Clock {
  readonly #database: SqlConnection;
  /** Time of the database less that of `performance.now()`. */
  #offset: number;
  #uncertainty: number;
  readonly #timer: NodeJS.Timeout;

  private constructor(database: SqlConnection, { offset, uncertainty }: Measurement) {
    this.#database = database;
    [this.#offset, this.#uncertainty] = [offset, uncertainty];
    this.#timer = setInterval(() => void this.#measureAgain(), MEASURE_EVERY_MS).unref();
  }

  static async start(database: SqlConnection): Promise<DatabaseClock> {
    return new DatabaseClock(database, await measure(database));
  }

  now(): number {
    return Math.round(performance.now() + this.#offset);
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return systemClock.sleep(milliseconds, signal);
  }

  random(): number {
    return systemClock.random();
  }

  describe(): ClockOffset {
    return { machineMs: Math.round(Date.now() - this.now()), uncertaintyMs: Math.ceil(this.#uncertainty) };
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** While the database is away, the time that passes here counts. */
  async #measureAgain(): Promise<void> {
    const measured = await measure(this.#database).catch(() => null);
    if (measured !== null) [this.#offset, this.#uncertainty] = [measured.offset, measured.uncertainty];
  }
}

interface Measurement {
  readonly offset: number;
  readonly uncertainty: number;
}

/** The shortest of some round trips is the most exact. */
async function measure(database: SqlConnection): Promise<Measurement> {
  let best: Measurement | null = null;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const before = performance.now();
    const row = await database.get('SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now');
    const after = performance.now();
    const uncertainty = (after - before) / 2;
    const offset = numberOfColumn(row ?? {}, 'now') - (before + after) / 2;
    if (best === null || uncertainty < best.uncertainty) best = { offset, uncertainty };
  }
  if (best === null) throw new Error('invariant: the clock was measured');
  return best;
}
