import { DatabaseThread } from './database-thread.ts';
import type {
  DatabaseConnection,
  DatabaseRow,
  DatabaseTask,
  InventoryDatabase,
  ReadLimits,
} from './inventory-database.ts';
import { PostgresDatabase } from './postgres-database.ts';
import type { Statement } from './sql.ts';
import type { PostedTask } from './task-messages.ts';

/** A task for the thread, or to close and end. */
export type PostgresWork = { readonly task: PostedTask } | 'close';

/** Any PostgreSQL, for a server that does other work: tasks run in a thread with a connection. */
export class PostgresServer implements InventoryDatabase {
  readonly #connections: PostgresDatabase;
  readonly #thread: DatabaseThread<PostgresWork, unknown>;

  /** `url` is that of `PostgresDatabase`. */
  constructor(url: string) {
    this.#connections = new PostgresDatabase(url);
    this.#thread = new DatabaseThread(new URL('./postgres-thread.ts', import.meta.url), url);
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
    return (await this.#thread.post({ task: { module, name, argument } })) as Result;
  }

  async close(): Promise<void> {
    if (this.#thread.isRunning) await this.#thread.post('close');
    await this.#connections.close();
  }
}
