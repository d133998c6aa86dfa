import type { JobOwner, JobRecord } from '../../store/ports/job-records.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { readDeployRequest } from '../jobs/deploy-request.ts';
import type { JobOrder, JobTargets } from '../jobs/job-order.ts';
import { keepValue } from '../jobs/kept-values.ts';
import { makeTransactionId } from '../pxp/transaction-id.ts';

/** The owner of jobs that nobody asked for. */
const OWNER: JobOwner = {
  id: makeTransactionId('user', 'understudy'),
  login: 'understudy',
  email: '',
  displayName: 'Understudy',
  isGroup: false,
  isRemote: false,
  isSuperuser: false,
  isRevoked: false,
  lastLogin: null,
  roleIds: [],
};

/** Larger options are in blobs: lists of jobs read the rest of each. */
const MOST_IN_HEAD_BYTES = 4096;

interface WaveJobParts {
  readonly stores: Pick<Stores, 'jobs' | 'blobs' | 'clock'>;
  /** Retention of jobs. */
  readonly keepMs: number;
}

/** The description of a job that notifies nodes of an environment. */
export function describeWave(environment: string): string {
  return `Catalogs of ${environment} changed`;
}

/** Stores a job that notifies nodes. Its number was taken before; a repeated call is harmless. */
export async function createWaveJob(
  number: number,
  environment: string,
  targets: JobTargets,
  { stores, keepMs }: WaveJobParts,
): Promise<void> {
  const { jobs, blobs, clock } = stores;
  const { names } = targets;
  const now = clock.now();
  const description = describeWave(environment);
  const request = readDeployRequest({
    environment: '',
    enforce_environment: false,
    scope: { nodes: names },
    description,
    userdata: { notify: { environment } },
  });
  const shown = { options: request.options, userdata: request.userdata };
  const body: JobRecord = {
    command: 'deploy',
    environment,
    owner: OWNER,
    createdAt: now,
    startedAt: null,
    finishedAt: null,
    stays: [{ state: 'new', enteredAt: now, leftAt: null }],
    options: await keepValue(blobs, `jobs/${number}/options`, shown, MOST_IN_HEAD_BYTES),
    order: { value: orderRun(request.order) },
    targets: `jobs/${number}/targets`,
    nodeCount: names.length,
    nodeStates: { new: names.length },
    task: null,
    description,
    concurrency: null,
    planJob: null,
  };
  await blobs.put(body.targets, Buffer.from(JSON.stringify(targets)));
  await jobs.create('job', number, body, { isOpen: true, expiresAt: now + keepMs });
}

/** Nodes keep their environments, and fetch the catalog also where agents use cached ones. */
function orderRun(order: JobOrder): JobOrder {
  return { ...order, params: { flags: ['--no-use_cached_catalog'] }, isGated: true };
}
