import type { ApiSchema } from '../../../api/described-answers.ts';
import type { Deploy } from './overview-shapes.ts';

export type FailureRow = ApiSchema<'FleetFailure'>;
type CodeLine = FailureRow['lines'][number];

/** `modules/ntp/manifests/init.pp:12`. */
export function printLine({ file, line }: CodeLine): string {
  return line === null ? file : `${file}:${line}`;
}

/** The deploy that a failure began with, as lists of deploys have it; null without one. */
export function deployOf({ environment, deploy }: FailureRow): Deploy | null {
  if (deploy === null) return null;
  const { codeId, previous, at, user } = deploy;
  return { environment, codeId, previous, at, user, isInForce: true, isSettled: true };
}

/** The address of a new job, a Puppet run or a task, on the nodes that a failure names. */
export function jobPathOf({ nodes, environment }: FailureRow, command: 'deploy' | 'task'): string {
  const wanted = new URLSearchParams({ nodes: nodes.join(',') });
  if (command === 'task') {
    wanted.set('command', command);
    wanted.set('environment', environment);
  }
  return `/jobs/new?${wanted}`;
}
