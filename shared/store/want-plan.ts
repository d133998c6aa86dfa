import type { CompileJob } from './ports/compile-queue.ts';
import type { NodeRecord } from './ports/node-record.ts';
import type { WantChange } from './ports/node-store.ts';

/** State of a node on which the effect of a new reason depends. */
export interface WantState extends Pick<NodeRecord, 'wanted' | 'started' | 'built' | 'asked'> {
  /** When the lease ends; in the past without a lease. */
  readonly leasedUntil: number;
  /** The revision for which the node was invalidated last. */
  readonly invalidatedFor: string | null;
}

/** Effect of a new reason. */
export interface WantPlan extends Pick<NodeRecord, 'wanted' | 'asked'> {
  readonly isJobDue: boolean;
  /** Whether the job that is due has priority over one that stands for the node already. */
  readonly isUpgrade: boolean;
  /** False: the node was invalidated for this revision before, and nothing changes. */
  readonly isNews: boolean;
}

/**
 * Plans what a reason at time `at` does to a node. It increments `wanted`, unless an outstanding
 * compile has not started. A job is due, unless
 *
 * - a job stands for the outstanding generation: it is in the queue, or its worker failed and it
 *   will be received again. A caller that waits needs a job with priority, and only a reason that
 *   may wait is served by a job that is received later.
 * - a worker has a current lease: it compiles the node again in its next round, or its job is
 *   received again. A caller that waits sends a job, which survives the worker.
 *
 * A caller that repeats a revision may have died before it sent its jobs. So a job is due again,
 * unless the compile started.
 */
export function planWant(state: WantState, at: number, change: WantChange): WantPlan {
  const { wanted, started, built, asked, leasedUntil } = state;
  const isOutstanding = built < wanted;
  const isPending = isOutstanding && started < wanted;
  const isLeased = leasedUntil > at;
  if (change.revision !== undefined && state.invalidatedFor === change.revision) {
    return { wanted, asked, isJobDue: change.asked && isPending && !isLeased, isUpgrade: false, isNews: false };
  }
  const next = isPending ? wanted : wanted + 1;
  if (!change.asked) return { wanted: next, asked, isJobDue: false, isUpgrade: false, isNews: true };
  const { waiting = false, mayWait = false } = change;
  const isSent = asked.at > 0 && (asked.at <= at || mayWait);
  const hasJob = isOutstanding && asked.generation >= wanted && isSent;
  const isCovered = waiting ? hasJob && asked.waiting : hasJob || isLeased;
  if (isCovered) {
    const claim = hasJob ? { ...asked, generation: next } : asked;
    return { wanted: next, asked: claim, isJobDue: false, isUpgrade: false, isNews: true };
  }
  const claim = { generation: next, at, waiting };
  return { wanted: next, asked: claim, isJobDue: true, isUpgrade: waiting && hasJob, isNews: true };
}

/** Creates the job to send in place of a dead letter: due at once, and no agent waits. */
export function renewJob({ certname, generation, reason, at, volatileBefore, warm }: CompileJob): CompileJob {
  return {
    ...{ certname, generation, reason, at },
    ...(volatileBefore === undefined ? {} : { volatileBefore }),
    ...(warm === undefined ? {} : { warm }),
  };
}
