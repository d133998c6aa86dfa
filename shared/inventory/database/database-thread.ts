import { type ResourceLimits, Worker } from 'node:worker_threads';
import { DatabaseUnavailable } from './inventory-database.ts';
import { type PostedFault, postFault, restoreFault } from './task-messages.ts';

/** Work that is posted to the thread. */
export interface ThreadRequest<Work> {
  readonly id: number;
  readonly work: Work;
}

/** Result of the work, or its failure. */
type DatabaseThreadAnswer<Result> = { readonly id: number } & (
  | { readonly result: Result; readonly fault?: undefined }
  | { readonly fault: PostedFault }
);

/** Does posted work, in the thread. */
export function answerRequest<Work, Result>(
  { id, work }: ThreadRequest<Work>,
  perform: (work: Work) => Promise<Result>,
): Promise<DatabaseThreadAnswer<Result>> {
  return perform(work).then(
    (result) => ({ id, result }),
    (error: unknown) => ({ id, fault: postFault(error) }),
  );
}

interface Waiting<Result> {
  resolve(result: Result): void;
  reject(error: Error): void;
}

/**
 * The client of a thread that works for a database: it posts work and waits for the answers. The
 * thread starts with the first work, and again with the next one after its end.
 */
export class DatabaseThread<Work, Result> {
  readonly #module: URL;
  readonly #data: unknown;
  readonly #limits: ResourceLimits;
  readonly #waiting = new Map<number, Waiting<Result>>();
  #thread: Worker | null = null;
  #nextId = 1;

  /** The thread runs `module`, with `data` as its `workerData`, and within `limits`. */
  constructor(module: URL, data: unknown, limits: ResourceLimits = {}) {
    this.#module = module;
    this.#data = data;
    this.#limits = limits;
  }

  get isRunning(): boolean {
    return this.#thread !== null;
  }

  /** Rejects with the error of the work, and with DatabaseUnavailable when the thread ends. */
  post(work: Work): Promise<Result> {
    this.#thread ??= this.#start();
    const request: ThreadRequest<Work> = { id: this.#nextId++, work };
    return new Promise((resolve, reject) => {
      this.#waiting.set(request.id, { resolve, reject });
      this.#thread?.postMessage(request);
    });
  }

  /** Ends the thread at once; what waits is rejected with `reason`. */
  terminate(reason: Error): void {
    const thread = this.#thread;
    if (thread === null) return;
    this.#fail(thread, reason);
    thread.terminate();
  }

  #start(): Worker {
    const thread = new Worker(this.#module, { workerData: this.#data, resourceLimits: this.#limits });
    thread.on('message', (answer: DatabaseThreadAnswer<Result>) => this.#settle(answer));
    thread.on('error', (error) => this.#fail(thread, new DatabaseUnavailable(`the database ended: ${error}`)));
    thread.on('exit', () => this.#fail(thread, new DatabaseUnavailable('the database ended')));
    return thread;
  }

  #settle(answer: DatabaseThreadAnswer<Result>): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (answer.fault === undefined) waiting?.resolve(answer.result);
    else waiting?.reject(restoreFault(answer.fault));
  }

  /** A thread that ends after its successor started concerns nobody any more. */
  #fail(thread: Worker, reason: Error): void {
    if (this.#thread !== thread) return;
    this.#thread = null;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const one of waiting) one.reject(reason);
  }
}
