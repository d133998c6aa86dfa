/** The answers of `/understudy/v1` that more than one page reads. Times are in ms since 1970. */

export type ShownState = 'current' | 'stale' | 'failing' | 'volatile' | 'silent' | 'new';

export interface Deploy {
  readonly environment: string;
  readonly codeId: string;
  /** The code before; null when it is not known. */
  readonly previous: string | null;
  readonly at: number;
  readonly user: string | null;
  /** Whether its code is that of the environment now. */
  readonly isInForce: boolean;
  /** Whether all nodes that it affects know of it. */
  readonly isSettled: boolean;
}

/** Returns the state of a deploy in a word. */
export function stateOfDeploy({ isInForce, isSettled }: Deploy): string {
  if (!isSettled) return 'running';
  return isInForce ? 'in force' : 'replaced';
}

/** A queue: jobs that wait, jobs that run, and the age of the oldest. */
export interface QueueCount {
  readonly visible: number;
  readonly inFlight: number;
  readonly oldestAgeMs: number;
}

export interface Overview {
  /** When it was as the stores; null while it is being read. */
  readonly at: number | null;
  /** False while the nodes are read for the first time: numbers grow. */
  readonly isComplete: boolean;
  readonly total: number;
  readonly states: Readonly<Partial<Record<ShownState, number>>>;
  readonly silentAfterSeconds: number;
  /** Catalogs by their age; `upTo` in seconds, null for all older ones. */
  readonly ages: readonly { readonly upTo: number | null; readonly nodes: number }[];
  /** Answers to requests for catalogs by their kind, and since when they are counted. */
  readonly requests: Readonly<Record<string, number>> & { readonly since: number };
  /** The queues by name; `dead` holds what was given up. */
  readonly queue: Readonly<Record<string, QueueCount>>;
  readonly ring: { readonly position: number | null };
  readonly certificateRequests: number | null;
  readonly deploys: readonly Deploy[];
}

/** All queues but that of dead letters as one. */
export function addQueues(queues: Overview['queue']): QueueCount {
  const live = Object.entries(queues).flatMap(([name, queue]) => (name === 'dead' ? [] : [queue]));
  return {
    visible: live.reduce((sum, { visible }) => sum + visible, 0),
    inFlight: live.reduce((sum, { inFlight }) => sum + inFlight, 0),
    oldestAgeMs: Math.max(0, ...live.map(({ oldestAgeMs }) => oldestAgeMs)),
  };
}
