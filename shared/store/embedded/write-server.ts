import type { MessagePort } from 'node:worker_threads';
import type { EmbeddedDatabase } from './database.ts';
import type { DatabaseTables } from './stores.ts';
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
    const results: Promise<unknown>[] = [];
    let fault: unknown = null;
    try {
      // The stores' methods run to their end without awaiting anything.
      this.#database.runTogether(
        batch.map(
          ({ request }) =>
            () =>
              void results.push(this.#call(request)),
        ),
      );
    } catch (error) {
      fault = error;
    }
    const settled = await Promise.allSettled(results);
    const answers = batch.map(({ port, request: { id } }, index) => {
      const result = settled[index];
      if (result?.status === 'rejected') return { port, answer: { id, error: toPostedError(result.reason) } };
      if (fault !== null || result === undefined) return { port, answer: { id, error: toPostedError(fault) } };
      return { port, answer: { id, value: result.value } };
    });
    for (const [port, ofPort] of Map.groupBy(answers, (one) => one.port)) {
      port.postMessage(ofPort.map(({ answer }): WriteAnswer => answer));
    }
  }

  async #call({ store, method, args }: WriteRequest): Promise<unknown> {
    const target = this.#tables[store];
    const found: unknown = Reflect.get(target, method);
    if (typeof found !== 'function') throw new Error(`invariant: the store '${store}' has no method '${method}'`);
    return Reflect.apply(found, target, args);
  }
}
