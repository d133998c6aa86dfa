import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { BlobStore } from '../../store/ports/blob-store.ts';
import type { PlanListener, PlanOrder, PlanThread, StartPlanThread } from './plan-thread.ts';
import type { PlanThreadData } from './run-plan-thread.ts';
import { SHARED, type ThreadAnswer, type ThreadPost } from './thread-messages.ts';

interface PlanThreadOptions {
  /** The module that a thread runs; it calls `runPlanThread` with its `workerData`. */
  readonly module: URL;
  /** Returns further `workerData`, with the ports in it; absent: there are none. */
  readonly createData?: () => { readonly data: object; readonly ports: readonly MessagePort[] };
  readonly blobs: Pick<BlobStore, 'get'>;
  readonly reportFailure: (message: string, cause: unknown) => void;
}

/** The heap of a plan. */
const MOST_MEGABYTES = 512;
const LOOK_MS = 1000;
/** A plan may compute for so long between two waits. */
const MOST_COMPUTING_SECONDS = 60;

/** Returns what starts threads of this process for plans. */
export function planThreads(options: PlanThreadOptions): StartPlanThread {
  return (order, listener) => new WorkerPlanThread(options, order, listener);
}

class WorkerPlanThread implements PlanThread {
  readonly #options: PlanThreadOptions;
  readonly #listener: PlanListener;
  readonly #worker: Worker;
  readonly #answers: MessagePort;
  readonly #memory = new Int32Array(new SharedArrayBuffer(SHARED.size * Int32Array.BYTES_PER_ELEMENT));
  readonly #timer: NodeJS.Timeout;
  #turns = 0;
  #computing = 0;
  #isOver = false;

  constructor(options: PlanThreadOptions, order: PlanOrder, listener: PlanListener) {
    const { port1, port2 } = new MessageChannel();
    const { data = {}, ports = [] } = options.createData?.() ?? {};
    const ofPlan: PlanThreadData = { order, answers: port2, memory: this.#memory };
    this.#options = options;
    this.#listener = listener;
    this.#answers = port1;
    this.#worker = new Worker(options.module, {
      workerData: { ...data, ...ofPlan },
      transferList: [port2, ...ports],
      resourceLimits: { maxOldGenerationSizeMb: MOST_MEGABYTES },
    });
    this.#worker.on('message', (post: ThreadPost) => this.#take(post));
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('exit', (code) => this.#fail(new Error(`the thread of a plan ended with code ${code}`)));
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
    this.#timer.unref();
  }

  answer(id: number, outcome: Parameters<PlanThread['answer']>[1]): void {
    this.#send({ kind: 'outcome', id, outcome });
  }

  terminate(): void {
    if (this.#isOver) return;
    this.#close();
  }

  #send(answer: ThreadAnswer): void {
    if (this.#isOver) return;
    this.#answers.postMessage(answer);
    Atomics.add(this.#memory, SHARED.answers, 1);
    Atomics.notify(this.#memory, SHARED.answers);
  }

  #take(post: ThreadPost): void {
    if (this.#isOver) return;
    if (post.kind === 'begin') this.#listener.begin(post.id, post.effect);
    else if (post.kind === 'note') this.#listener.note(post.note);
    else if (post.kind === 'content') void this.#sendContent(post.sha256);
    else if (post.kind === 'fault') this.#fail(new Error(post.message));
    else {
      this.#close();
      this.#listener.end(post.end);
    }
  }

  async #sendContent(sha256: string): Promise<void> {
    const bytes = await this.#options.blobs.get(`files/${sha256}`).catch((error: unknown) => {
      this.#options.reportFailure('A file of a plan could not be read', error);
      return null;
    });
    this.#send({ kind: 'content', sha256, bytes });
  }

  /** Ends a plan that computes without an end. */
  #look(): void {
    const turns = Atomics.load(this.#memory, SHARED.turns);
    const isComputing = Atomics.load(this.#memory, SHARED.isWaiting) === 0 && turns === this.#turns;
    this.#turns = turns;
    this.#computing = isComputing ? this.#computing + 1 : 0;
    if (this.#computing <= MOST_COMPUTING_SECONDS || this.#isOver) return;
    this.#close();
    this.#listener.fail(`The plan computed for more than ${MOST_COMPUTING_SECONDS} seconds without an action`);
  }

  #fail(error: unknown): void {
    if (this.#isOver) return;
    this.#close();
    const isFull = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
    if (!isFull) this.#options.reportFailure('The thread of a plan ended', error);
    this.#listener.fail(
      isFull
        ? `The plan needed more than ${MOST_MEGABYTES} MB of memory`
        : 'The plan could not be evaluated: the log of the server says why',
    );
  }

  #close(): void {
    this.#isOver = true;
    clearInterval(this.#timer);
    this.#answers.close();
    void this.#worker.terminate();
  }
}
