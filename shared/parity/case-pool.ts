import { Worker } from 'node:worker_threads';
import type { Outcome, RunOptions } from './parity-case.ts';

export interface PoolOptions extends RunOptions {
  readonly workers: number;
  /** How long a case may take, in milliseconds. */
  readonly timeLimit: number;
}

interface Job {
  readonly id: string;
  readonly line: string;
  readonly done: (outcome: string) => void;
}

/** Heap of one thread, in MiB: a case that wants more ends alone. */
const HEAP_LIMIT = 1536;
const STACK_LIMIT = 4;

/** Runs cases in threads. A case that takes too long or kills its thread is answered for; the others go on. */
export class CasePool {
  readonly #options: PoolOptions;
  readonly #waiting: Job[] = [];
  readonly #idle: CaseThread[] = [];
  #threads = 0;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** The outcome's JSON text. */
  run(id: string, line: string): Promise<string> {
    return new Promise((done) => {
      this.#waiting.push({ id, line, done });
      this.#next();
    });
  }

  close(): void {
    for (const thread of this.#idle.splice(0)) thread.stop();
  }

  #next(): void {
    if (this.#waiting.length === 0) return;
    const thread = this.#idle.pop() ?? this.#start();
    const job = thread && this.#waiting.shift();
    if (!thread || !job) return;
    thread.run(job.line).then(
      (outcome) => {
        this.#idle.push(thread);
        job.done(outcome);
        this.#next();
      },
      (reason: unknown) => {
        this.#threads--;
        job.done(failedOutcome(job.id, reason));
        this.#next();
      },
    );
  }

  #start(): CaseThread | undefined {
    if (this.#threads >= this.#options.workers) return undefined;
    this.#threads++;
    return new CaseThread(this.#options);
  }
}

function failedOutcome(id: string, reason: unknown): string {
  const outcome: Outcome = {
    status: 'error',
    error: { message: `case ${id} ${reason instanceof Error ? reason.message : String(reason)}` },
  };
  return JSON.stringify(outcome);
}

class CaseThread {
  readonly #worker: Worker;
  readonly #timeLimit: number;

  constructor({ externalModules, timeLimit }: PoolOptions) {
    this.#timeLimit = timeLimit;
    this.#worker = new Worker(new URL('./case-worker.ts', import.meta.url), {
      workerData: { externalModules } satisfies RunOptions,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_LIMIT, stackSizeMb: STACK_LIMIT },
      stdout: false,
    });
    this.#worker.unref();
  }

  /** Rejects, with the thread gone, when the case took too long or ended the thread. */
  run(line: string): Promise<string> {
    const worker = this.#worker;
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        clearTimeout(timer);
        worker.removeAllListeners();
        worker.unref();
        settle();
      };
      const timer = setTimeout(() => {
        end(() => reject(new Error(`took longer than ${this.#timeLimit / 1000} s and was stopped`)));
        this.stop();
      }, this.#timeLimit);
      worker.once('message', (text: string) => end(() => resolve(text)));
      worker.once('error', (error) => end(() => reject(new Error(`ended its thread: ${String(error)}`))));
      worker.once('exit', (code) => end(() => reject(new Error(`ended its thread with code ${code}`))));
      worker.ref();
      worker.postMessage(line);
    });
  }

  stop(): void {
    this.#worker.removeAllListeners();
    this.#worker.on('error', () => undefined);
    this.#worker.terminate();
  }
}
