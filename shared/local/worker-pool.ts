import { type MessagePort, Worker } from 'node:worker_threads';
import type { Clock } from '../store/ports/clock.ts';
import type { ReceivedCompileJob } from '../store/ports/compile-queue.ts';
import type { StoresWay } from './server-stores.ts';
import type { WorkerData, WorkerMessage, WorkerPost, WorkerSettings } from './worker-message.ts';

interface WorkerPoolOptions {
  /** The module that a worker thread runs. */
  readonly module: URL;
  readonly count: number;
  readonly settings: WorkerSettings;
  /** Opens a way to the stores, for a new worker. */
  connect(): StoresWay;
  /** Opens a way to the inventory; null without one. */
  connectInventory?(): MessagePort | null;
  readonly clock: Clock;
  /** Time limit of one job; a worker that exceeds it is terminated. */
  readonly limitMs: number;
  onMessage(message: WorkerMessage): void;
  /**
   * A worker ended unexpectedly and is started again. `job` is the job that it was working on; null
   * without one.
   */
  onCrash(error: unknown, job: ReceivedCompileJob | null): void;
}

const RESTART_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Compile workers in threads. A worker that dies is replaced; its job is still in the queue. The
 * pauses double while no worker begins a job: threads may not start, for want of file descriptors
 * or memory.
 */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #running = new Set<Worker>();
  /** Workers that ended since the last one that began a job. */
  #failures = 0;
  #isStopping = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    for (let index = 0; index < options.count; index += 1) this.#start();
  }

  /** Asks all workers to finish their jobs, and terminates them after `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    const ended = [...this.#running].map((worker) => new Promise((resolve) => worker.once('exit', resolve)));
    for (const worker of this.#running) worker.postMessage('stop');
    const timer = setTimeout(() => this.#terminate(), graceMs);
    await Promise.all(ended);
    clearTimeout(timer);
  }

  #start(): void {
    try {
      this.#follow(this.#createWorker());
    } catch (error) {
      this.#options.onCrash(error, null);
      this.#restart();
    }
  }

  #createWorker(): Worker {
    const { module, settings, connect } = this.#options;
    const stores = connect();
    const inventory = this.#options.connectInventory?.() ?? null;
    const data: WorkerData = { ...settings, stores, ...(inventory === null ? {} : { inventory }) };
    const transferList = [...('writes' in stores ? [stores.writes] : []), ...(inventory === null ? [] : [inventory])];
    return new Worker(module, { workerData: data, transferList });
  }

  #follow(worker: Worker): void {
    let cause: unknown = null;
    this.#running.add(worker);
    const watch = new CompileJobWatchdog(this.#options, (error) => {
      cause = error;
      worker.terminate();
    });
    worker.on('message', (post: WorkerPost) => {
      this.#failures = 0;
      watch.note(post);
    });
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', (code) => {
      const job = watch.end();
      this.#running.delete(worker);
      if (this.#isStopping) return;
      this.#options.onCrash(cause ?? new Error(`a compile worker ended with code ${code}`), job);
      this.#restart();
    });
  }

  async #restart(): Promise<void> {
    const pauseMs = Math.min(LONGEST_PAUSE_MS, RESTART_PAUSE_MS * 2 ** this.#failures);
    this.#failures += 1;
    await this.#options.clock.sleep(pauseMs);
    if (!this.#isStopping) this.#start();
  }

  #terminate(): void {
    for (const worker of this.#running) worker.terminate();
  }
}

/** Forwards the posts of one worker, and calls `overdue` when a job exceeds its time limit. */
class CompileJobWatchdog {
  readonly #options: WorkerPoolOptions;
  readonly #reportOverdue: (error: Error) => void;
  #timer: NodeJS.Timeout | undefined;
  #job: ReceivedCompileJob | null = null;

  constructor(options: WorkerPoolOptions, overdue: (error: Error) => void) {
    this.#options = options;
    this.#reportOverdue = overdue;
  }

  note(post: WorkerPost): void {
    this.end();
    if (post.kind !== 'began') {
      this.#options.onMessage(post);
      return;
    }
    const { limitMs } = this.#options;
    this.#job = post.job;
    const error = new Error(`the compile of ${post.job.job.certname} took longer than ${limitMs} ms`);
    this.#timer = setTimeout(() => this.#reportOverdue(error), limitMs);
  }

  /** Stops watching; returns the job that was running. */
  end(): ReceivedCompileJob | null {
    clearTimeout(this.#timer);
    const job = this.#job;
    this.#job = null;
    return job;
  }
}
