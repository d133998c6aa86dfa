import type { JobRecord, NodeRun } from '../../shared/store/ports/job-records.ts';
import { OWNER } from './orchestration.ts';

const NOW = Date.UTC(2026, 10, 22);

/** A job that has just been made. */
export const JOB: JobRecord = {
  command: 'deploy',
  environment: 'production',
  owner: OWNER,
  createdAt: NOW,
  startedAt: null,
  finishedAt: null,
  stays: [{ state: 'new', enteredAt: NOW, leftAt: null }],
  options: { value: { noop: false } },
  order: { value: {} },
  targets: 'jobs/1/targets',
  nodeCount: 2,
  nodeStates: {},
  task: null,
  description: '',
  concurrency: null,
  planJob: null,
};

/** A node of a job. */
export const run = (name: string, state: NodeRun['state'] = 'running', result: unknown = null): NodeRun => ({
  name,
  state,
  attempt: 1,
  transactionId: '0a1b',
  isAccepted: false,
  startedAt: NOW,
  finishedAt: null,
  message: '',
  details: {},
  result: result === null ? null : { value: result },
  transactionUuid: null,
  latestEvent: 1,
});
