import type { DeadMessage } from './dead-message.ts';

export interface CompileJob {
  readonly certname: string;
  /**
   * The wanted generation. `wanted + 1` when nothing is outstanding: then the job only verifies
   * (the ring's jobs).
   */
  readonly generation: number;
  readonly reason: string;
  /** When the reason occurred. */
  readonly at: number;
  /** The job is delivered at this time at the earliest; absent: at once. */
  readonly notBefore?: number;
  /**
   * Sent to the `waiting` queue for a node that waits. A worker that receives it when the node's
   * record says that nobody waits gives it up. `upgrade`: another job of the node is in a queue of
   * lower priority. The embedded queue has no use for it: its `demote` moves jobs.
   */
  readonly waiting?: 'alone' | 'upgrade';
  /**
   * A volatile catalog that was compiled before this time is compiled again. Absent: volatile calls
   * are no reason to compile.
   */
  readonly volatileBefore?: number;
  /**
   * Id of a compile request whose caller waits for the answer: see
   * `fleet/compiles/compile-question.ts`.
   */
  readonly request?: string;
  /**
   * Name of an environment that the worker only opens, so that its next compile there is fast.
   * `certname` is then `environment:` and that name.
   */
  readonly warm?: string;
}

/** Queues by priority: jobs that a node waits for, jobs of accepted changes, jobs of the ring. */
export const QUEUE_NAMES = ['waiting', 'express', 'background'] as const;
export type QueueName = (typeof QUEUE_NAMES)[number];

export interface ReceivedCompileJob {
  readonly job: CompileJob;
  /** Stable across receives of the job, and unique. */
  readonly id: string;
  /** The handle for `acknowledge` and `retryAfter`, valid until the visibility time-out ends. */
  readonly receipt: string;
  readonly queue: QueueName;
  /** Number of receives, including this one. */
  readonly receiveCount: number;
}

export interface QueueDepth {
  readonly visible: number;
  /** Received but not acknowledged. */
  readonly inFlight: number;
  /** 0 for an empty queue, and always 0 in AWS (CloudWatch measures it). */
  readonly oldestAgeMs: number;
}

export interface CompileQueue {
  /**
   * Sends jobs, to be delivered after `delayMs` and not before a job's own `notBefore`. In AWS a
   * job is delivered after a quarter of an hour at the latest; its receiver has it wait for the
   * rest. The embedded queue joins a job with one of the same node that no worker has, in the queue
   * with the higher priority, for the later of their generations; in AWS, both are received.
   */
  send(queue: QueueName, jobs: readonly CompileJob[], delayMs?: number): Promise<void>;
  /**
   * Takes back the priority of a node's `waiting` job that no worker has. The embedded queue moves
   * it to `express`; in AWS the worker that receives it gives it up (see `NodeStore.demote`).
   */
  demote(certname: string): Promise<void>;
  /**
   * Receives up to `limit` (at most 10) jobs of these queues (default: all) by queue priority;
   * waits up to `waitMs` for the first one. Received jobs are invisible to others for the
   * visibility time-out.
   */
  receive(
    limit: number,
    waitMs: number,
    signal?: AbortSignal,
    queues?: readonly QueueName[],
  ): Promise<readonly ReceivedCompileJob[]>;
  /** Removes the job. Does nothing when the receipt is no longer valid. */
  acknowledge(job: ReceivedCompileJob): Promise<void>;
  /**
   * Makes the job visible again after `delayMs`. After `maxReceives` receives it goes to the
   * dead-letter queue.
   */
  retryAfter(job: ReceivedCompileJob, delayMs: number): Promise<void>;
  getDepth(): Promise<Readonly<Record<QueueName | 'dead', QueueDepth>>>;
  /** Lists up to `limit` dead letters, which stay. In AWS a look sees up to 200 of a queue. */
  listDeadLetters(limit: number): Promise<readonly DeadMessage<CompileJob>[]>;
  /**
   * Sends dead letters again, to the queue of accepted changes, as if they were never received.
   * Returns the jobs; an id that is none of a dead letter has no effect. Unreadable letters stay.
   * In AWS a look sees 200 of a queue at most, and a job may be sent twice when the process ends
   * meanwhile.
   */
  redrive(ids: readonly string[]): Promise<readonly CompileJob[]>;
}
