import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VIEWER_GRANTS } from '../../../helpers/fixed-access.ts';
import { OrchestratorApi, orchestratorError } from '../../../helpers/orchestrator-api.ts';

const [A, B, OFF] = ['a.example.com', 'b.example.com', 'off.example.com'] as const;
const HOST = 'https://pe.example.com:8143/orchestrator/v1';
const NODES = { scope: { nodes: [A, B] } };
const RUN = {
  transaction_uuid: '121387a9-4cdf-46a7-bafe-59a411937ad7',
  environment: 'production',
  status: 'changed',
  metrics: { total: 8, changed: 1 },
  exitcode: 0,
};
const CODE = {
  'environments/production/modules/demo/tasks/hello.sh': 'echo hello',
  'environments/production/modules/demo/tasks/hello.json': JSON.stringify({
    parameters: { name: { type: 'Optional[String[1]]' } },
  }),
  'environments/production/modules/demo/tasks/noop.sh': '',
  'environments/production/modules/demo/tasks/noop.json': JSON.stringify({
    supports_noop: true,
    input_method: 'stdin',
  }),
  'environments/production/modules/demo/tasks/secret.sh': '',
  'environments/production/modules/demo/tasks/secret.json': JSON.stringify({
    parameters: { password: { type: 'String', sensitive: true }, user: {} },
  }),
  'environments/production/modules/demo/tasks/init.sh': '',
  'environments/production/modules/demo/tasks/broken.json': '{}',
  'environments/production/modules/demo/plans/init.pp': 'plan demo() {}',
};

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

describe('command/deploy', () => {
  it('makes a job that clients can follow to its end', async () => {
    for (const name of [A, B]) api.world.network.agent(name).behaviour = { results: RUN, runMs: 5000 };
    const body = { environment: 'production', ...NODES, description: 'x', userdata: { ticket: 5 }, noop: null };
    const made = await api.post('/command/deploy', body);
    expect(made).toEqual({ status: 202, body: { job: { id: `${HOST}/jobs/1`, name: '1' } } });
    const started = '2026-11-21T00:00:00Z';
    const job = {
      id: `${HOST}/jobs/1`,
      name: '1',
      state: 'running',
      command: 'deploy',
      type: 'deploy',
      options: {
        concurrency: null,
        noop: false,
        no_noop: false,
        enforce_environment: true,
        debug: false,
        trace: false,
        evaltrace: false,
        use_cached_catalog: false,
        usecacheonfailure: false,
        target: null,
        description: 'x',
        environment: 'production',
        ...NODES,
      },
      owner: {
        id: expect.any(String),
        login: 'admin',
        email: '',
        display_name: 'admin',
        is_revoked: false,
        is_remote: false,
        is_superuser: true,
        is_group: false,
        last_login: null,
        role_ids: [1],
      },
      description: 'x',
      timestamp: started,
      started_timestamp: started,
      finished_timestamp: null,
      duration: '0',
      environment: { name: 'production' },
      node_count: 2,
      node_states: { running: 2 },
      nodes: { id: `${HOST}/jobs/1/nodes` },
      report: { id: `${HOST}/jobs/1/report` },
      events: { id: `${HOST}/jobs/1/events` },
      userdata: { ticket: 5 },
    };
    const stays = ['new', 'ready', 'running'].map((state) => ({
      state,
      enter_time: started,
      exit_time: state === 'running' ? null : started,
    }));
    expect(await api.get('/jobs/1')).toEqual({ status: 200, body: { ...job, status: stays } });
    await api.world.pass(5);
    const ended = '2026-11-21T00:00:05Z';
    expect((await api.get('/jobs')).body).toEqual({
      items: [
        {
          ...job,
          state: 'finished',
          node_states: { finished: 2 },
          timestamp: ended,
          finished_timestamp: ended,
          duration: '5',
        },
      ],
      pagination: { limit: null, offset: 0, order: 'asc', order_by: 'name', total: 1, type: '' },
    });
    const { body: nodes } = await api.get('/jobs/1/nodes?limit=1');
    expect(nodes).toMatchObject({
      'next-events': { id: `${HOST}/jobs/1/events?start=5`, event: '5' },
      items: [
        {
          name: A,
          state: 'finished',
          transport: 'pcp',
          duration: 5,
          transaction_uuid: RUN.transaction_uuid,
          details: {
            message: `Finished puppet run on ${A} - Success!`,
            'report-url': `https://localhost:8140/understudy/v1/reports/${A}/${RUN.transaction_uuid}`,
          },
          result: { status: 'changed' },
          'latest-event-id': 3,
        },
      ],
      pagination: { limit: 1, total: 2 },
    });
    expect((await api.get('/jobs/1/report')).body.items[0]).toEqual({
      node: A,
      state: 'finished',
      timestamp: ended,
      events: [],
    });
    const { body: events } = await api.get('/jobs/1/events');
    expect(events['next-events']).toEqual({ id: `${HOST}/jobs/1/events?start=6`, event: '6' });
    expect(events.items.map(({ id }: { id: string }) => id)).toEqual(['1', '2', '3', '4', '5']);
    expect((await api.get('/jobs/1/events?start=5')).body.items).toEqual([
      {
        id: '5',
        type: 'job_finished',
        timestamp: ended,
        details: { job: '1', state: 'finished' },
        message: 'Job 1 finished',
      },
    ]);
    expect((await api.get('/jobs/1/events?start=6')).body).toMatchObject({ 'next-events': { event: '6' }, items: [] });
  });

  it('gives the agents its flags', async () => {
    const flags = {
      noop: true,
      debug: true,
      trace: true,
      evaltrace: true,
      use_cached_catalog: true,
      usecacheonfailure: true,
      tags: 'a,b',
      skip_tags: 'c',
      ordering: 'manifest',
      filetimeout: 5,
      http_connect_timeout: 6,
      http_keepalive_timeout: 7,
      http_read_timeout: 8,
    };
    await api.post('/command/deploy', { environment: 'production', ...NODES, ...flags });
    const sent = [
      ['--environment', 'production', '--noop', '--debug', '--trace', '--evaltrace', '--use_cached_catalog'],
      ['--usecacheonfailure', '--tags', 'a,b', '--skip_tags', 'c', '--ordering', 'manifest', '--filetimeout', '5'],
      ['--http_connect_timeout', '6', '--http_keepalive_timeout', '7', '--http_read_timeout', '8'],
    ].flat();
    expect(api.world.network.agent(A).requests[0]?.params).toEqual({ flags: sent, job: '1' });
    const own = { environment: '', enforce_environment: false, no_noop: true, ...NODES };
    expect((await api.post('/command/deploy', own)).status).toBe(202);
    expect(api.world.network.agent(A).requests[1]?.params).toEqual({ flags: ['--no-noop'], job: '2' });
  });

  it.each([
    [
      { environment: 'nope', ...NODES },
      404,
      orchestratorError('unknown-environment', 'Unknown environment nope', { environment: 'nope' }),
    ],
    [
      { environment: 'a/b', ...NODES },
      404,
      orchestratorError('unknown-environment', 'Unknown environment a/b', { environment: 'a/b' }),
    ],
    [{ environment: 'production', scope: { nodes: [] } }, 400, orchestratorError('empty-target', 'No nodes in target')],
    [NODES, 400, orchestratorError('validation-error', 'environment is required')],
    [
      { environment: '', ...NODES },
      400,
      orchestratorError('validation-error', 'enforce_environment must be false when environment is empty'),
    ],
    [
      { environment: '', enforce_environment: false },
      400,
      orchestratorError('validation-error', 'scope is required when environment is empty'),
    ],
    [
      { environment: 'production' },
      400,
      orchestratorError('empty-environment', 'No nodes in environment production', { environment: 'production' }),
    ],
    [
      { environment: 'production', scope: { nodes: [A], query: 'nodes {}' } },
      400,
      orchestratorError('validation-error', 'scope must have exactly one key', {
        scope: { nodes: [A], query: 'nodes {}' },
      }),
    ],
    [
      { environment: 'production', scope: {} },
      400,
      orchestratorError('validation-error', 'scope must have exactly one key', { scope: {} }),
    ],
    [
      { environment: 'production', scope: { nodes: 'x' } },
      400,
      orchestratorError('validation-error', 'nodes must be a list of strings', { nodes: 'x' }),
    ],
    [
      { environment: 'production', scope: { x: 1 } },
      400,
      orchestratorError('validation-error', 'x is not a known key', { x: 1 }),
    ],
    [
      { environment: 'production', ...NODES, noop: true, no_noop: true },
      400,
      orchestratorError('validation-error', 'noop and no_noop exclude each other'),
    ],
    [
      { environment: 'production', ...NODES, noop: 'yes' },
      400,
      orchestratorError('validation-error', 'noop must be a boolean', { noop: 'yes' }),
    ],
    [
      { environment: 'production', ...NODES, concurrency: 0 },
      400,
      orchestratorError('validation-error', 'concurrency must be at least 1', { concurrency: 0 }),
    ],
    [
      { environment: 'production', ...NODES, what: 1 },
      400,
      orchestratorError('validation-error', 'what is not a known key', { what: 1 }),
    ],
    [
      { environment: 'production', scope: { query: 'nodes {}' } },
      400,
      orchestratorError(
        'puppetdb-error',
        'A query as target needs the inventory, which this server does not have: see --puppetdb-port, or understudy:inventory in AWS',
        { query: 'nodes {}' },
      ),
    ],
    [
      { environment: 'production', scope: { node_group: 'fc50' } },
      404,
      orchestratorError('unknown-node-group', 'There is no node group fc50', { id: 'fc50' }),
    ],
    [
      { environment: '', enforce_environment: false, scope: { application: 'App' } },
      400,
      orchestratorError('validation-error', 'environment is required for the application App'),
    ],
    [
      { environment: 'production', target: 'App[x]' },
      400,
      orchestratorError('empty-target', "There is no application App[x] in the environment graph of 'production'", {
        application: 'App[x]',
        environment: 'production',
      }),
    ],
  ])('refuses %j', async (body, status, expected) => {
    expect(await api.post('/command/deploy', body)).toEqual({ status, body: expected });
    expect((await api.get('/jobs')).body.items).toEqual([]);
  });

  it.each(['', '[1]', '{"a"'])('refuses the body %j, which is no JSON object', async (body) => {
    const answer = await api.post('/command/deploy', body);
    expect(answer).toMatchObject({
      status: 400,
      body: { kind: 'puppetlabs.orchestrator/validation-error', details: {} },
    });
  });
});

describe('command/task', () => {
  it('runs a task with its files, metadata and defaults', async () => {
    const body = { task: 'demo::hello', environment: 'production', noop: null, params: { name: 'bob' }, ...NODES };
    expect((await api.post('/command/task', body)).status).toBe(202);
    const { body: job } = await api.get('/jobs/1');
    expect(job).toMatchObject({ type: 'task', command: 'task', state: 'finished', node_states: { finished: 2 } });
    expect(job.options).toEqual({
      task: 'demo::hello',
      environment: 'production',
      noop: null,
      params: { name: 'bob' },
      ...NODES,
      description: '',
      sensitive: [],
      'scheduled-job-id': null,
    });
    expect(api.world.network.agent(A).requests[0]).toMatchObject({
      module: 'task',
      action: 'run',
      params: {
        task: 'demo::hello',
        input: { name: 'bob' },
        metadata: { parameters: { name: { type: 'Optional[String[1]]' } } },
        files: [{ filename: 'hello.sh', uri: { path: '/puppet/v3/file_content/tasks/demo/hello.sh' }, size_bytes: 10 }],
      },
    });
    await api.post('/command/task', { task: 'demo::noop', params: {}, noop: true, ...NODES });
    expect(api.world.network.agent(A).requests[1]?.params).toMatchObject({
      input: { _noop: true },
      input_method: 'stdin',
    });
  });

  it('stores and shows no sensitive value, and sends it to the agents', async () => {
    const params = { password: 'hunter2', user: 'bob' };
    await api.post('/command/task', { task: 'demo::secret', params, ...NODES });
    const { body: job } = await api.get('/jobs/1');
    expect(job.options).toMatchObject({ params: { user: 'bob' }, sensitive: ['password'] });
    expect(api.world.network.agent(A).requests[0]?.params).toMatchObject({ input: params });
    const stored = await api.world.stores.jobs.get('job', 1);
    expect(JSON.stringify(stored)).not.toContain('hunter2');
  });

  it('runs commands, scripts and uploads of Bolt', async () => {
    const agent = api.world.network.agent(A);
    agent.behaviour = { results: { exitcode: 2, stdout: 'out\n' } };
    const scope = { nodes: [A] };
    const content = Buffer.from('#!/bin/sh\necho "$1"\n').toString('base64');
    await api.post('/command/task', { task: 'bolt_shim::command', params: { command: 'exit 2' }, scope });
    expect(agent.requests[0]).toMatchObject({ module: 'command', action: 'run', params: { command: 'exit 2' } });
    const { body: nodes } = await api.get('/jobs/1/nodes');
    expect(nodes.items[0]).toMatchObject({ state: 'finished', result: { stdout: 'out\n', stderr: '', exit_code: 2 } });
    await api.post('/command/task', {
      task: 'bolt_shim::script',
      params: { content, arguments: ['a'], name: 's.sh' },
      scope,
    });
    const { script, arguments: given } = { ...agent.requests[1]?.params } as {
      script: { filename: string; sha256: string };
      arguments: string[];
    };
    expect([script.filename, given]).toEqual(['s.sh', ['a']]);
    const bytes = await api.world.stores.blobs.get(`jobs/2/files/${script.sha256}`);
    expect(Buffer.from(bytes ?? []).toString('base64')).toBe(content);
    const upload = { path: '/tmp/x', content, mode: 420, directory: false };
    await api.post('/command/task', { task: 'bolt_shim::upload', params: upload, scope });
    expect(agent.requests[2]?.params).toMatchObject({
      task: 'bolt_shim::upload',
      input: { path: '/tmp/x', mode: 420, directory: false },
      metadata: {
        implementations: [
          { name: 'upload.ps1', requirements: ['powershell'], input_method: 'environment' },
          { name: 'upload.sh', requirements: ['shell'] },
        ],
        files: ['bolt_shim/files/content'],
      },
      files: [
        { filename: 'upload.ps1' },
        { filename: 'upload.sh' },
        { filename: 'bolt_shim/files/content', sha256: script.sha256 },
      ],
    });
  });

  it('has the tasks by which Bolt applies manifests', async () => {
    const agent = api.world.network.agent(A);
    const scope = { nodes: [A] };
    const plugins = Buffer.from('tar').toString('base64');
    const catalog = { resources: [{ parameters: { content: 'hunter2' } }] };
    await api.post('/command/task', {
      task: 'apply_helpers::apply_catalog',
      params: { catalog, plugins, apply_settings: { show_diff: true }, bolt_builtin_content: {} },
      noop: true,
      scope,
    });
    expect(agent.requests[0]?.params).toMatchObject({
      task: 'apply_helpers::apply_catalog',
      input: { catalog, apply_settings: { show_diff: true }, _noop: true },
      metadata: { files: ['apply_helpers/files/apply_helpers.rb', 'apply_helpers/files/plugins.tar.gz'] },
    });
    const { files } = { ...agent.requests[0]?.params } as { files: readonly { filename: string; sha256: string }[] };
    const bytes = await api.world.stores.blobs.get(`jobs/1/files/${files.at(-1)?.sha256}`);
    expect(Buffer.from(bytes ?? []).toString()).toBe('tar');
    expect(JSON.stringify(await api.world.stores.jobs.get('job', 1))).not.toContain('hunter2');
    await api.post('/command/task', { task: 'apply_helpers::custom_facts', params: { plugins }, scope });
    expect(agent.requests[1]?.params).toMatchObject({ task: 'apply_helpers::custom_facts', input: {} });
    await api.post('/command/task', { task: 'puppet_agent::version', params: {}, scope });
    expect(agent.requests[2]?.params).toMatchObject({ task: 'puppet_agent::version', files: [{}, {}] });
    agent.behaviour = { results: RUN };
    await api.post('/command/task', { task: 'puppet_agent::run', params: { environment: 'dev' }, noop: true, scope });
    expect(agent.requests[3]).toMatchObject({
      module: 'pxp-module-puppet',
      params: { flags: ['--environment', 'dev', '--noop'], job: '4' },
    });
    expect((await api.get('/jobs/4/nodes')).body.items[0].result).toMatchObject({ status: 'changed' });
  });

  it.each([
    [
      { task: 'puppet_agent::install', params: {}, ...NODES },
      404,
      orchestratorError(
        'unknown-task',
        'Unknown task puppet_agent::install: the module puppet_agent has it, and is not deployed',
      ),
    ],
    [{ task: 'demo::none', params: {}, ...NODES }, 404, orchestratorError('unknown-task', 'Unknown task demo::none')],
    [{ task: 'demo::hello', ...NODES }, 400, orchestratorError('validation-error', 'params is required')],
    [{ task: 'demo::hello', params: {} }, 400, orchestratorError('validation-error', 'scope is required')],
    [
      { task: 'demo::hello', params: [], ...NODES },
      400,
      orchestratorError('validation-error', 'params must be an object', { params: [] }),
    ],
    [
      { task: 'demo::hello', params: {}, scope: { application: 'X' } },
      400,
      orchestratorError('validation-error', 'A task has no application as scope', { scope: { application: 'X' } }),
    ],
    [
      { task: 'demo::hello', params: {}, noop: true, ...NODES },
      400,
      orchestratorError('validation-error', 'The task demo::hello does not support noop'),
    ],
    [
      { task: 'demo::hello', params: {}, environment: 'x', ...NODES },
      404,
      orchestratorError('unknown-environment', 'Unknown environment x', { environment: 'x' }),
    ],
    [
      { task: 'demo::hello', params: {}, ...NODES, targets: [{ hostnames: ['ssh01'] }] },
      400,
      orchestratorError('empty-target', 'targets name nodes that are not in scope', { hostnames: ['ssh01'] }),
    ],
    [
      { task: 'demo::hello', params: {}, ...NODES, targets: [{ hostnames: [A] }] },
      501,
      orchestratorError('not-available', 'Tasks run on agents only: this server has no transport for ssh and winrm', {
        hostnames: [A],
      }),
    ],
    [
      { task: 'bolt_shim::script', params: { content: '!' }, ...NODES },
      400,
      orchestratorError('validation-error', 'content must be Base64'),
    ],
  ])('refuses %j', async (body, status, expected) => {
    expect(await api.post('/command/task', body)).toEqual({ status, body: expected });
  });

  it('checks parameters by the metadata of the task', async () => {
    const answer = await api.post('/command/task', { task: 'demo::hello', params: { name: 5, x: 1 }, ...NODES });
    expect(answer).toMatchObject({ status: 400, body: { kind: 'puppetlabs.orchestrator/validation-error' } });
    const faults = [
      "has no parameter named 'x'",
      "parameter 'name' expects a value of type Undef or String, got Integer",
    ];
    expect(answer.body.details.faults).toEqual(faults);
    expect(answer.body.msg).toBe(`Task demo::hello:\n  ${faults.join('\n  ')}`);
  });

  it('names what is wrong with a task that cannot be used', async () => {
    const answer = await api.post('/command/task', { task: 'demo::broken', params: {}, ...NODES });
    expect(answer).toMatchObject({ status: 400, body: { kind: 'puppet.tasks/no-implementation', details: {} } });
  });
});

describe('permissions', () => {
  it.each([
    ['GET', '/jobs', null, 401, 'puppetlabs.rbac/user-unauthenticated'],
    ['GET', '/jobs', 'bad', 401, 'puppetlabs.rbac/user-unauthenticated'],
    ['GET', '/jobs', 'nobody', 403, 'puppetlabs.rbac/permission-denied'],
    ['GET', '/jobs', 'viewer', 200, undefined],
    ['GET', '/jobs?token=viewer', null, 200, undefined],
    ['POST', '/command/deploy', 'viewer', 403, 'puppetlabs.rbac/permission-denied'],
    ['POST', '/command/deploy', 'operator', 202, undefined],
    ['POST', '/command/task', 'operator', 403, 'puppetlabs.orchestrator/not-permitted'],
  ])('%s %s with the token %s: %d', async (method, path, token, status, kind) => {
    const body = path.endsWith('task')
      ? { task: 'demo::hello', params: {}, ...NODES }
      : { environment: 'production', ...NODES };
    const answer = method === 'GET' ? await api.get(path, token) : await api.post(path, body, token);
    expect([answer.status, answer.body.kind]).toEqual([status, kind]);
    if (status === 401) expect(answer.body.msg).toBe('Route requires authentication');
  });

  it('runs nothing when a task is not permitted on each node', async () => {
    const target = { display_name: 't', tasks: ['demo::hello'], nodes: [B], node_groups: [] };
    await api.post('/command/task_target', target);
    const body = { task: 'demo::hello', params: {}, ...NODES };
    const run = (nodes: readonly string[]) => api.post('/command/task', { ...body, scope: { nodes } }, 'constrained');
    const message = 'User constrained is not permitted to run demo::hello';
    const refused = (msg: string) => ({ status: 403, body: orchestratorError('not-permitted', msg, { nodes: [A] }) });
    expect(await run([A, B])).toEqual(refused(`${message} on ${A}`));
    expect(await run([A])).toEqual(refused(message));
    expect((await api.get('/jobs')).body.items).toEqual([]);
    expect(await run([B])).toMatchObject({ status: 202 });
    expect((await api.get('/jobs/1/nodes')).body.items).toMatchObject([{ name: B }]);
  });
});

describe('command/stop', () => {
  const target = { display_name: 't', tasks: ['demo::hello'], nodes: [A, B], node_groups: [] };
  const STARTS = {
    deploy: ['/command/deploy', { environment: 'production', ...NODES }],
    task: ['/command/task', { task: 'demo::hello', params: {}, ...NODES }],
  } as const;

  it.each([
    ['deploy', 'viewer', 403],
    ['deploy', 'operator', 202],
    ['task', 'viewer', 403],
    ['task', 'operator', 403],
    ['task', 'constrained', 202],
    ['task', 'admin', 202],
  ] as const)('of a %s of another user, by the user %s: %d', async (kind, login, status) => {
    for (const name of [A, B]) api.world.network.agent(name).behaviour = { runMs: 60_000 };
    await api.post('/command/task_target', target);
    const [path, body] = STARTS[kind];
    expect(await api.post(path, body, 'admin')).toMatchObject({ status: 202 });
    const stop = (token: string) => api.post('/command/stop', { job: '1', force: true }, token);
    expect((await stop(login)).status).toBe(login === 'admin' ? 202 : status);
    expect((await api.get('/jobs/1')).body.state).toBe(status === 202 ? 'stopped' : 'running');
  });

  it('is permitted to the user whose job it is', async () => {
    api.world.network.agent(A).behaviour = { runMs: 60_000 };
    await api.post('/command/deploy', { environment: 'production', scope: { nodes: [A] } }, 'operator');
    api.access.change('operator', VIEWER_GRANTS);
    expect(await api.post('/command/stop', { job: '1' }, 'operator')).toMatchObject({ status: 202 });
  });
});

describe('jobs', () => {
  it('are listed as asked for', async () => {
    for (const name of [A, B]) api.world.network.agent(name).behaviour = { results: RUN };
    const deploy = { environment: 'production', scope: { nodes: [A] } };
    for (let count = 0; count < 11; count += 1) await api.post('/command/deploy', deploy);
    await api.world.pass(10);
    await api.post('/command/task', { task: 'demo::hello', params: {}, ...NODES });
    const names = async (query: string) =>
      (await api.get(`/jobs?${query}`)).body.items.map(({ name }: { name: string }) => name).join();
    expect(await names('limit=3')).toBe('1,2,3');
    expect(await names('limit=2&offset=9')).toBe('10,11');
    expect(await names('order=desc&limit=2')).toBe('12,11');
    expect(await names('type=task')).toBe('12');
    expect(await names('task=hell')).toBe('12');
    expect(await names('task=x')).toBe('');
    expect(await names('order_by=timestamp&order=desc&limit=1')).toBe('12');
    expect(await names('min_finish_timestamp=2026-11-21T00:00:05Z')).toBe('12');
    expect(await names('max_finish_timestamp=2026-11-21T00:00:05Z&limit=1')).toBe('1');
    expect((await api.get('/jobs?type=task&limit=5')).body.pagination).toEqual({
      limit: 5,
      offset: 0,
      order: 'asc',
      order_by: 'name',
      total: 1,
      type: 'task',
    });
  });

  it.each([
    ['/jobs/999999', 404, orchestratorError('unknown-job', 'Unknown job 999999', { job: '999999' })],
    ['/jobs/abc', 400, orchestratorError('validation-error', 'Invalid job id abc')],
    ['/jobs/abc/nodes', 400, orchestratorError('validation-error', 'Invalid job id abc')],
    ['/jobs/7/events', 404, orchestratorError('unknown-job', 'Unknown job 7', { job: '7' })],
    ['/jobs?limit=x', 400, orchestratorError('validation-error', 'limit must be an integer', { limit: 'x' })],
    ['/jobs?offset=-1', 400, orchestratorError('validation-error', 'offset must be an integer', { offset: '-1' })],
    ['/jobs?order=up', 400, orchestratorError('validation-error', 'order must be one of asc, desc', { order: 'up' })],
    ['/nothing', 404, orchestratorError('not-found', 'There is nothing at /orchestrator/v1/nothing')],
  ])('GET %s is refused', async (path, status, body) => {
    expect(await api.get(path)).toEqual({ status, body });
  });

  it('stop, also more than once', async () => {
    for (const name of [A, B]) api.world.network.agent(name).behaviour = { runMs: 5000 };
    await api.post('/command/deploy', { environment: 'production', concurrency: 1, ...NODES });
    const counts = { new: 1, running: 1, failed: 0, errored: 0, skipped: 0, finished: 0 };
    const job = { id: `${HOST}/jobs/1`, name: '1' };
    expect(await api.post('/command/stop', { job: '1' })).toEqual({
      status: 202,
      body: { job: { ...job, nodes: counts } },
    });
    expect((await api.get('/jobs/1')).body).toMatchObject({
      state: 'stopping',
      node_states: { running: 1, skipped: 1 },
    });
    expect((await api.get('/jobs/1/report')).body.items).toMatchObject([
      { state: 'running' },
      { state: 'skipped', timestamp: null },
    ]);
    expect((await api.post('/command/stop', { job: '1', force: true })).status).toBe(202);
    expect((await api.get('/jobs/1')).body.state).toBe('stopped');
    expect((await api.post('/command/stop', { job: '1' })).body.job.nodes).toMatchObject({ skipped: 1, errored: 1 });
    expect((await api.post('/command/stop', { job: '9' })).status).toBe(404);
    expect((await api.post('/command/stop', { job: 1 })).body.msg).toBe('job must be a string');
  });

  it('show nodes that did not begin, and the time of those that run', async () => {
    api.world.network.agent(A).behaviour = { runMs: 60_000 };
    await api.post('/command/task', { task: 'demo::hello', params: {}, scope: { nodes: [B, A, OFF] } });
    await api.world.pass(10);
    const { body } = await api.get('/jobs/1/nodes?order_by=state&order=desc');
    const states = body.items.map(({ name, state }: { name: string; state: string }) => `${name} ${state}`);
    expect(states).toEqual([`${A} running`, `${B} finished`, `${OFF} errored`]);
    expect(body.items[0].details).toEqual({ message: `Started on ${A} ...`, 'run-time': 10 });
    expect((await api.get('/jobs/1/nodes?state=errored')).body.items).toHaveLength(1);
  });
});
