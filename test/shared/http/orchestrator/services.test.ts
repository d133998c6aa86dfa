import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { storeFacts } from '../../../../shared/fleet/facts/facts-blob.ts';
import { storeReport } from '../../../../shared/fleet/reports/node-reports.ts';
import type { RunChanges } from '../../../../shared/fleet/reports/run-changes.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';
import { ADMIN_GRANTS, OPERATOR_GRANTS, VIEWER_GRANTS } from '../../../helpers/fixed-access.ts';
import { OrchestratorApi, orchestratorError } from '../../../helpers/orchestrator-api.ts';

const [A, B, OFF] = ['a.example.com', 'b.example.com', 'off.example.com'] as const;
const HOST = 'https://pe.example.com:8143/orchestrator/v1';
const MODULE = 'environments/production/modules/demo';
const HELLO = JSON.stringify({ parameters: { name: { type: 'Optional[String[1]]' } } });
const SECRET = JSON.stringify({
  parameters: { user: { type: 'String' }, password: { type: 'String', sensitive: true } },
});
const CODE = {
  [`${MODULE}/tasks/hello.sh`]: 'echo hello',
  [`${MODULE}/tasks/hello.json`]: HELLO,
  [`${MODULE}/tasks/secret.sh`]: '',
  [`${MODULE}/tasks/secret.json`]: SECRET,
  [`${MODULE}/tasks/init.sh`]: '',
  [`${MODULE}/tasks/hidden.sh`]: '',
  [`${MODULE}/tasks/hidden.json`]: '{"private": true}',
  [`${MODULE}/plans/init.pp`]: 'plan demo() {}',
  [`${MODULE}/plans/deep.yaml`]: 'steps: []',
  [`${MODULE}/plans/web/app/restart.yaml`]: 'steps: []',
};
const REPORT = {
  environment: 'production',
  time: null,
  puppetVersion: null,
  transactionUuid: null,
  noop: false,
} as const;
const TASK = { task: 'demo::hello', params: {}, scope: { nodes: [A] } };

let api: OrchestratorApi;
beforeEach(async () => {
  api = new OrchestratorApi();
  api.world.network.addAgents([A, B]);
  await api.deploy('production', CODE);
});
afterEach(() => {
  expect(api.errors).toEqual([]);
  api.close();
});

describe('plan jobs', () => {
  it('are what Bolt says about its plans', async () => {
    const start = { plan_name: 'demo', params: { targets: A, password: 'x' }, sensitive: ['password'] };
    expect(await api.post('/command/plan_start', start)).toEqual({ status: 200, body: { name: '1' } });
    const made = await api.post('/command/plan_task', { ...TASK, plan_job: '1' });
    expect(made).toEqual({ status: 202, body: { job: { id: `${HOST}/jobs/2`, name: '2' } } });
    await api.post('/command/plan_task', {
      ...TASK,
      task: 'bolt_shim::command',
      params: { command: 'x' },
      plan_job: 1,
    });
    const { body: job } = await api.get('/jobs/2');
    expect([job.type, job.options.plan_job]).toEqual(['plan_task', '1']);
    await api.world.pass(2);
    const finished = await api.post('/command/plan_finish', { plan_job: '1', result: ['done'], status: 'success' });
    expect(finished).toEqual({ status: 202, body: {} });
    const { body: plans } = await api.get('/plan_jobs');
    expect(plans).toMatchObject({
      items: [
        {
          id: `${HOST}/plan_jobs/1`,
          name: '1',
          state: 'success',
          options: { description: '', plan_name: 'demo', parameters: { targets: A }, sensitive: ['password'] },
          result: ['done'],
          owner: { login: 'admin' },
          created_timestamp: '2026-11-21T00:00:00Z',
          finished_timestamp: '2026-11-21T00:00:02Z',
          duration: 2,
          events: { id: `${HOST}/plan_jobs/1/events` },
          userdata: {},
        },
      ],
      pagination: { limit: null, offset: 0, order: 'asc', order_by: 'name', total: 1, type: '' },
    });
    expect((await api.get('/plan_jobs?results=exclude')).body.items[0].result).toBeUndefined();
    const { body: plan } = await api.get('/plan_jobs/1');
    expect(Object.keys(plan.status)).toEqual(['2', '3']);
    expect(plan.status['2'].at(-1).state).toBe('finished');
    const { body: events } = await api.get('/plan_jobs/1/events');
    expect(events.items.map(({ type }: { type: string }) => type)).toEqual([
      'plan_start',
      'task_start',
      'command_start',
      'plan_finished',
    ]);
    const [first, second] = events.items;
    expect((await api.get(`/plan_jobs/1/events?start=${second.id}`)).body.items).toHaveLength(3);
    expect((await api.get(`/plan_jobs/1/event/${first.id}`)).body).toEqual(first);
    const missing = await api.get('/plan_jobs/1/event/999');
    expect(missing).toEqual({
      status: 404,
      body: orchestratorError('mismatched-job-event-id', 'Event 999 is not of plan job 1', { job: '1', event: '999' }),
    });
    const late = orchestratorError('plan-already-finished', 'Plan job 1 has finished already', { plan_job: '1' });
    expect(await api.post('/command/plan_task', { ...TASK, plan_job: '1' })).toEqual({ status: 400, body: late });
    expect(await api.post('/command/plan_finish', { plan_job: '1', status: 'failure' })).toEqual({
      status: 400,
      body: late,
    });
  });

  it('stop with their jobs', async () => {
    api.world.network.agent(A).behaviour = { runMs: 60_000 };
    await api.post('/command/plan_start', { plan_name: 'demo', params: {} });
    await api.post('/command/plan_task', { ...TASK, plan_job: '1' });
    expect(await api.post('/command/stop_plan', { plan_job: '1' })).toEqual({ status: 202, body: { name: '1' } });
    expect((await api.get('/plan_jobs/1')).body).toMatchObject({
      state: 'failure',
      result: { msg: 'The plan was stopped' },
    });
    expect((await api.get('/jobs/2')).body.state).toBe('stopping');
  });

  it.each([
    ['/command/plan_start', { params: {} }, 400, orchestratorError('validation-error', 'plan_name is required')],
    [
      '/command/plan_task',
      TASK,
      400,
      orchestratorError('validation-error', 'plan_job must be the name of a plan job', { plan_job: null }),
    ],
    [
      '/command/plan_task',
      { ...TASK, plan_job: '7' },
      404,
      orchestratorError('unknown-job', 'Unknown job 7', { job: '7' }),
    ],
    [
      '/command/plan_finish',
      { plan_job: '7', status: 'x' },
      400,
      orchestratorError('validation-error', "status must be 'success' or 'failure'", { status: 'x' }),
    ],
    ['/command/plan_run', { plan_name: 'demo::x' }, 404, orchestratorError('unknown-plan', 'Unknown plan demo::x')],
    [
      '/command/plan_run',
      { plan_name: 'demo', environment: 'x' },
      404,
      orchestratorError('unknown-environment', 'Unknown environment x', { environment: 'x' }),
    ],
    [
      '/command/plan_run',
      { plan_name: 'demo' },
      501,
      orchestratorError(
        'not-available',
        'The plan demo cannot be run: this server evaluates no plans. Bolt can run it',
        { plan: 'demo' },
      ),
    ],
    [
      '/command/environment_plan_run',
      { plan_name: 'demo::deep', params: { a: { value: 1 } } },
      501,
      orchestratorError(
        'not-available',
        'The plan demo::deep cannot be run: this server evaluates no plans. Bolt can run it',
        { plan: 'demo::deep' },
      ),
    ],
  ])('POST %s refuses %j', async (path, body, status, expected) => {
    expect(await api.post(path, body)).toEqual({ status, body: expected });
  });

  it.each([
    ['/command/plan_finish', { plan_job: '1', result: 'forged', status: 'success' }],
    ['/command/stop_plan', { plan_job: '1' }],
    ['/command/plan_task', { ...TASK, plan_job: '1' }],
  ])('POST %s is for the user whose plan it is, and those who may run it', async (path, body) => {
    const start = { plan_name: 'demo', params: {} };
    expect(await api.post('/command/plan_start', start, 'operator')).toMatchObject({ status: 200 });
    const denied = orchestratorError('not-permitted', 'User viewer is not permitted to run demo', { plan: 'demo' });
    expect(await api.post(path, body, 'viewer')).toEqual({ status: 403, body: denied });
    expect((await api.get('/plan_jobs/1')).body).toMatchObject({ state: 'running', result: null });
    api.access.change('viewer', [...VIEWER_GRANTS, ['plans', 'run', 'demo'], ['tasks', 'run', '*']]);
    expect((await api.post(path, body, 'viewer')).status).toBe(202);
  });

  it('need a permission to be run here', async () => {
    const answer = await api.post('/command/plan_run', { plan_name: 'demo' }, 'viewer');
    expect(answer).toEqual({
      status: 403,
      body: orchestratorError('not-permitted', 'User viewer is not permitted to run demo', { plan: 'demo' }),
    });
  });
});

describe('inventory', () => {
  it('shows which agents are connected', async () => {
    await api.world.stores.nodes.markSeen(OFF, 'production', 0);
    const broker = 'pcp://understudy.example.com/server';
    const at = '1970-01-01T00:00:00.000Z';
    const [a, b, off] = [
      { name: A, connected: true, broker, timestamp: at },
      { name: B, connected: true, broker, timestamp: at },
      { name: OFF, connected: false },
    ];
    expect((await api.get('/inventory')).body).toEqual({ items: [a, b, off] });
    expect(await api.get(`/inventory/${A}`)).toEqual({ status: 200, body: a });
    expect(await api.get('/inventory/unknown')).toEqual({ status: 200, body: { name: 'unknown', connected: false } });
    expect((await api.post('/inventory', { nodes: [OFF, B, OFF] })).body).toEqual({ items: [off, b, off] });
    expect((await api.post('/inventory', { nodes: [1] })).body.msg).toBe('nodes must be a list of strings');
    expect((await api.post('/inventory', {})).body.msg).toBe('nodes is required');
  });

  it('finds nodes by a query', async () => {
    api.close();
    const query = ['from', 'inventory', ['extract', ['certname'], ['=', 'facts.kernel', 'Linux']]];
    api = new OrchestratorApi({ queries: { find: async (asked) => (asked === 'none' ? [] : [B, OFF]) } });
    api.world.network.addAgents([B]);
    const { items } = (await api.post('/inventory', { query })).body;
    expect(items).toMatchObject([
      { name: B, connected: true },
      { name: OFF, connected: false },
    ]);
    expect((await api.post('/inventory', { query: 'none' })).body).toEqual({ items: [] });
    expect((await api.post('/inventory', { query }, 'viewer')).status).toBe(403);
  });

  it('pings agents', async () => {
    expect((await api.post('/agents/ping', { nodes: [A, OFF] })).body).toEqual({
      items: [
        { name: A, milliseconds: 12, reason: null },
        { name: OFF, milliseconds: null, reason: 'Not connected.' },
      ],
    });
    const nodes = Array.from({ length: 1001 }, (_, index) => `n${index}`);
    expect((await api.post('/agents/ping', { nodes })).body.msg).toBe('nodes must have at most 1000 names');
  });

  it('shows what is known of a node, facts only to those who may see them', async () => {
    const { nodes, blobs } = api.world.stores;
    const facts = PuppetHash.of([['kernel', 'Linux']]);
    const pointer = await storeFacts(blobs, { facts, trusted: PuppetHash.of([]) }, 0);
    await nodes.markSeen(A, 'production', 0);
    await nodes.want(A, 'facts', 0, { asked: false, facts: pointer });
    const shown = {
      name: A,
      connected: true,
      broker: 'pcp://understudy.example.com/server',
      timestamp: '1970-01-01T00:00:00.000Z',
      known: true,
      environment: 'production',
      last_seen: '1970-01-01T00:00:00Z',
      catalog: { state: 'outdated', compiled: null, code_id: null, failure: null },
      facts_timestamp: '1970-01-01T00:00:00Z',
    };
    expect((await api.get(`/agents/${A}`)).body).toEqual({ ...shown, facts: { kernel: 'Linux' } });
    expect((await api.get(`/agents/${A}`, 'viewer')).body).toEqual({ ...shown, facts: null });
    expect((await api.get(`/agents/${OFF}`)).body).toEqual({ name: OFF, connected: false, known: false, facts: null });
  });
});

describe('tasks and plans', () => {
  it('are those of the environment, and those of Bolt', async () => {
    const { body } = await api.get('/tasks', 'viewer');
    expect(body.environment).toEqual({ name: 'production', code_id: expect.any(String) });
    expect(body.items.map(({ name }: { name: string }) => name).toSorted()).toEqual([
      'bolt_shim::command',
      'bolt_shim::script',
      'bolt_shim::upload',
      'demo',
      'demo::hello',
      'demo::secret',
      'puppet_agent::run',
      'puppet_agent::version',
      'understudy_runner::upgrade',
    ]);
    expect(body.items).toContainEqual({ id: `${HOST}/tasks/demo/init`, name: 'demo', permitted: false });
    expect((await api.get('/tasks')).body.items[0].permitted).toBe(true);
    expect(await api.get('/tasks?environment=nope')).toEqual({
      status: 404,
      body: orchestratorError('unknown-environment', 'Unknown environment nope', { environment: 'nope' }),
    });
  });

  it('have metadata and files', async () => {
    expect((await api.get('/tasks/demo/hello')).body).toMatchObject({
      id: `${HOST}/tasks/demo/hello`,
      name: 'demo::hello',
      permitted: true,
      metadata: JSON.parse(HELLO),
      files: [{ filename: 'hello.sh', uri: { path: '/puppet/v3/file_content/tasks/demo/hello.sh' } }],
    });
    expect((await api.get('/tasks/demo/init')).body.name).toBe('demo');
    expect((await api.get('/tasks/demo/hidden')).status).toBe(200);
    expect((await api.get('/tasks/bolt_shim/command')).body).toMatchObject({ files: [], permitted: true });
    expect(await api.get('/tasks/demo/none')).toEqual({
      status: 404,
      body: orchestratorError('unknown-task', 'Unknown task demo::none'),
    });
  });

  it('show parameters and texts of plans, private ones by name alone', async () => {
    const folder = 'environments/production/modules/demo/plans';
    await api.deploy('production', {
      [`${folder}/init.pp`]:
        '# @summary Restarts\n# @param nodes Where\nplan demo(TargetSpec $nodes, Optional[Sensitive[String]] $key = undef) { }\n',
      [`${folder}/hidden.pp`]: '# Does it.\n# @api private\nplan demo::hidden() {}',
      [`${folder}/steps.yaml`]: 'description: Steps\nparameters: {count: {type: Integer, default: 3}}\nsteps: []\n',
      [`${folder}/secret.yaml`]: 'private: true\nsteps: []\n',
      [`${folder}/broken.pp`]: 'plan demo::broken( {}',
    });
    const { body } = await api.get('/plans');
    expect(body.items.map(({ name }: { name: string }) => name)).toEqual(['demo::broken', 'demo', 'demo::steps']);
    expect((await api.get('/plans/demo/init')).body).toEqual({
      id: `${HOST}/plans/demo/init`,
      name: 'demo',
      permitted: true,
      environment: { name: 'production', code_id: null },
      metadata: {
        description: 'Restarts',
        private: false,
        parameters: {
          nodes: { type: 'TargetSpec', description: 'Where', sensitive: false },
          key: { type: 'Optional[Sensitive[String]]', default_value: 'undef', sensitive: true },
        },
      },
    });
    expect((await api.get('/plans/demo/hidden')).body.metadata).toEqual({
      description: 'Does it.',
      private: true,
      parameters: {},
    });
    expect((await api.get('/plans/demo/steps')).body.metadata.parameters).toEqual({
      count: { type: 'Integer', default_value: 3, sensitive: false },
    });
    expect(await api.get('/plans/demo/broken')).toEqual({
      status: 400,
      body: orchestratorError(
        'invalid-plan',
        `Syntax error at '{' (file: /etc/puppetlabs/code/${folder}/broken.pp, line: 1, column: 20)`,
      ),
    });
  });

  it('list plans', async () => {
    const { body } = await api.get('/plans');
    expect(body.items).toContainEqual({ id: `${HOST}/plans/demo/init`, name: 'demo', permitted: true });
    expect((await api.get('/plans/demo/deep')).body).toMatchObject({ name: 'demo::deep', metadata: {} });
    const nested = { id: `${HOST}/plans/demo/web::app::restart`, name: 'demo::web::app::restart' };
    expect((await api.get('/plans/demo/web%3A%3Aapp%3A%3Arestart')).body).toMatchObject(nested);
    expect((await api.get('/plans/demo/web::app::restart')).body).toMatchObject(nested);
    expect(await api.get('/plans/demo/x')).toEqual({
      status: 404,
      body: orchestratorError('unknown-plan', 'Unknown plan demo::x'),
    });
  });
});

describe('task targets', () => {
  it('are stored', async () => {
    const target = { display_name: 't', tasks: ['demo::hello'], nodes: [A], node_groups: [] };
    const made = { id: `${HOST}/scopes/task_targets/1`, name: '1' };
    expect(await api.post('/command/task_target', target)).toEqual({ status: 200, body: { task_target: made } });
    expect((await api.get('/scopes/task_targets')).body).toEqual({ items: [{ ...made, ...target }] });
    expect((await api.get('/scopes/task_targets/1')).body).toEqual({ ...made, ...target });
    expect(await api.get('/scopes/task_targets/99')).toEqual({
      status: 404,
      body: orchestratorError('unknown-task-target', 'Unknown task target 99'),
    });
    const none = await api.post('/command/task_target', { ...target, tasks: [] });
    expect(none).toEqual({
      status: 400,
      body: orchestratorError('validation-error', 'display_name, and tasks or all_tasks are required'),
    });
    expect((await api.post('/command/task_target', { display_name: 't', all_tasks: true })).status).toBe(400);
  });
});

describe('task targets', () => {
  const target = { display_name: 't', tasks: ['demo::hello'], nodes: [A], node_groups: [] };
  const TASKS = ['tasks', 'run', 'demo::hello'] as const;

  it.each([
    ['none of its tasks', [], target, 'tasks:run:demo::hello'],
    ['another task', [TASKS], { ...target, tasks: ['demo::hello', 'demo'] }, 'tasks:run:demo'],
    ['one task', [TASKS], { ...target, all_tasks: true }, 'tasks:run:*'],
    ['all targets, also those to come', [['tasks', 'run_with_constraints', '*']], target, 'tasks:run:demo::hello'],
  ] as const)('are not made by users who may run %s', async (_, grants, body, missing) => {
    api.access.change('viewer', [...VIEWER_GRANTS, ...grants]);
    const answer = await api.post('/command/task_target', body, 'viewer');
    expect([answer.status, answer.body.msg]).toEqual([403, `User viewer lacks the permission ${missing}`]);
    expect((await api.get('/scopes/task_targets')).body.items).toEqual([]);
  });
});

describe('scheduled jobs', () => {
  const schedule = { start_time: '2026-11-21T00:01:00Z', interval: { value: 60, units: 'seconds' } };
  const scheduled = {
    type: 'task',
    environment: 'production',
    description: 'nightly',
    input: { name: 'demo::hello', parameters: { name: 'bob' }, scope: { nodes: [A] } },
    schedule,
    userdata: { a: 1 },
  };
  const PATH = '/scheduled_jobs/environment_jobs';

  async function pass(seconds: number) {
    for (let second = 0; second < seconds; second += 1) {
      await api.world.pass(1);
      await api.schedules.tick();
      await api.world.settle();
    }
  }

  it('run at their times', async () => {
    const made = await api.post(PATH, scheduled);
    const id = `${HOST}${PATH}/1`;
    expect(made).toEqual({ status: 200, body: { scheduled_job: { id, name: '1' } } });
    const shown = { ...scheduled, id, name: '1', enabled: true };
    expect((await api.get(`${PATH}/1`)).body).toMatchObject({
      ...shown,
      next_run: { time: schedule.start_time },
      last_run: null,
    });
    await pass(59);
    expect((await api.get('/jobs')).body.items).toEqual([]);
    await pass(1);
    const { body } = await api.get(`${PATH}?limit=5`);
    expect(body.items).toMatchObject([
      {
        next_run: { time: '2026-11-21T00:02:00Z' },
        last_run: { time: schedule.start_time, job: { id: `${HOST}/jobs/1`, name: '1' } },
      },
    ]);
    expect(body.pagination).toEqual({
      limit: 5,
      offset: 0,
      order: 'asc',
      order_by: 'next_run_time',
      total: 1,
      type: '',
    });
    expect((await api.get('/jobs/1')).body).toMatchObject({
      state: 'finished',
      userdata: { a: 1 },
      description: 'nightly',
    });
    await pass(60);
    expect((await api.get('/jobs')).body.items).toHaveLength(2);
    await api.put(`${PATH}/1`, { enabled: false });
    await pass(61);
    expect((await api.get('/jobs')).body.items).toHaveLength(2);
    expect(await api.put(`${PATH}/1`, { description: 'x' })).toEqual({
      status: 400,
      body: orchestratorError('disabled-scheduled-job', 'Scheduled job 1 is disabled', { scheduled_job: '1' }),
    });
  });

  it('are replaced by key, and keep sensitive values to themselves', async () => {
    const input = { ...scheduled.input, parameters: { name: 'hush' }, sensitive_parameters: ['name'] };
    await api.post(PATH, { ...scheduled, input });
    expect((await api.get(`${PATH}/1`)).body.input).toEqual({ ...input, parameters: {} });
    await api.put(`${PATH}/1`, { description: 'other', schedule: { start_time: '2026-11-21T00:00:30Z' } });
    await pass(30);
    expect(api.world.network.agent(A).requests[0]?.params).toMatchObject({ input: { name: 'hush' } });
    expect((await api.get(`${PATH}/1`)).body).toMatchObject({
      description: 'other',
      next_run: null,
      schedule: { interval: null },
    });
  });

  const VALUES = { user: 'bob', password: 'hunter2' };
  const wrap = (values: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }]));

  it.each([
    ['plain values', { parameters: VALUES }, { user: 'bob' }],
    ['values in objects', { parameters: wrap(VALUES) }, wrap({ user: 'bob' })],
    [
      'sensitive values apart',
      { parameters: wrap({ user: 'bob' }), sensitive_parameters: wrap({ password: 'hunter2' }) },
      wrap({ user: 'bob' }),
    ],
    ['no plain value', { parameters: {}, sensitive_parameters: VALUES }, {}],
  ])('take parameters as %s, and show and store none that the task calls sensitive', async (_, given, shown) => {
    const input = { name: 'demo::secret', scope: { nodes: [A] }, ...given };
    expect((await api.post(PATH, { ...scheduled, input })).status).toBe(200);
    const { body } = await api.get(`${PATH}/1`, 'viewer');
    expect(body.input.parameters).toEqual(shown);
    expect(JSON.stringify(body)).not.toContain('hunter2');
    expect(JSON.stringify(await api.world.stores.jobs.get('schedule', 1))).not.toContain('hunter2');
    await api.put(`${PATH}/1`, { description: 'other' });
    await pass(60);
    expect(api.world.network.agent(A).requests[0]?.params).toMatchObject({ task: 'demo::secret', input: VALUES });
    expect(JSON.stringify(await api.world.stores.jobs.get('job', 1))).not.toContain('hunter2');
  });

  it.each([
    ['as keys', { noop: true, tags: 'a,b' }],
    ['as parameters', { parameters: { noop: true, tags: 'a,b' } }],
    ['as parameters in objects', { parameters: { noop: { value: true }, tags: { value: 'a,b' } } }],
  ])('run Puppet with its options %s: what is to change nothing changes nothing', async (_, options) => {
    const input = { scope: { nodes: [A] }, ...options };
    expect((await api.post(PATH, { ...scheduled, type: 'deploy', input })).status).toBe(200);
    await pass(60);
    const flags = ['--environment', 'production', '--noop', '--tags', 'a,b'];
    expect(api.world.network.agent(A).requests.map(({ params }) => params)).toEqual([{ flags, job: '1' }]);
    expect((await api.get('/jobs/1')).body.options).toMatchObject({ noop: true });
  });

  it.each([
    ['task', { name: 'demo::hello', parameters: { name: 5 } }, "parameter 'name' expects"],
    ['task', { name: 'demo::hello', parameters: { name: { value: 5 } } }, "parameter 'name' expects"],
    ['task', { name: 'demo::hello', noop: true }, 'The task demo::hello does not support noop'],
    ['task', { name: 'demo::hello', sensitive_parameters: 'name' }, 'input.sensitive_parameters must be a list'],
    ['deploy', { parameters: { nop: { value: true } } }, 'nop is not a known key'],
    ['deploy', { parameters: { noop: { value: 'yes' } } }, 'noop must be a boolean'],
    ['deploy', { parameters: { noop: { value: true }, tags: 'a' } }, 'noop must be a boolean'],
  ])('of type %s refuse at once what no run could take: %j', async (type, given, message) => {
    const input = { scope: { nodes: [A] }, ...given };
    const { status, body } = await api.post(PATH, { ...scheduled, type, input });
    expect([status, body.msg]).toEqual([400, expect.stringContaining(message)]);
    expect((await api.get(PATH)).body.items).toEqual([]);
  });

  it('say why a run could not begin', async () => {
    const input = { scope: { query: 'nodes {}' } };
    await api.post(PATH, { ...scheduled, type: 'deploy', input });
    await pass(60);
    const { body } = await api.get(`${PATH}/1`);
    expect(body.last_run.submission_error).toMatch(/^A query as target needs/);
  });

  it('run with what their owner may do then', async () => {
    const input = { scope: { nodes: [A] } };
    await api.post(PATH, { ...scheduled, type: 'deploy', input }, 'operator');
    api.access.change('operator', VIEWER_GRANTS);
    await pass(60);
    const error = async () => (await api.get(`${PATH}/1`)).body.last_run.submission_error;
    expect(await error()).toBe('User operator lacks the permission puppet_agent:run:*');
    api.access.change('operator', null);
    await pass(60);
    expect(await error()).toBe('User operator is gone or revoked');
    api.access.change('operator', OPERATOR_GRANTS);
    await pass(60);
    expect((await api.get(`${PATH}/1`)).body.last_run.job.name).toBe('1');
  });

  const DELETE_ALL = [...VIEWER_GRANTS, ['scheduled_jobs', 'delete', '*']] as const;
  const COMMAND = { name: 'bolt_shim::command', parameters: { command: 'id' }, scope: { nodes: [A] } };

  it('are made by those who may run them', async () => {
    const body = { ...scheduled, input: COMMAND };
    const denied = (login: string, details: object) => ({
      status: 403,
      body: orchestratorError('not-permitted', `User ${login} is not permitted to run bolt_shim::command`, details),
    });
    expect(await api.post(PATH, body, 'operator')).toEqual(denied('operator', { nodes: [A] }));
    const plan = { ...body, type: 'plan', input: { name: 'demo' } };
    expect((await api.post(PATH, plan, 'operator')).body.msg).toBe('User operator is not permitted to run demo');
    expect(await api.post(PATH, { ...body, type: 'deploy' }, 'viewer')).toMatchObject({ status: 403 });
    const query = { ...body, type: 'deploy', input: { scope: { query: 'nodes {}' } } };
    expect((await api.post(PATH, query, 'operator')).body.msg).toMatch(/lacks the permission nodes:view_data:\*$/);
    expect((await api.get(PATH)).body.items).toEqual([]);
  });

  it.each([
    ['another command', { input: COMMAND }],
    ['another time', { schedule: { start_time: '2026-11-21T00:00:30Z' } }],
    ['another text', { description: 'x' }],
  ])('get no %s by a user who may only delete them', async (_, change) => {
    await api.post(PATH, scheduled);
    api.access.change('viewer', DELETE_ALL);
    const before = await api.get(`${PATH}/1`);
    expect((await api.put(`${PATH}/1`, change, 'viewer')).body).toMatchObject({
      kind: 'puppetlabs.orchestrator/not-permitted',
      msg: expect.stringMatching(/^User viewer is not permitted to run /),
    });
    expect(await api.get(`${PATH}/1`)).toEqual(before);
    expect(await api.put(`${PATH}/1`, { enabled: false }, 'viewer')).toMatchObject({ status: 200 });
  });

  it('run with what both their owner and their last changer may do then', async () => {
    const hello = ['tasks', 'run', 'demo::hello'] as const;
    const changer = [...DELETE_ALL, hello];
    await api.post(PATH, scheduled);
    api.access.change('viewer', changer);
    expect(await api.put(`${PATH}/1`, { description: 'x' }, 'viewer')).toMatchObject({ status: 200 });
    const shown = async () => (await api.get(`${PATH}/1`)).body;
    expect(await shown()).toMatchObject({ owner: { login: 'admin' } });
    await pass(60);
    expect((await shown()).last_run.job.name).toBe('1');
    const error = async () => (await shown()).last_run.submission_error;
    api.access.change('viewer', DELETE_ALL);
    await pass(60);
    expect(await error()).toBe('User viewer is not permitted to run demo::hello');
    api.access.change('viewer', changer);
    api.access.change('admin', VIEWER_GRANTS);
    await pass(60);
    expect(await error()).toBe('User admin is not permitted to run demo::hello');
    api.access.change('admin', ADMIN_GRANTS);
    api.access.change('viewer', null);
    await pass(60);
    expect(await error()).toBe('User viewer is gone or revoked');
    expect(await api.put(`${PATH}/1`, { description: 'y' })).toMatchObject({ status: 200 });
    await pass(60);
    expect((await shown()).last_run).toMatchObject({ job: { name: expect.any(String) } });
  });

  it('have older commands', async () => {
    const time = { scheduled_time: '2026-11-21T01:00:00Z' };
    const body = {
      task: 'demo::hello',
      params: { name: 'x' },
      scope: { nodes: [A] },
      environment: 'production',
      ...time,
    };
    const made = await api.post('/command/schedule_task', body);
    expect(made).toEqual({ status: 202, body: { scheduled_job: { id: `${HOST}/scheduled_jobs/1`, name: '1' } } });
    await api.post('/command/schedule_deploy', {
      environment: 'production',
      scope: { nodes: [A] },
      noop: true,
      ...time,
    });
    expect((await api.get('/scheduled_jobs')).body.items).toMatchObject([
      { type: 'task', input: { name: 'demo::hello', parameters: { name: 'x' } } },
      { type: 'deploy', input: { noop: true } },
    ]);
    expect((await api.delete('/scheduled_jobs/1', 'viewer')).body.kind).toBe('puppetlabs.orchestrator/not-permitted');
    expect(await api.delete('/scheduled_jobs/1')).toEqual({ status: 204, body: null });
    expect((await api.get('/scheduled_jobs/1')).status).toBe(404);
  });

  it.each([
    [{ ...scheduled, type: 'x' }, 400, "type must be 'deploy', 'task' or 'plan'"],
    [{ ...scheduled, input: { name: 'demo::none', scope: {} } }, 404, 'Unknown task demo::none'],
    [{ ...scheduled, environment: 'x' }, 404, 'Unknown task demo::hello'],
    [
      { ...scheduled, schedule: { start_time: '2020-01-01T00:00:00Z' } },
      400,
      'The start time 2020-01-01T00:00:00Z is in the past',
    ],
    [{ ...scheduled, schedule: { start_time: 'soon' } }, 400, 'schedule.start_time must be an ISO 8601 time'],
    [
      { ...scheduled, schedule: { ...schedule, interval: { value: 1, units: 'days' } } },
      400,
      "schedule.interval must have a value from 1 to 31622400, and units 'seconds'",
    ],
  ])('refuse %j', async (body, status, msg) => {
    const answer = await api.post(PATH, body);
    expect([answer.status, answer.body.msg]).toEqual([status, msg]);
  });
});

describe('the rest', () => {
  it('describes itself', async () => {
    const { body } = await api.get('/orchestrator');
    expect((await api.get('/')).body).toEqual(body);
    expect(body.info.title).toBe('Understudy orchestrator');
    expect(body.collections).toContainEqual({ name: 'jobs', id: `${HOST}/jobs` });
    expect(body.commands).toContainEqual({ name: 'deploy', id: `${HOST}/command/deploy` });
    expect((await api.get('/status')).body).toEqual({ state: 'running', connected_agents: 2 });
  });

  it('lists environments', async () => {
    expect((await api.get('/environments')).body.items).toEqual([
      { id: `${HOST}/environments/production`, name: 'production' },
    ]);
    expect((await api.get('/environments/production')).body.name).toBe('production');
    expect((await api.get('/environments/x')).body.kind).toBe('puppetlabs.orchestrator/unknown-environment');
    expect((await api.get('/environments/production/applications')).body).toEqual({ items: [] });
  });

  it('counts what is used', async () => {
    await api.world.stores.nodes.markSeen(OFF, 'production', 0);
    await api.post('/command/task', TASK);
    expect((await api.get('/usage')).body).toEqual({
      items: [
        {
          date: '2026-11-21',
          total_nodes: 1,
          nodes_with_agent: 1,
          nodes_without_agent: 0,
          corrective_agent_changes: 0,
          intentional_agent_changes: 0,
          nodes_affected_by_task_runs: 1,
          nodes_affected_by_plan_runs: 0,
        },
      ],
      pagination: { start_date: '2026-11-21', end_date: '2026-11-21' },
    });
    expect((await api.get('/usage?start_date=x')).body.msg).toBe('start_date must be a date such as 2026-11-22');
    expect((await api.get('/usage?start_date=2026-11-22&end_date=2026-11-23')).body.items).toEqual([]);
  });

  it('counts what Puppet runs changed, by day', async () => {
    const { documents, blobs } = api.world.stores;
    const day = 24 * 3600_000;
    const now = api.world.clock.now();
    const report = async (certname: string, at: number, status: string, changes?: RunChanges) =>
      storeReport(
        { documents, blobs },
        { ...REPORT, certname, receivedAt: at, status, ...(changes ? { changes } : {}) },
        new Uint8Array(),
        { kept: 10, days: 14 },
      );
    await report(A, now, 'changed', { corrective: 2, intentional: 3 });
    await report(B, now + day - 1, 'failed', { corrective: 0, intentional: 4 });
    await report(A, now - 1, 'changed', { corrective: 1, intentional: 0 });
    await report(B, now - 2 * day, 'changed');
    const counts = async (start: string) => {
      const { items } = (await api.get(`/usage?start_date=${start}&end_date=2026-11-23`)).body;
      return items.map((one: Record<string, unknown>) => [
        one.date,
        one.corrective_agent_changes,
        one.intentional_agent_changes,
      ]);
    };
    expect(await counts('2026-11-19')).toEqual([
      ['2026-11-20', 1, 0],
      ['2026-11-21', 2, 7],
    ]);
    api.world.clock.time += day;
    expect(await counts('2026-11-21')).toEqual([
      ['2026-11-21', 2, 7],
      ['2026-11-22', 0, 0],
    ]);
    await report(B, now, 'changed', { corrective: 5, intentional: 5 });
    expect(await counts('2026-11-21')).toEqual([
      ['2026-11-21', 2, 7],
      ['2026-11-22', 0, 0],
    ]);
  });
});
