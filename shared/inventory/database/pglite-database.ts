import { Worker } from 'node:worker_threads';
import { Semaphore } from '../../util/semaphore.ts';
import { readCursor } from './cursor.ts';
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
import type { PgliteAnswer, PgliteRequest, PgliteSettings } from './pglite-messages.ts';
import type { Statement } from './sql.ts';
import { restoreFault } from './task-messages.ts';

/** Milliseconds that a statement of a transaction may take; the largest catalogs take 2 s. */
const WRITE_LIMIT_MS = 120_000;
/** Most of what the thread allocates belongs to one command: a small space for it is enough. */
const YOUNG_GENERATION_MB = 12;

interface Waiting {
  resolve(answer: PgliteAnswer): void;
  reject(error: Error): void;
}

/**
 * PostgreSQL inside this process: PGlite in a thread of its own, so that no query blocks the event
 * loop. It has one connection; readers and transactions take turns. WebAssembly cannot be
 * interrupted: a statement beyond its limit ends the thread, and the next one starts it again from
 * the folder, which takes half a second. PostgreSQL's log makes that as safe as a killed process.
 */
export class PgliteDatabase implements InventoryDatabase {
  readonly #settings: PgliteSettings;
  /** PGlite has one connection. */
  readonly #turns = new Semaphore(1);
  readonly #waiting = new Map<number, Waiting>();
  #thread: Worker | null = null;
  #nextId = 1;

  /** `folder` holds the database; null keeps it in memory, where a timeout loses it. */
  constructor(folder: string | null) {
    this.#settings = { folder };
  }

  transaction<T>(body: (connection: DatabaseConnection) => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      const connection = { run: (statement: Statement) => this.#run(statement, WRITE_LIMIT_MS) };
      return inTransaction(connection, 'begin', () => body(connection));
    });
  }

  async perform<Argument, Result>(
    { module, name }: DatabaseTask<Argument, Result>,
    argument: Argument,
  ): Promise<Result> {
    const { result } = await this.#inTurn(() => this.#do({ task: { module, name, argument } }, WRITE_LIMIT_MS));
    return result as Result;
  }

  async *read(statement: Statement, limits: ReadLimits): AsyncGenerator<readonly DatabaseRow[]> {
    const leave = await this.#turns.acquire();
    const connection = { run: (one: Statement) => this.#run(one, limits.timeMs) };
    let [isOver, isWaited] = [false, false];
    const finish = async () => {
      if (isOver) return;
      isOver = true;
      if (this.#thread !== null) await connection.run({ text: 'rollback', values: [] }).catch(() => undefined);
      leave();
    };
    // A reader that does not go on must not keep all others waiting.
    const timer = setTimeout(() => isWaited && finish(), limits.timeMs);
    try {
      await connection.run({ text: 'begin read only', values: [] });
      for await (const rows of readCursor(connection, statement, limits)) {
        isWaited = true;
        yield rows;
        if (isOver) throw new StatementTimedOut(limits.timeMs);
        isWaited = false;
      }
    } finally {
      clearTimeout(timer);
      await finish();
    }
  }

  async close(): Promise<void> {
    await this.#inTurn(async () => {
      if (this.#thread !== null) await this.#post('close');
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
    return (await this.#do({ statement }, limitMs)).rows ?? [];
  }

  async #do(work: PgliteRequest['work'], limitMs: number): Promise<PgliteAnswer> {
    const timer = setTimeout(() => this.#end(new StatementTimedOut(limitMs)), limitMs);
    try {
      return await this.#post(work);
    } finally {
      clearTimeout(timer);
    }
  }

  #post(work: PgliteRequest['work']): Promise<PgliteAnswer> {
    this.#thread ??= this.#start();
    const request: PgliteRequest = { id: this.#nextId++, work };
    return new Promise((resolve, reject) => {
      this.#waiting.set(request.id, { resolve, reject });
      this.#thread?.postMessage(request);
    });
  }

  #start(): Worker {
    const thread = new Worker(new URL('./pglite-thread.ts', import.meta.url), {
      workerData: this.#settings,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    thread.on('message', (answer: PgliteAnswer) => this.#settle(answer));
    thread.on('error', (error) => this.#fail(thread, new DatabaseUnavailable(`the database ended: ${error}`)));
    thread.on('exit', () => this.#fail(thread, new DatabaseUnavailable('the database ended')));
    return thread;
  }

  #settle(answer: PgliteAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (answer.fault === undefined) waiting?.resolve(answer);
    else waiting?.reject(restoreFault(answer.fault));
  }

  #end(reason: Error): void {
    const thread = this.#thread;
    if (thread === null) return;
    this.#fail(thread, reason);
    thread.terminate();
  }

  #fail(thread: Worker, reason: Error): void {
    if (this.#thread !== thread) return;
    this.#thread = null;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const one of waiting) one.reject(reason);
  }
}
