import type { Permission } from '../access/accounts/access-control.ts';
import type { CertificateAuthority } from '../access/ca/authority.ts';
import type { ApiSchema } from '../api/described-answers.ts';
import { readCodeWork } from '../fleet/code/code-lock.ts';
import { readFanOutProgress } from '../fleet/fan-out/fan-out-progress.ts';
import { stateOfStage } from '../fleet/stages/environment-note.ts';
import { readStageCounts } from '../fleet/stages/stage-progress.ts';
import { parseLane } from '../orchestrator/notify/notify-lane.ts';
import { type Rollout, RolloutStore } from '../orchestrator/notify/rollout-state.ts';
import type { QueueDepth, QueueName } from '../store/ports/compile-queue.ts';
import type { EnvironmentRecord } from '../store/ports/environment-store.ts';
import type { Stores } from '../store/ports/stores.ts';
import { DAY_MS } from '../util/day.ts';

/** The work under way, as the API shows it. */
export type ShownActivity = ApiSchema<'Activity'>;
type OpenJobs = NonNullable<ShownActivity['jobs']>;

interface ActivityParts {
  readonly stores: Pick<Stores, 'documents' | 'clock' | 'processes'> & {
    readonly environments: Pick<Stores['environments'], 'list'>;
    readonly jobs: Pick<Stores['jobs'], 'get' | 'listOpen'>;
  };
  readonly readDepth: () => Promise<Readonly<Record<QueueName | 'dead', QueueDepth>>>;
  /** Null where another server has the CA. */
  readonly authority: () => Pick<CertificateAuthority, 'listCertificateEnds'> | null;
}

/** Ages of the oldest job from which on a queue is too old. */
const OLD_MS: Readonly<Partial<Record<QueueName | 'dead', number>>> = { waiting: 2 * 60_000, express: 10 * 60_000 };
/** Time before the end of a certificate of the CA from which on it is shown. */
const EXPIRES_SOON_MS = 90 * DAY_MS;
const MOST_ROWS = 20;
/** Open jobs of a kind that are read; the others are counted. */
const MOST_JOBS = 3;

/**
 * Reads the work under way that concerns the whole fleet: no node is read, and a few documents,
 * whatever the fleet has.
 */
export async function readActivity({ stores, readDepth, authority }: ActivityParts): Promise<ShownActivity> {
  const now = stores.clock.now();
  const [work, rollouts, depth, environments] = await Promise.all([
    readCodeWork(stores),
    new RolloutStore(stores.documents).list(),
    readDepth(),
    stores.environments.list(),
  ]);
  const notified = rollouts.flatMap(({ lane, rollout }) => describeLane(lane, rollout));
  const ending = (authority()?.listCertificateEnds() ?? [])
    .map(({ name, at }) => ({ name, at: at.getTime() }))
    .filter(({ at }) => at - now < EXPIRES_SOON_MS)
    .toSorted((a, b) => a.at - b.at);
  return {
    at: now,
    hasCode: environments.length > 0,
    stages: await listStages(environments, stores),
    fanOuts: await listFanOuts(environments, stores),
    notified: notified.slice(0, MOST_ROWS),
    jobs: await readOpenJobs(stores.jobs, new Set(rollouts.flatMap(({ rollout }) => numbersOf(rollout)))),
    codeWork: [...work],
    oldQueues: Object.entries(depth)
      .filter(([name, { oldestAgeMs }]) => oldestAgeMs > (OLD_MS[name as QueueName] ?? Number.POSITIVE_INFINITY))
      .map(([queue, { visible, oldestAgeMs }]) => ({ queue, visible, oldestAgeMs })),
    expires: ending[0] ?? null,
  };
}

const all = (objectType: string, action: string): Permission => ({ objectType, action, instance: '*' });

/** Leaves out what belongs to pages that the user may not open. */
export async function restrictActivity(
  activity: ShownActivity,
  permits: (permission: Permission) => Promise<boolean>,
): Promise<ShownActivity> {
  const [maySeeJobs, maySeeUpkeep, maySeeAuthority] = await Promise.all([
    permits(all('orchestrator', 'view')),
    permits(all('configuration', 'view')),
    permits(all('cert_requests', 'accept_reject')),
  ]);
  return {
    ...activity,
    notified: maySeeJobs ? activity.notified : null,
    jobs: maySeeJobs ? activity.jobs : null,
    codeWork: activity.codeWork.filter((work) => work === 'deploy' || maySeeUpkeep),
    expires: maySeeAuthority ? activity.expires : null,
  };
}

async function listStages(
  environments: readonly EnvironmentRecord[],
  stores: Pick<Stores, 'documents'>,
): Promise<ShownActivity['stages']> {
  const staged = environments.flatMap(({ name, stage }) => (!stage || stage.isEnding ? [] : [{ name, stage }]));
  const read = staged.slice(0, MOST_ROWS).map(async ({ name, stage }) => {
    const { codeId, begunAt, canaries, held, plan } = stage;
    const state = stateOfStage(stage) === 'held' ? ('held' as const) : ('trial' as const);
    const times = { since: begunAt, until: begunAt + plan.waitMs };
    const counts = (await readStageCounts(name, stage, stores)) ?? { good: null, worse: null };
    const reason = held?.reason ?? null;
    return { environment: name, codeId, state, reason, canaries: canaries.length, ...counts, ...times };
  });
  return Promise.all(read);
}

/** The deploys of which not all nodes have notice yet. */
async function listFanOuts(
  environments: readonly EnvironmentRecord[],
  { documents }: Pick<Stores, 'documents'>,
): Promise<ShownActivity['fanOuts']> {
  const unsettled = environments.filter(({ settled, revision }) => settled < revision).slice(0, MOST_ROWS);
  const read = unsettled.map(async (record) => {
    const progress = await readFanOutProgress(record, { documents });
    return { environment: record.name, nodes: progress?.nodes ?? 0 };
  });
  return Promise.all(read);
}

/** The nodes of a lane that run because their catalogs changed; nothing when none do. */
function describeLane(name: string, { waves, paused }: Rollout): NonNullable<ShownActivity['notified']> {
  const environment = parseLane(name)?.environment ?? name;
  if (paused !== null) {
    const { job, at, reason } = paused;
    return [{ environment, job: String(job), state: 'paused', since: at, reason }];
  }
  const [wave] = waves;
  if (wave === undefined) return [];
  const state = wave.phase === 'canary' ? 'canaries' : 'running';
  return [{ environment, job: String(wave.job), state, since: wave.since, reason: null }];
}

function numbersOf({ waves, paused }: Rollout): readonly number[] {
  return [...waves.map(({ job }) => job), ...(paused === null ? [] : [paused.job])];
}

/** Jobs and plans that have not ended, without those of changed catalogs. */
async function readOpenJobs(jobs: ActivityParts['stores']['jobs'], known: ReadonlySet<number>): Promise<OpenJobs> {
  const [ofNodes, ofPlans] = await Promise.all([jobs.listOpen('job'), jobs.listOpen('plan')]);
  const others = ofNodes.filter((number) => !known.has(number));
  const [read, plans] = await Promise.all([
    Promise.all(others.slice(-MOST_JOBS).map((number) => jobs.get('job', number))),
    Promise.all(ofPlans.slice(-MOST_JOBS).map((number) => jobs.get('plan', number))),
  ]);
  const newest: OpenJobs['newest'] = [
    ...read.flatMap((one) => {
      if (one === null) return [];
      const { command, task, nodeCount } = one.body;
      return [{ kind: 'job' as const, name: String(one.number), work: task ?? command, nodes: nodeCount }];
    }),
    ...plans.flatMap((one) =>
      one === null ? [] : [{ kind: 'plan' as const, name: String(one.number), work: one.body.planName, nodes: null }],
    ),
  ];
  return { count: others.length + ofPlans.length, newest };
}
