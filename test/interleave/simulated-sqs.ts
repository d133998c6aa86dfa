import {
  type CompileJob,
  type CompileQueue,
  QUEUE_NAMES,
  type QueueDepth,
  type QueueName,
  type ReceivedCompileJob,
} from '../../shared/store/ports/compile-queue.ts';
import type { DeadMessage } from '../../shared/store/ports/dead-message.ts';

interface Message {
  readonly id: string;
  queue: QueueName | 'dead';
  readonly job: CompileJob;
  visibleAt: number;
  receives: number;
  receipt: string | null;
  /** How often the message is delivered again after it was acknowledged. */
  copies: number;
}

export interface SqsOptions {
  /** Each message is delivered so often more, also after it was acknowledged. */
  readonly copies?: number;
  /** Delivers the newest message first. */
  readonly isReversed?: boolean;
}

const VISIBILITY_MS = 15 * 60_000;
const LONGEST_DELAY_MS = 15 * 60_000;
const MAX_RECEIVES = 5;

/**
 * Compile queues as SQS's standard queues behave: messages of a node are not joined, may be
 * delivered twice and in any order, and cannot be moved.
 */
export class SimulatedSqs implements CompileQueue {
  readonly #messages: Message[] = [];
  readonly #now: () => number;
  readonly #senderNow: () => number;
  readonly #options: SqsOptions;
  #count = 0;

  /** `now` is the time of SQS, which no clock of ours changes. */
  constructor(now: () => number, senderNow: () => number, options: SqsOptions = {}) {
    this.#now = now;
    this.#senderNow = senderNow;
    this.#options = options;
  }

  async send(queue: QueueName, jobs: readonly CompileJob[], delayMs = 0): Promise<void> {
    const now = this.#now();
    const sentAt = this.#senderNow();
    for (const job of jobs) {
      const delay = Math.min(Math.max(delayMs, (job.notBefore ?? 0) - sentAt, 0), LONGEST_DELAY_MS);
      this.#messages.push({
        id: `m${this.#count++}`,
        queue,
        job: structuredClone(job),
        visibleAt: now + delay,
        receives: 0,
        receipt: null,
        copies: this.#options.copies ?? 0,
      });
    }
  }

  /** A message cannot be found by its content. */
  async demote(): Promise<void> {}

  async receive(
    limit: number,
    _waitMs: number,
    _signal?: AbortSignal,
    queues: readonly QueueName[] = QUEUE_NAMES,
  ): Promise<readonly ReceivedCompileJob[]> {
    const received: ReceivedCompileJob[] = [];
    for (const queue of queues) {
      const visible = this.#messages.filter((one) => one.queue === queue && one.visibleAt <= this.#now());
      if (this.#options.isReversed) visible.reverse();
      for (const message of visible) {
        if (received.length >= limit) return received;
        if (message.receives >= MAX_RECEIVES) {
          message.queue = 'dead';
          continue;
        }
        message.receives += 1;
        message.visibleAt = this.#now() + VISIBILITY_MS;
        message.receipt = `${message.id}.${message.receives}`;
        const { id, job, receipt, receives: receiveCount } = message;
        received.push({ id, job: structuredClone(job), receipt, queue, receiveCount });
      }
    }
    return received;
  }

  async acknowledge({ receipt }: ReceivedCompileJob): Promise<void> {
    const index = this.#messages.findIndex((one) => one.receipt === receipt);
    const message = this.#messages[index];
    if (!message) return;
    message.copies -= 1;
    if (message.copies < 0) this.#messages.splice(index, 1);
    else Object.assign(message, { visibleAt: this.#now(), receipt: null });
  }

  async retryAfter({ receipt }: ReceivedCompileJob, delayMs: number): Promise<void> {
    const message = this.#messages.find((one) => one.receipt === receipt);
    if (message) Object.assign(message, { visibleAt: this.#now() + delayMs, receipt: null });
  }

  /** The jobs of a node that no dead letter is. */
  countJobs(certname: string): number {
    return this.#messages.filter(({ job, queue }) => job.certname === certname && queue !== 'dead').length;
  }

  /** The state of the queues. */
  print(): string {
    return JSON.stringify(this.#messages);
  }

  hasVisible(): boolean {
    return this.#messages.some(({ queue, visibleAt }) => queue !== 'dead' && visibleAt <= this.#now());
  }

  async getDepth(): Promise<Readonly<Record<QueueName | 'dead', QueueDepth>>> {
    const depth = (queue: QueueName | 'dead'): QueueDepth => {
      const visible = this.#messages.filter((one) => one.queue === queue).length;
      return { visible, inFlight: 0, oldestAgeMs: 0 };
    };
    return {
      waiting: depth('waiting'),
      express: depth('express'),
      background: depth('background'),
      dead: depth('dead'),
    };
  }

  async listDeadLetters(): Promise<readonly DeadMessage<CompileJob>[]> {
    return [];
  }

  async redrive(): Promise<readonly CompileJob[]> {
    return [];
  }
}
