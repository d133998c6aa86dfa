export interface CompileJob {
  readonly certname: string;
  /**
   * The generation that is wanted; one more than `wanted` when nothing is, which asks to verify
   * (the ring's jobs).
   */
  readonly generation: number;
  readonly reason: string;
  /** When the reason arose. */
  readonly at: number;
  /**
   * The id of a question that somebody waits for the answer of: see
   * `fleet/compiles/compile-request.ts`.
   */
  readonly request?: string;
}

/**
 * In this order: jobs that a node waits for, those of changes that were accepted, those of the
 * ring.
 */
export const QUEUE_NAMES = ['waiting', 'express', 'background'] as const;
export type QueueName = (typeof QUEUE_NAMES)[number];

export interface ReceivedCompileJob {
  readonly job: CompileJob;
  /** The same each time that the job is received; no other job has it. */
  readonly id: string;
  /** For `done`, `retryAfter`: valid until the visibility time-out ends. */
  readonly receipt: string;
  readonly queue: QueueName;
  /** How often it was received, this time included. */
  readonly receiveCount: number;
}

export interface QueueDepth {
  readonly visible: number;
  /** Received and not done yet. */
  readonly inFlight: number;
  /** 0 when there is none; in AWS always 0 (CloudWatch knows it). */
  readonly oldestAgeMs: number;
}

export interface CompileQueue {
  send(queue: QueueName, jobs: readonly CompileJob[], delayMs?: number): Promise<void>;
  /**
   * Up to `limit` (at most 10) jobs, in the order of the queues; waits up to `waitMs` for one. They
   * are invisible to others for the visibility time-out.
   */
  receive(limit: number, waitMs: number, signal?: AbortSignal): Promise<readonly ReceivedCompileJob[]>;
  /** Takes the job out. Does nothing when the receipt is no longer valid. */
  acknowledge(job: ReceivedCompileJob): Promise<void>;
  /**
   * Makes the job visible again after `delayMs`; after `maxReceives` receives it goes to the
   * dead-letter queue.
   */
  retryAfter(job: ReceivedCompileJob, delayMs: number): Promise<void>;
  getDepth(): Promise<Readonly<Record<QueueName | 'dead', QueueDepth>>>;
  /** Takes dead letters out, for inspection. */
  takeDeadLetters(limit: number): Promise<readonly CompileJob[]>;
}
