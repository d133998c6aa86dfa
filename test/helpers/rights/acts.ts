import { NODE } from './operator-surface.ts';

/** A request of a walk: at the orchestrator's port, or at the console's door. */
export interface Act {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** The numbers of what is there. */
export interface Known {
  readonly jobs: readonly number[];
  readonly plans: readonly number[];
  readonly schedules: readonly number[];
}

export type Pick = <T>(list: readonly T[]) => T;

const V1 = '/orchestrator/v1';
const ADMIN = '/understudy/v1';
/** The walker may run the first one. */
const TASKS = ['demo::hello', 'demo::secret'];
const SCOPES = [{ nodes: [NODE] }, { nodes: [NODE] }, { query: 'nodes {}' }];
const OTHER = 'new.example.com';

/** What anybody may try to do. `now`: a time in the form of requests. */
export function chooseAct(pick: Pick, known: Known, codeIds: Readonly<Record<string, string>>, now: string): Act {
  return pick([chooseCommand, chooseCommand, chooseOfSchedules, chooseReading, chooseOfFleet])(
    pick,
    known,
    now,
    codeIds,
  );
}

type Choose = (pick: Pick, known: Known, now: string, codeIds: Readonly<Record<string, string>>) => Act;

/** Jobs and plans: these are made, and then stopped or finished by whoever comes by. */
export const chooseCommand: Choose = (pick, { jobs, plans }) => {
  const run = { environment: 'production', scope: pick(SCOPES) };
  const task = { ...run, task: pick(TASKS), params: {} };
  const plan_job = String(pick([...plans, 1]));
  const [name, body] = pick<readonly [string, object]>([
    ['deploy', run],
    ['task', task],
    ['stop', { job: String(pick([...jobs, 1])) }],
    ['plan_start', { plan_name: pick(['demo', 'other']), params: {} }],
    ['plan_task', { ...task, plan_job }],
    ['plan_finish', { plan_job, status: 'success' }],
    ['stop_plan', { plan_job }],
  ]);
  return { method: 'POST', path: `${V1}/command/${name}`, body };
};

export const chooseOfSchedules: Choose = (pick, { schedules }, now) => {
  const input = { name: pick(TASKS), parameters: {}, scope: { nodes: [NODE] } };
  const at = `${V1}/scheduled_jobs/environment_jobs/${pick([...schedules, 1])}`;
  const schedule = { start_time: now, interval: { value: 1, units: 'seconds' } };
  return pick<Act>([
    chooseNewSchedule(pick, now),
    { method: 'PUT', path: at, body: { description: 'other' } },
    { method: 'PUT', path: at, body: { input, schedule } },
    { method: 'PUT', path: at, body: { enabled: false } },
    { method: 'DELETE', path: at.replace('/environment_jobs', '') },
  ]);
};

/** A task or a run of Puppet, again and again. */
export function chooseNewSchedule(pick: Pick, now: string): Act {
  const schedule = { start_time: now, interval: { value: 1, units: 'seconds' } };
  const scope = { nodes: [NODE] };
  const body = pick<object>([
    { type: 'task', input: { name: TASKS[0], parameters: {}, scope } },
    { type: 'task', input: { name: TASKS[1], parameters: {}, scope } },
    { type: 'deploy', input: { scope } },
  ]);
  const path = `${V1}/scheduled_jobs/environment_jobs`;
  return { method: 'POST', path, body: { environment: 'production', schedule, ...body } };
}

const chooseReading: Choose = (pick, { jobs }) => {
  const parts = [
    '',
    '/facts',
    '/facts/changes',
    '/inputs',
    '/catalog',
    '/catalog/previous',
    '/classification',
    '/history',
    '/runs',
  ];
  const paths = [
    `${V1}/agents/${NODE}`,
    `${V1}/jobs/${pick([...jobs, 1])}/nodes`,
    `${ADMIN}/nodes?query=nodes%20%7B%7D`,
    `${ADMIN}/reports/${NODE}/u-1`,
    ...parts.map((part) => `${ADMIN}/nodes/${NODE}${part}`),
  ];
  const asking = { method: 'POST', path: `${V1}/inventory`, body: { query: 'nodes {}' } };
  return pick<Act>([...paths.map((path) => ({ method: 'GET', path })), asking, asking, asking]);
};

/** Deploys, stages, policies, certificates, classifications and sources. */
const chooseOfFleet: Choose = (pick, _, __, codeIds) => {
  const environment = pick(['production', 'staging']);
  const policy = `${ADMIN}/policies/environments/${environment}`;
  const node = `${ADMIN}/nodes/${NODE}`;
  const canaries = { nodes: [NODE] };
  const [method = '', path = '', body] = pick<readonly [string, string, unknown?]>([
    ['POST', `${ADMIN}/environments/${environment}/rollback`, {}],
    ['POST', `${ADMIN}/environments/${environment}/values/rotate`, { name: 'salt' }],
    ['POST', `${ADMIN}/deploys/stage`, { environment, codeId: codeIds[environment], canaries }],
    ['POST', `${ADMIN}/deploys/stage`, { environment, codeId: codeIds[environment], canaries: { query: 'nodes {}' } }],
    ['POST', `${ADMIN}/deploys/stage/promote`, { environment }],
    ['POST', `${ADMIN}/deploys/stage/abort`, { environment }],
    ['PUT', policy, { notify: pick(['off', 'now']), freshness: pick(['stale', 'wait']) }],
    ['DELETE', policy],
    ['PUT', `${node}/classification`, { classes: [pick(['web', 'other'])] }],
    ['DELETE', node],
    ['POST', '/puppet-ca/v1/sign', { certnames: [OTHER] }],
    ['DELETE', `/puppet-ca/v1/certificate_request/${OTHER}`],
    ['PUT', `${ADMIN}/code-sources/${pick(['main', 'mine'])}`, { url: 'https://git.example.com/y' }],
    ['DELETE', `${ADMIN}/code-sources/main`],
  ]);
  return { method, path, ...(body === undefined ? {} : { body }) };
};
