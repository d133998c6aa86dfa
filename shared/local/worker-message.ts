import type { RubyChoice } from '../cli/commands/ruby-choice.ts';
import type { CompileJobReport } from '../fleet/compiles/compile-job-report.ts';
import type { ReceivedCompileJob } from '../store/ports/compile-queue.ts';

/** What the main thread hands to `functions/local-worker.ts` as `workerData`. */
export interface WorkerData {
  /** The data directory. */
  readonly directory: string;
  readonly server: { readonly name: string; readonly ip: string };
  readonly ruby: RubyChoice;
  /**
   * How long a job may take, in milliseconds. Its compile may take half of that, and is a failure
   * of the node's code then; a worker that takes longer is ended, and its job comes again.
   */
  readonly limitMs: number;
}

/**
 * What a compile worker posts. The main thread posts `stop`: the worker then ends its job and
 * exits.
 */
export type WorkerMessage =
  | { readonly kind: 'report'; readonly report: CompileJobReport }
  /** A job (null: taking one, or telling collectors) failed on our side and is tried again. */
  | { readonly kind: 'fault'; readonly certname: string | null; readonly message: string };

/**
 * Everything that a worker posts: news, and that it takes up a job, for the pool's watch over time.
 */
export type WorkerPost = WorkerMessage | { readonly kind: 'began'; readonly job: ReceivedCompileJob };
