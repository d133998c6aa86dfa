import type { MessagePort } from 'node:worker_threads';
import type { DatabaseTables } from '../sql/tables.ts';
import type { EmbeddedDatabase } from './database.ts';
import { toPostedError, type WriteAnswer, type WriteRequest } from './write-messages.ts';

/** Bounds the time that the write lock is held, and with it the wait of other processes. */
const MOST_IN_BATCH = 256;

interface PortRequest {
  readonly port: MessagePort;
  readonly request: WriteRequest;
}

/**
 * Executes the calls of any number of clients on one connection, with group commit: the calls that
 * arrived while a transaction was running share the next one. A call that fails undoes its own
 * changes only. Answers are posted after the commit.
 */
export class WriteServer {
  readonly #database: EmbeddedDatabase;
  readonly #tables: DatabaseTables;
  readonly #waiting: PortRequest[] = [];
  #isScheduled = false;

  /** `tables` are those of the database's `transaction`. */
  constructor(database: EmbeddedDatabase, tables: DatabaseTables) {
    this.#database = database;
    this.#tables = tables;
  }

  /** Accepts calls from this port until its other end closes. */
  serve(port: MessagePort): void {
    port.on('message', (request: WriteRequest) => {
      this.#waiting.push({ port, request });
      this.#schedule();
    });
  }

  // An immediate runs after all messages that have arrived so far.
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(async () => {
      const batch = this.#waiting.splice(0, MOST_IN_BATCH);
      await this.#execute(batch);
      this.#isScheduled = false;
      if (this.#waiting.length > 0) this.#schedule();
    });
  }

  async #execute(batch: readonly PortRequest[]): Promise<void> {
    const answers: WriteAnswer[] = [];
    let fault: unknown = null;
    try {
      const works = batch.map(
        ({ request }) =>
          async () =>
            void answers.push(await this.#answer(request)),
      );
      await this.#database.runTogether(works);
    } catch (error) {
      fault = error;
    }
    const settled = batch.map(({ port, request: { id } }, index) => {
      const answer = answers[index];
      // A call that failed by itself has its own error.
      if (answer !== undefined && (fault === null || 'error' in answer)) return { port, answer };
      return { port, answer: { id, error: toPostedError(fault) } };
    });
    for (const [port, ofPort] of Map.groupBy(settled, (one) => one.port)) {
      port.postMessage(ofPort.map(({ answer }): WriteAnswer => answer));
    }
  }

  async #answer(request: WriteRequest): Promise<WriteAnswer> {
    const { id } = request;
    try {
      return { id, value: await this.#call(request) };
    } catch (error) {
      return { id, error: toPostedError(error) };
    }
  }

  async #call({ store, method, args }: WriteRequest): Promise<unknown> {
    const target = this.#tables[store];
    const found: unknown = Reflect.get(target, method);
    if (typeof found !== 'function') throw new Error(`invariant: the store '${store}' has no method '${method}'`);
    return Reflect.apply(found, target, args);
  }
}
