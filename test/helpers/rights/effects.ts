import type { Permission } from '../../../shared/access/accounts/access-control.ts';
import { FreshnessPolicies } from '../../../shared/fleet/policies/freshness-policies.ts';
import type { JobRecord, PlanRecord, ScheduleRecord } from '../../../shared/store/ports/job-records.ts';
import type { Ledger } from '../../../shared/store/ports/job-store.ts';
import type { Stores } from '../../../shared/store/ports/stores.ts';
import type { TestServices } from '../http-services.ts';
import { NODE } from './operator-surface.ts';
import { parsePermission } from './walking.ts';

const MOST = 1000;

/** All that actions may change. */
export interface Observed {
  readonly jobs: ReadonlyMap<number, Ledger<JobRecord>>;
  readonly plans: ReadonlyMap<number, Ledger<PlanRecord>>;
  readonly schedules: ReadonlyMap<number, Ledger<ScheduleRecord>>;
  /** Of the fleet: what it is, by the permission that a change of it needs. */
  readonly fleet: ReadonlyMap<string, string>;
}

/** Reads what requests to the orchestrator may change. */
export async function observeJobs(jobs: Stores['jobs']): Promise<Observed> {
  const byNumber = <T>(list: readonly Ledger<T>[]) => new Map(list.map((one) => [one.number, one]));
  return {
    jobs: byNumber(await jobs.list('job', 0, MOST)),
    plans: byNumber(await jobs.list('plan', 0, MOST)),
    schedules: byNumber(await jobs.list('schedule', 0, MOST)),
    fleet: new Map(),
  };
}

/** Reads what requests to the console's door may change beside. */
export async function observeFleet({ documents, environments, nodes }: TestServices): Promise<Observed['fleet']> {
  const node = await nodes.get(NODE);
  const policies = await new FreshnessPolicies(documents).list();
  const running = policies.filter(({ entry: { notify = 'off' } }) => notify !== 'off');
  const read = async (collection: string) => JSON.stringify(await documents.list(collection, '', MOST));
  return new Map<string, string>([
    ...(await environments.list()).map(
      ({ name, codeId, stage }) =>
        [`environment:deploy_code:${name}`, JSON.stringify([codeId, stage?.codeId])] as const,
    ),
    ['configuration:edit:*', JSON.stringify(policies)],
    ['puppet_agent:run:*', JSON.stringify(running)],
    ['cert_requests:accept_reject:*', await read('certificate-requests')],
    ['environment:deploy_code:*', await read('code-sources')],
    ['nodes:edit_data:*', String(node === null)],
    ['node_groups:edit_classification:*', JSON.stringify(node?.classification ?? null)],
  ]);
}

/** Permission to run what a job runs. */
function rightToRun(task: string | null): Permission {
  return parsePermission(task === null ? 'puppet_agent:run:*' : `tasks:run:${task}`);
}

/** What a scheduled job runs. */
export function taskOf({ body }: Ledger<ScheduleRecord>): string | null {
  if (body.type === 'deploy') return null;
  const { shown } = Object('value' in body.input ? body.input.value : {});
  return String(shown.name);
}

function isStopped({ body }: Ledger<JobRecord>): boolean {
  return body.stays.some(({ state }) => state === 'stopping' || state === 'stopped');
}

/** Permissions of which one suffices. */
type OneOf = readonly Permission[];

/** The permissions that a user, who made these changes, needs for them. */
export function listNeeded(before: Observed, after: Observed, userId: string): readonly OneOf[] {
  const needed: OneOf[] = [];
  for (const [number, job] of after.jobs) {
    const known = before.jobs.get(number);
    if (known === undefined) needed.push([rightToRun(job.body.task)]);
    else if (!isStopped(known) && isStopped(job)) needed.push(...listNeededToStop(job, after, userId));
  }
  for (const [number, { body }] of after.plans) {
    const isEnded = before.plans.get(number)?.body.state === 'running' && body.state !== 'running';
    const isExtended = (before.plans.get(number)?.body.jobs.length ?? 0) < body.jobs.length;
    if ((isEnded || isExtended) && body.owner.id !== userId)
      needed.push([parsePermission(`plans:run:${body.planName}`)]);
  }
  for (const number of new Set([...before.schedules.keys(), ...after.schedules.keys()])) {
    needed.push(...listNeededForSchedule(before.schedules.get(number), after.schedules.get(number), userId));
  }
  for (const [text, state] of after.fleet) {
    // A node that is gone has no classification any more.
    const isGone = text.startsWith('node_groups') && after.fleet.get('nodes:edit_data:*') === 'true';
    if (before.fleet.get(text) !== state && !isGone) needed.push([parsePermission(text)]);
  }
  return needed;
}

/** Who may run the job, or the plan that it is of, may stop it. */
function listNeededToStop({ body }: Ledger<JobRecord>, { plans }: Observed, userId: string): readonly OneOf[] {
  const plan = body.planJob === null ? undefined : plans.get(body.planJob)?.body;
  if (body.owner.id === userId || plan?.owner.id === userId) return [];
  const ofPlan = plan === undefined ? [] : [parsePermission(`plans:run:${plan.planName}`)];
  return [[rightToRun(body.task), ...ofPlan]];
}

function listNeededForSchedule(
  before: Ledger<ScheduleRecord> | undefined,
  after: Ledger<ScheduleRecord> | undefined,
  userId: string,
): readonly OneOf[] {
  if (before !== undefined && after !== undefined && before.version === after.version) return [];
  const owner = (before ?? after)?.body.owner.id;
  const changing = owner === userId ? [] : [[parsePermission(`scheduled_jobs:delete:${owner}`)]];
  const isKept = after?.body.isEnabled === true;
  return isKept ? [...changing, [rightToRun(taskOf(after))]] : changing;
}

/** The permissions that an answer needs, which shows what they protect. */
export function listNeededToRead(path: string, status: number, text: string): readonly OneOf[] {
  if (status >= 300) return [];
  const viewing = path.startsWith('/orchestrator') ? ['orchestrator:view:*'] : [];
  const isData = /"os":"linux"|"\/x"|"resource_statuses"|queried\.example\.com/.test(text);
  return [...viewing, ...(isData ? ['nodes:view_data:*'] : [])].map((one) => [parsePermission(one)]);
}
