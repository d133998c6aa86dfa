import { Worker } from 'node:worker_threads';
import {
  type DatabaseConnection,
  type DatabaseRow,
  type DatabaseTask,
  DatabaseUnavailable,
  type InventoryDatabase,
  type ReadLimits,
} from './inventory-database.ts';
import { PostgresDatabase } from './postgres-database.ts';
import type { Statement } from './sql.ts';
import { type PostedFault, type PostedTask, restoreFault } from './task-messages.ts';

/** A task for the thread; null asks it to end. */
export interface PostgresRequest {
  readonly id: number;
  readonly task: PostedTask | null;
}

/** The result of a task, or why it failed. */
export interface PostgresAnswer {
  readonly id: number;
  readonly result?: unknown;
  readonly fault?: PostedFault;
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** Any PostgreSQL, for a server that does other work: tasks run in a thread with a connection. */
export class PostgresServer implements InventoryDatabase {
  readonly #url: string;
  readonly #connections: PostgresDatabase;
  readonly #waiting = new Map<number, Waiting>();
  #thread: Worker | null = null;
  #nextId = 1;

  /** `url` is that of `PostgresDatabase`. */
  constructor(url: string) {
    this.#url = url;
    this.#connections = new PostgresDatabase(url);
  }

  transaction<T>(body: (connection: DatabaseConnection) => Promise<T>): Promise<T> {
    return this.#connections.transaction(body);
  }

  read(statement: Statement, limits: ReadLimits): AsyncGenerator<readonly DatabaseRow[]> {
    return this.#connections.read(statement, limits);
  }

  async perform<Argument, Result>(
    { module, name }: DatabaseTask<Argument, Result>,
    argument: Argument,
  ): Promise<Result> {
    return (await this.#post({ module, name, argument })) as Result;
  }

  async close(): Promise<void> {
    if (this.#thread !== null) await this.#post(null);
    await this.#connections.close();
  }

  #post(task: PostedTask | null): Promise<unknown> {
    this.#thread ??= this.#start();
    const request: PostgresRequest = { id: this.#nextId++, task };
    return new Promise((resolve, reject) => {
      this.#waiting.set(request.id, { resolve, reject });
      this.#thread?.postMessage(request);
    });
  }

  #start(): Worker {
    const thread = new Worker(new URL('./postgres-thread.ts', import.meta.url), { workerData: this.#url });
    thread.on('message', ({ id, result, fault }: PostgresAnswer) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (fault === undefined) waiting?.resolve(result);
      else waiting?.reject(restoreFault(fault));
    });
    const fail = (reason: string) => {
      if (this.#thread === thread) this.#thread = null;
      const waiting = [...this.#waiting.values()];
      this.#waiting.clear();
      for (const one of waiting) one.reject(new DatabaseUnavailable(reason));
    };
    thread.on('error', (error) => fail(`the thread of the database ended: ${error}`));
    thread.on('exit', () => fail('the thread of the database ended'));
    return thread;
  }
}
