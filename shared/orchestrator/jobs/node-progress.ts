import type { JobOrder } from './job-order.ts';
import type { NodeOutcome } from './node-outcome.ts';
import type { Pass } from './pacing.ts';

/** A node that was asked, while its outcome is not known. */
export interface RunningNode {
  readonly index: number;
  readonly name: string;
  /** 1, and one more for each time that another run of Puppet held the agent's lock. */
  readonly attempt: number;
  readonly transactionId: string;
  readonly startedAt: number;
  /** The agent said that it has the request. */
  isAccepted: boolean;
  awaits: 'acceptance' | 'outcome';
  /** When something has to be done unless the agent answers. */
  dueAt: number;
  /** Number of times that the request was sent. */
  requests: number;
  /** Status queries since the agent last said anything. */
  queries: number;
  /** Ids of the status queries. */
  readonly queryIds: string[];
  /** Why the last request was not delivered; null when it was. */
  undelivered: string | null;
  readonly pass: Pass | null;
  latestEvent: number;
}

/** Progress of a node whose agent got no request yet. */
export const NOT_ASKED = { isAccepted: false, requests: 0, queries: 0, undelivered: null } as const;

/** Time limits of a request, in milliseconds, and how often it is repeated. */
export const PATIENCE = {
  acceptanceMs: 30_000,
  /** An agent that lost its connection comes back after a fifth of a second. */
  reconnectMs: 3000,
  requests: 2,
  queryMs: 12_000,
  queries: 35,
  /** Between two tries while another run of Puppet goes on; agents wait ten minutes as well. */
  lockedMs: 30_000,
  /** Longest time in all that a node waits for other runs of Puppet. */
  lockedForMs: 30 * 60_000,
  /** After our own restart, all agents have to connect again. */
  restartMs: 60_000,
} as const;

/** The message of a node that begins. */
export function describeStart({ kind }: Pick<JobOrder, 'kind'>, name: string): string {
  return kind === 'puppet' ? `Started puppet run on ${name} ...` : `Started on ${name} ...`;
}

/** The message of a node that waits for a run of Puppet that is not the job's. */
export function describeWait(name: string): string {
  return `Puppet already runs on ${name}, waiting for its end ...`;
}

/** The message of a node that ended. */
export function describeEnd(
  { kind }: Pick<JobOrder, 'kind'>,
  { name, attempt }: Pick<RunningNode, 'name' | 'attempt'>,
  { state, reason }: NodeOutcome,
): string {
  const hasWaited = attempt > 1;
  if (state !== 'finished') {
    const end = hasWaited ? '; it waited for another run of Puppet' : '';
    return `Error running ${kind === 'puppet' ? 'puppet' : 'task'} on ${name}: ${reason}${end}`;
  }
  if (kind !== 'puppet') return `Finished on node ${name} - Success!`;
  return `Finished puppet run on ${name} - Success!${hasWaited ? ' It waited for another run of Puppet.' : ''}`;
}
