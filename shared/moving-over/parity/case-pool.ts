import { Worker } from 'node:worker_threads';
import type { Outcome, RunOptions } from './parity-case.ts';

export interface PoolOptions extends RunOptions {
  readonly workers: number;
  /** Time limit of a case, in milliseconds. */
  readonly timeLimit: number;
}

interface PendingCase {
  readonly id: string;
  readonly line: string;
  readonly done: (outcome: string) => void;
}

/** Heap of one thread, in MiB: a case that exceeds it ends only its own thread. */
const HEAP_LIMIT = 1536;
const STACK_LIMIT = 4;

/**
 * Runs cases in threads. A case that exceeds its time or kills its thread gets an error as its
 * outcome; the other cases continue.
 */
export class CasePool {
  readonly #options: PoolOptions;
  readonly #waiting: PendingCase[] = [];
  readonly #idle: CaseThread[] = [];
  #threads = 0;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Runs a case; resolves to the outcome as JSON text. */
  run(id: string, line: string): Promise<string> {
    return new Promise((done) => {
      this.#waiting.push({ id, line, done });
      this.#startNext();
    });
  }

  close(): void {
    for (const thread of this.#idle.splice(0)) thread.stop();
  }

  #startNext(): void {
    if (this.#waiting.length === 0) return;
    const thread = this.#idle.pop() ?? this.#start();
    const job = thread && this.#waiting.shift();
    if (!thread || !job) return;
    thread.run(job.line).then(
      (outcome) => {
        this.#idle.push(thread);
        job.done(outcome);
        this.#startNext();
      },
      (reason: unknown) => {
        this.#threads--;
        job.done(createFailedOutcome(job.id, reason));
        this.#startNext();
      },
    );
  }

  #start(): CaseThread | undefined {
    if (this.#threads >= this.#options.workers) return undefined;
    this.#threads++;
    return new CaseThread(this.#options);
  }
}

function createFailedOutcome(id: string, reason: unknown): string {
  const outcome: Outcome = {
    status: 'error',
    error: { message: `case ${id} ${reason instanceof Error ? reason.message : String(reason)}` },
  };
  return JSON.stringify(outcome);
}

interface Waiting {
  readonly resolve: (outcome: string) => void;
  readonly reject: (reason: Error) => void;
}

class CaseThread {
  readonly #worker: Worker;
  readonly #timeLimit: number;
  #waiting: Waiting | null = null;

  constructor({ externalModules, language, timeLimit }: PoolOptions) {
    this.#timeLimit = timeLimit;
    this.#worker = new Worker(new URL('./case-worker.ts', import.meta.url), {
      workerData: { externalModules, language } satisfies RunOptions,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_LIMIT, stackSizeMb: STACK_LIMIT },
    });
    this.#worker.on('message', (outcome: string) => this.#settle(({ resolve }) => resolve(outcome)));
    this.#worker.on('error', (error) => this.#rejectEnded(String(error)));
    this.#worker.on('exit', (code) => this.#rejectEnded(`exit code ${code}`));
  }

  /** Runs a case. Rejects when it exceeds its time or ends the thread; the thread is gone then. */
  run(line: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#settle(() => reject(new Error(`took longer than ${this.#timeLimit / 1000} s and was stopped`)));
        this.stop();
      }, this.#timeLimit);
      this.#waiting = {
        resolve: (outcome) => {
          clearTimeout(timer);
          resolve(outcome);
        },
        reject: (reason) => {
          clearTimeout(timer);
          reject(reason);
        },
      };
      this.#worker.postMessage(line);
    });
  }

  stop(): void {
    this.#worker.terminate();
  }

  #rejectEnded(why: string): void {
    this.#settle(({ reject }) => reject(new Error(`ended its thread: ${why}`)));
  }

  #settle(answer: (waiting: Waiting) => void): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    if (waiting) answer(waiting);
  }
}
