import type { JobOrder } from './job-order.ts';
import type { NodeOutcome } from './node-outcome.ts';
import type { Pass } from './pacing.ts';

/** A node that was asked, while its outcome is not known. */
export interface RunningNode {
  readonly index: number;
  readonly name: string;
  readonly attempt: number;
  readonly transactionId: string;
  readonly startedAt: number;
  /** The agent said that it has the request. */
  isAccepted: boolean;
  awaits: 'acceptance' | 'outcome';
  /** When something has to be done unless the agent answers. */
  dueAt: number;
  /** How often the request was sent. */
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

/** Time limits of a request, in milliseconds, and how often it is repeated. */
export const PATIENCE = {
  acceptanceMs: 30_000,
  /** An agent that lost its connection comes back after a fifth of a second. */
  reconnectMs: 3000,
  requests: 2,
  queryMs: 12_000,
  queries: 35,
  /** After our own restart, all agents have to connect again. */
  restartMs: 60_000,
} as const;

/** The message of a node that begins. */
export function describeStart({ kind }: Pick<JobOrder, 'kind'>, name: string): string {
  return kind === 'puppet' ? `Started puppet run on ${name} ...` : `Started on ${name} ...`;
}

/** The message of a node that ended. */
export function describeEnd({ kind }: Pick<JobOrder, 'kind'>, name: string, { state, reason }: NodeOutcome): string {
  if (state !== 'finished') return `Error running ${kind === 'puppet' ? 'puppet' : 'task'} on ${name}: ${reason}`;
  return kind === 'puppet' ? `Finished puppet run on ${name} - Success!` : `Finished on node ${name} - Success!`;
}
