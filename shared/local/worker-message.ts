import type { MessagePort } from 'node:worker_threads';
import type { RubyChoice } from '../cli/commands/ruby-choice.ts';
import type { Strictness } from '../config/strictness.ts';
import type { CompileJobReport } from '../fleet/compiles/compile-job-report.ts';
import type { ExportTiming } from '../fleet/compiles/export-interval.ts';
import type { ReceivedCompileJob } from '../store/ports/compile-queue.ts';
import type { StoresWay } from './server-stores.ts';

/** Settings that all workers of a server share. */
export interface WorkerSettings {
  readonly server: { readonly name: string; readonly ip: string };
  readonly ruby: RubyChoice;
  readonly strictness: Strictness;
  /** Delays before changed exports invalidate nodes. */
  readonly timing: ExportTiming;
  /**
   * Time limit of a job, in milliseconds. Its compile may take half of it; a longer compile is a
   * failure of the node's code. A worker that exceeds the whole limit is terminated, and its job is
   * retried.
   */
  readonly limitMs: number;
  /** The load average above which no job starts that nobody waits for; null: none. */
  readonly maxLoad: number | null;
}

/** The `workerData` that the main thread passes to `functions/local-worker.ts`. */
export interface WorkerData extends WorkerSettings {
  readonly stores: StoresWay;
  /** The way to the inventory; absent without one. */
  readonly inventory?: MessagePort;
}

/**
 * A message from a compile worker. The main thread posts `stop` to the worker, which then finishes
 * its job and exits.
 */
export type WorkerMessage =
  | {
      readonly kind: 'report';
      readonly report: CompileJobReport;
      /** Packs of code that were missing or damaged since the last report; 0 by default. */
      readonly missingPacks?: number;
    }
  /** A job (null: receiving one, or invalidating collectors) failed on our side and is retried. */
  | { readonly kind: 'fault'; readonly certname: string | null; readonly message: string };

/**
 * Everything that a worker posts: messages, and the start of a job, for the time limit of the pool.
 */
export type WorkerPost = WorkerMessage | { readonly kind: 'began'; readonly job: ReceivedCompileJob };
