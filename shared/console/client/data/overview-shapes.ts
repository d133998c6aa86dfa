import type { ApiSchema } from '../../../api/described-answers.ts';

export type ShownState = ApiSchema<'FleetState'>;
export type Deploy = ApiSchema<'Deploy'>;
export type Overview = ApiSchema<'Overview'>;
/** A queue: jobs that wait, jobs that run, and the age of the oldest. */
export type QueueCount = ApiSchema<'QueueDepths'>[string];

/** Returns the state of a deploy in a word. */
export function stateOfDeploy({ isInForce, isSettled }: Deploy): string {
  if (!isSettled) return 'running';
  return isInForce ? 'in force' : 'replaced';
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
