import type { MessagePort } from 'node:worker_threads';
import { StoreUnavailable } from '../ports/store-errors.ts';
import type { DatabaseTables } from '../sql/tables.ts';
import { fromPostedError, type WriteAnswer, type WriteRequest } from './write-messages.ts';

/** Calls that may wait for their answers at a time: more than all requests that a server holds. */
const MOST_PENDING = 20_000;

interface Pending {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** Posts calls of store methods to a `WriteServer`, and returns its answers. */
export class WriteClient {
  readonly #port: MessagePort;
  readonly #directory: string;
  readonly #mostPending: number;
  readonly #pending = new Map<number, Pending>();
  #last = 0;
  #failure: Error | null = null;
  #onIdle: (() => void) | null = null;

  constructor(port: MessagePort, directory: string, mostPending = MOST_PENDING) {
    this.#port = port;
    this.#directory = directory;
    this.#mostPending = mostPending;
    port.on('message', (answers: readonly WriteAnswer[]) => this.#settle(answers));
    port.on('close', () => this.fail(new StoreUnavailable(`data directory '${directory}': its write thread ended`)));
  }

  /**
   * Executes a method of a store in the write thread. Rejects with the method's error, and with
   * StoreUnavailable when too many calls wait or the thread has ended.
   */
  call(store: keyof DatabaseTables, method: string, args: readonly unknown[]): Promise<unknown> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    if (this.#pending.size >= this.#mostPending) {
      const what = `data directory '${this.#directory}': ${this.#mostPending} writes wait already`;
      return Promise.reject(new StoreUnavailable(what));
    }
    this.#last += 1;
    const request: WriteRequest = { id: this.#last, store, method, args };
    return new Promise((resolve, reject) => {
      this.#port.postMessage(request);
      this.#pending.set(request.id, { resolve, reject });
    });
  }

  /** Rejects the waiting calls and all further ones with `error`. */
  fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#pending.values()) reject(this.#failure);
    this.#pending.clear();
    this.#onIdle?.();
  }

  /** Waits for the answers of all calls, then closes the port. */
  async close(): Promise<void> {
    if (this.#pending.size > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
    this.#port.close();
  }

  #settle(answers: readonly WriteAnswer[]): void {
    for (const answer of answers) {
      const pending = this.#pending.get(answer.id);
      this.#pending.delete(answer.id);
      if ('error' in answer) pending?.reject(fromPostedError(answer.error));
      else pending?.resolve(answer.value);
    }
    if (this.#pending.size === 0) this.#onIdle?.();
  }
}
