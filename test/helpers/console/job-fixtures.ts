import type { FakeRoutes } from './fake-console.ts';
import { ago, DAY, HOUR, MINUTE, NOW, ok, SCRIPT } from './overview-fixtures.ts';

const iso = (time: number): string => new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
const OWNER = { id: '42bf351c-f9ec-40af-84ad-e976fec7f4bd', login: 'alice' };

const job = (number: number, state: string, more: Readonly<Record<string, unknown>>) => ({
  id: `/orchestrator/v1/jobs/${number}`,
  name: String(number),
  state,
  command: 'deploy',
  options: { scope: { nodes: ['web01.example.com'] } },
  owner: OWNER,
  description: '',
  timestamp: iso(ago((60 - number) * 20 * MINUTE)),
  started_timestamp: iso(ago((60 - number) * 20 * MINUTE)),
  finished_timestamp: state === 'running' ? null : iso(ago((60 - number) * 20 * MINUTE - 41_000)),
  duration: '41.2',
  environment: { name: 'production' },
  node_count: 12,
  node_states: { finished: 12 },
  ...more,
});

const RUNNING = job(58, 'running', {
  command: 'task',
  options: {
    task: 'service',
    params: { action: 'restart', name: 'nginx' },
    scope: { query: 'nodes[certname] { facts.role = "web" }' },
  },
  description: `Restart the web servers ${SCRIPT}`,
  node_count: 96,
  node_states: { finished: 61, failed: 2, running: 8, new: 25 },
});
const JOBS = [
  RUNNING,
  job(57, 'failed', { node_count: 3, node_states: { finished: 2, failed: 1 } }),
  job(56, 'finished', { options: { noop: true, scope: { node_group: 'x' } }, description: 'Before the release' }),
  job(55, 'stopped', { node_states: { finished: 4, skipped: 8 } }),
  job(54, 'finished', {}),
];

const NODES = ['web01', 'web02', 'web03', 'web04'].map((name, index) => ({
  name: `${name}.example.com`,
  state: ['finished', 'failed', 'running', 'new'][index],
  start_timestamp: index === 3 ? null : iso(ago(MINUTE)),
  finish_timestamp: index < 2 ? iso(ago(20_000)) : null,
  duration: 3.2 * index,
  transaction_uuid: null,
  details: { message: index === 1 ? `nginx.service failed: ${SCRIPT}` : '' },
  ...(index < 2 ? { result: { status: index === 0 ? 'running' : 'failed', enabled: true, _output: SCRIPT } } : {}),
}));

const EVENTS = [
  { id: '9001', type: 'node_running', timestamp: iso(ago(MINUTE)), message: 'Started on web01.example.com' },
  { id: '9002', type: 'node_finished', timestamp: iso(ago(50_000)), message: 'Finished on web01.example.com' },
  { id: '9003', type: 'node_failed', timestamp: iso(ago(20_000)), message: `Failed on web02.example.com: ${SCRIPT}` },
];

const TASK = {
  name: 'service',
  permitted: true,
  environment: { name: 'production' },
  metadata: {
    description: 'Inspects, starts, stops and restarts services',
    supports_noop: false,
    parameters: {
      action: { type: "Enum['start', 'stop', 'restart', 'status']", description: 'What to do' },
      name: { type: 'String[1]', description: 'The name of the service' },
      force: { type: 'Optional[Boolean]', description: 'Kill processes that do not end' },
      timeout: { type: 'Integer[1, 600]', description: 'Seconds to wait', default: 60 },
      password: { type: 'Optional[String]', sensitive: true },
      hooks: { type: 'Optional[Array[String]]', description: 'Commands to run before' },
    },
  },
};

const SCHEDULED = [
  {
    name: '4',
    enabled: true,
    environment: 'production',
    owner: OWNER,
    description: 'Nightly run of the web servers',
    type: 'deploy',
    input: { scope: { node_group: 'x' } },
    schedule: { start_time: iso(NOW - 6 * DAY), interval: { value: 86_400, units: 'seconds' } },
    next_run: { time: iso(NOW + 9 * HOUR) },
    last_run: { time: iso(NOW - 15 * HOUR), job: { name: '41' } },
  },
];

const PLAN = {
  environment: { name: 'production' },
  node_count: 3,
  levels: [
    { level: 0, nodes: [{ name: 'db01.example.com', connected: true, applications: [] }] },
    {
      level: 1,
      nodes: [
        { name: 'web01.example.com', connected: true, applications: [] },
        { name: 'web02.example.com', connected: false, applications: [] },
      ],
    },
  ],
};

const PLAN_JOB = {
  name: '61',
  state: 'success',
  options: {
    plan_name: 'deploy::app',
    description: 'Evening release',
    parameters: { targets: 'web01.example.com,web02.example.com' },
    environment: 'production',
    sensitive: ['token'],
  },
  result: { deployed: ['web01.example.com', 'web02.example.com'], note: SCRIPT },
  owner: OWNER,
  created_timestamp: iso(ago(30 * MINUTE)),
  finished_timestamp: iso(ago(28 * MINUTE)),
  duration: 118.2,
};

const PLAN_EVENTS = [
  'Plan deploy::app started',
  `Drained web01.example.com ${SCRIPT}`,
  'Plan deploy::app finished',
].map((message, index) => ({
  id: String(700 + index),
  type: 'out_message',
  timestamp: iso(ago(29 * MINUTE)),
  message,
}));

const SHOWN_PLAN = {
  name: 'deploy::app',
  permitted: true,
  metadata: {
    description: 'Deploys the application, one node after the other',
    parameters: {
      targets: { type: 'TargetSpec', description: 'The nodes', sensitive: false },
      release: { type: 'String', default_value: "'latest'", sensitive: false },
      token: { type: 'Sensitive[String]', sensitive: true },
    },
  },
};

/** Jobs, tasks, plans and schedules of an orchestrator. */
export const JOB_ROUTES: FakeRoutes = {
  'GET /orchestrator/v1/environments': ok({ items: [{ name: 'production' }, { name: 'staging' }] }),
  'GET /orchestrator/v1/inventory/*': (_, name) => ({ body: { name, connected: false } }),
  'GET /orchestrator/v1/jobs': ok({ items: JOBS, pagination: { total: 58, limit: 30, offset: 0 } }),
  'GET /orchestrator/v1/jobs/*': (_, number) => ({ body: JOBS.find(({ name }) => name === number) ?? RUNNING }),
  'GET /orchestrator/v1/jobs/*/nodes': ok({ items: NODES, pagination: { total: 96, limit: 50, offset: 0 } }),
  'GET /orchestrator/v1/jobs/*/events': ok({ items: EVENTS, 'next-events': { event: '9004' } }),
  'GET /orchestrator/v1/jobs/*/order': ok({
    levels: [
      { level: 0, nodes: ['db01.example.com'] },
      { level: 1, nodes: ['web01.example.com', 'web02.example.com'] },
    ],
  }),
  'GET /orchestrator/v1/scheduled_jobs/environment_jobs': ok({ items: SCHEDULED, pagination: { total: 1 } }),
  'GET /orchestrator/v1/plan_jobs': ok({
    items: [{ ...PLAN_JOB, name: '62', state: 'failure', options: { ...PLAN_JOB.options, description: '' } }, PLAN_JOB],
    pagination: { total: 2, limit: 30, offset: 0 },
  }),
  'GET /orchestrator/v1/plan_jobs/*': (_, name) => ({
    body:
      name === '63'
        ? { ...PLAN_JOB, name, state: 'running', finished_timestamp: null, result: null, status: {} }
        : { ...PLAN_JOB, status: { 59: [{ state: 'finished' }], 60: [{ state: 'finished' }] } },
  }),
  'GET /orchestrator/v1/plan_jobs/*/events': ok({ items: PLAN_EVENTS, 'next-events': { event: '703' } }),
  'GET /orchestrator/v1/plans': ok({
    items: ['deploy::app', 'reboot'].map((name) => ({ name, permitted: name !== 'reboot' })),
  }),
  'GET /orchestrator/v1/plans/*/*': ok(SHOWN_PLAN),
  'POST /orchestrator/v1/command/plan_run': () => ({ status: 202, body: { name: '63' } }),
  'POST /orchestrator/v1/command/stop_plan': () => ({ status: 202, body: { name: '63' } }),
  'GET /orchestrator/v1/tasks': ok({
    items: ['service', 'package', 'puppet_agent::version'].map((name) => ({ name, permitted: name !== 'package' })),
  }),
  'GET /orchestrator/v1/tasks/*/*': ok(TASK),
  'POST /orchestrator/v1/command/deploy': () => ({
    status: 202,
    body: { job: { id: '/orchestrator/v1/jobs/58', name: '58' } },
  }),
  'POST /orchestrator/v1/command/task': () => ({
    status: 202,
    body: { job: { id: '/orchestrator/v1/jobs/58', name: '58' } },
  }),
  'POST /orchestrator/v1/command/deploy_preview': ok(PLAN),
  'POST /orchestrator/v1/command/stop': () => ({ status: 202, body: { job: { name: '58', nodes: {} } } }),
  'POST /orchestrator/v1/scheduled_jobs/environment_jobs': ok({ scheduled_job: { name: '5' } }),
  'DELETE /orchestrator/v1/scheduled_jobs/*': () => ({ status: 204, body: null }),
};
