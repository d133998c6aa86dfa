import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { BodyRefused } from './body-kinds.ts';
import type { BodyAnswer, BodyJob, BodyOrder } from './body-messages.ts';

/** Two keep up with what a process receives; more would take processors from compiles. */
const MOST_THREADS = 2;
/** The thread's module; bundles of AWS have it beside them. */
const MODULE = import.meta.url.endsWith('.mjs')
  ? new URL('./body-thread.mjs', import.meta.url)
  : new URL('./body-thread.ts', import.meta.url);

interface Waiting {
  resolve(answer: BodyAnswer): void;
  reject(error: Error): void;
}

/** One thread, and those who wait for it. */
class BodyThread {
  readonly #worker = new Worker(MODULE, { env: {}, execArgv: [] });
  readonly #waiting = new Map<number, Waiting>();
  isGone = false;

  constructor() {
    this.#worker.unref();
    this.#worker.on('message', (answer: BodyAnswer) => this.#settle(answer));
    this.#worker.on('error', () => this.#end());
    this.#worker.on('exit', () => this.#end());
  }

  /** Bodies that it has. */
  get bodies(): number {
    return this.#waiting.size;
  }

  ask(order: BodyOrder): Promise<BodyAnswer> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(order.id, { resolve, reject });
      // Whoever waits for it keeps the process alive.
      this.#worker.ref();
      this.#worker.postMessage(order);
    });
  }

  #settle(answer: BodyAnswer): void {
    this.#waiting.get(answer.id)?.resolve(answer);
    this.#waiting.delete(answer.id);
    if (this.#waiting.size === 0) this.#worker.unref();
  }

  /** Its memory was not enough, or it could not start. */
  #end(): void {
    this.isGone = true;
    for (const waiting of this.#waiting.values()) waiting.reject(goneError());
    this.#waiting.clear();
  }
}

function goneError(): BodyRefused {
  return new BodyRefused('unavailable', 'The request body could not be read: its thread ended');
}

/**
 * Threads that decompress, check and read bodies, so that the thread that answers requests does
 * nothing that takes longer for a longer body. They start with the first such body.
 */
export class BodyThreads {
  #threads: BodyThread[] = [];
  #nextId = 1;
  #exists: boolean | undefined;

  /** Whether there are threads: not in functions of AWS, each of which has one request. */
  get exist(): boolean {
    this.#exists ??= existsSync(fileURLToPath(MODULE));
    return this.#exists;
  }

  /** Does the work on the first `size` bytes. Throws BodyRefused. */
  async perform(shared: SharedArrayBuffer, size: number, job: BodyJob): Promise<unknown> {
    const { result, refused, error } = await this.#choose().ask({ id: this.#nextId++, shared, size, ...job });
    if (refused !== undefined) throw new BodyRefused(refused.fault, refused.message, refused.json);
    if (error !== undefined) throw new Error(`a body could not be read: ${error}`);
    return result;
  }

  /** The thread with the fewest bodies. */
  #choose(): BodyThread {
    this.#threads = this.#threads.filter(({ isGone }) => !isGone);
    const [best] = this.#threads.toSorted((one, other) => one.bodies - other.bodies);
    if (best !== undefined && (best.bodies === 0 || this.#threads.length >= MOST_THREADS)) return best;
    const added = new BodyThread();
    this.#threads.push(added);
    return added;
  }
}
