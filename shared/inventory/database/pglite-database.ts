import { SETTINGS } from '../../config/settings.ts';
import { Semaphore } from '../../util/semaphore.ts';
import { readCursor } from './cursor.ts';
import { DatabaseThread } from './database-thread.ts';
import { inTransaction } from './in-transaction.ts';
import {
  type DatabaseConnection,
  type DatabaseRow,
  type DatabaseTask,
  DatabaseUnavailable,
  type InventoryDatabase,
  type ReadLimits,
  StatementTimedOut,
} from './inventory-database.ts';
import { PgliteReader } from './pglite-reader.ts';
import type { Statement } from './sql.ts';
import type { PgliteSettings, PgliteWork } from './task-messages.ts';

/** Milliseconds that a statement of a transaction may take; the largest catalogs take 2 s. */
const WRITE_LIMIT_MS = 120_000;
/**
 * Milliseconds that the thread may take to open the database. Creating one takes two seconds of
 * CPU, which may last minutes on a busy machine.
 */
const OPEN_LIMIT_MS = 3_600_000;
/** Most objects of the thread live for one command: a small young generation is enough. */
const YOUNG_GENERATION_MB = 12;

/** Returns the error for an unusable embedded database; `place` is as in `in '/folder'`. */
export function describeInventoryDamage(place: string, error: unknown): DatabaseUnavailable {
  const message = (error instanceof Error ? error.message : String(error)).replaceAll(/\s*\n\s*/g, ' ');
  return new DatabaseUnavailable(
    `the inventory ${place} cannot be used: ${message}: move that folder away and start again; what the server knows of its nodes is fed again, commands of others are not`,
  );
}

/**
 * PostgreSQL inside this process: PGlite in a thread of its own, so that no query blocks the event
 * loop. It has one connection; readers and transactions take turns. WebAssembly cannot be
 * interrupted: a statement that exceeds its time limit ends the thread. The next statement starts
 * the thread again from the folder, which takes half a second. PostgreSQL's write-ahead log makes
 * that as safe as killing a process.
 */
export class PgliteDatabase implements InventoryDatabase {
  readonly #thread: DatabaseThread<PgliteWork, unknown>;
  /** PGlite has one connection. */
  readonly #turns = new Semaphore(1);
  #readers = 0;
  readonly #place: string;
  readonly #limits: { readonly writeMs: number; readonly openMs: number };

  /**
   * `folder` holds the database; null keeps it in memory, where a timeout loses it.
   * `queryMegabytes`: memory of each query, see ReadLimits. `limits`: other times, for tests.
   */
  constructor(
    folder: string | null,
    queryMegabytes: number = SETTINGS.puppetdbQueryMemory.usual,
    limits = { writeMs: WRITE_LIMIT_MS, openMs: OPEN_LIMIT_MS },
  ) {
    this.#limits = limits;
    this.#place = folder === null ? 'in memory' : `in '${folder}'`;
    const settings: PgliteSettings = { folder, queryMegabytes };
    const module = new URL('./pglite-thread.ts', import.meta.url);
    this.#thread = new DatabaseThread(module, settings, { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB });
  }

  transaction<T>(body: (connection: DatabaseConnection) => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      const connection = { run: (statement: Statement) => this.#run(statement, this.#limits.writeMs) };
      return inTransaction(connection, 'begin', () => body(connection));
    });
  }

  async perform<Argument, Result>(
    { module, name }: DatabaseTask<Argument, Result>,
    argument: Argument,
  ): Promise<Result> {
    const work: PgliteWork = { task: { module, name, argument } };
    return (await this.#inTurn(() => this.#do(work, this.#limits.writeMs))) as Result;
  }

  async *read(statement: Statement, limits: ReadLimits): AsyncGenerator<readonly DatabaseRow[]> {
    this.#readers += 1;
    const cursor = `inventory_rows_${this.#readers}`;
    const { timeMs } = limits;
    const reader = new PgliteReader({
      ...{ turns: this.#turns, cursor, timeMs },
      run: (one) => this.#run(one, timeMs),
      isGone: () => !this.#thread.isRunning,
    });
    try {
      await reader.run({ text: 'begin read only', values: [] });
      yield* readCursor(reader, statement, limits, cursor);
    } finally {
      await reader.end();
    }
  }

  async close(): Promise<void> {
    await this.#inTurn(async () => {
      if (this.#thread.isRunning) await this.#thread.post('close');
    });
  }

  async #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const leave = await this.#turns.acquire();
    try {
      return await task();
    } finally {
      leave();
    }
  }

  async #run(statement: Statement, limitMs: number): Promise<readonly DatabaseRow[]> {
    return (await this.#do({ statement }, limitMs)) as readonly DatabaseRow[];
  }

  async #do(work: PgliteWork, limitMs: number): Promise<unknown> {
    const { openMs } = this.#limits;
    const late = `the inventory ${this.#place} was not opened in ${openMs / 1000} s: start again`;
    if (!this.#thread.isRunning) {
      const opening = this.#doWithin(openMs, 'open', () => new DatabaseUnavailable(late));
      await opening.catch((error: unknown) => {
        throw error instanceof DatabaseUnavailable && error.message === late ? error : this.#describeDamage(error);
      });
    }
    return this.#doWithin(limitMs, work, () => new StatementTimedOut(limitMs));
  }

  #describeDamage(error: unknown): DatabaseUnavailable {
    this.#thread.terminate(new DatabaseUnavailable('the database ended'));
    return describeInventoryDamage(this.#place, error);
  }

  /** Does work in the thread. Beyond `limitMs`, it ends the thread and rejects with `fault`. */
  async #doWithin(limitMs: number, work: PgliteWork, fault: () => Error): Promise<unknown> {
    const timer = setTimeout(() => this.#thread.terminate(fault()), limitMs);
    try {
      return await this.#thread.post(work);
    } finally {
      clearTimeout(timer);
    }
  }
}
