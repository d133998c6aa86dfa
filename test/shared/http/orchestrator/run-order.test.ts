import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { digestExports } from '../../../../shared/store/exports-digest.ts';
import { NO_INPUTS } from '../../../helpers/no-inputs.ts';
import { OrchestratorApi, orchestratorError } from '../../../helpers/orchestrator-api.ts';

const [DB, WEB, MON] = ['db.example.com', 'web.example.com', 'mon.example.com'] as const;
const HOST = 'https://pe.example.com:8143/orchestrator/v1';
const RUN = {
  transaction_uuid: '121387a9-4cdf-46a7-bafe-59a411937ad7',
  environment: 'production',
  status: 'changed',
  metrics: { total: 8, changed: 1 },
  exitcode: 0,
};
const GRAPH = `
groups:
  'Shop[eu]':
    nodes: ['web*']
    after: [database]
  database:
    description: PostgreSQL
    nodes: [db.example.com, other.example.com]
`;

let api: OrchestratorApi;
beforeEach(async () => {
  api = new OrchestratorApi();
  api.world.network.addAgents([DB, WEB, MON], { results: RUN, runMs: 1000 });
  await deployGraph(GRAPH);
});
afterEach(() => {
  expect(api.errors).toEqual([]);
  api.close();
});

const deployGraph = (text: string) =>
  api.deploy('production', {
    'environments/production/manifests/site.pp': '',
    'environments/production/environment-graph.yaml': text,
  });

/** Stores a compiled node that exports and collects. */
async function compile(
  certname: string,
  exported: readonly (readonly [string, string])[],
  collected: readonly string[],
) {
  const { nodes, exports } = api.world.stores;
  const resources = exported.map(([type, title]) => ({ certname, type, title, tags: ['prod'], parameters: {} }));
  const collectors = collected.map((type) => ({ certname, type, query: ['tag', '==', 'prod'] }));
  await nodes.markSeen(certname, 'production', 0);
  await nodes.want(certname, 'test', 0, { asked: false });
  await nodes.lease(certname, 0, 1000, null);
  await exports.replaceExports(certname, 1, resources);
  await exports.replaceCollectors(certname, 1, collectors, 'production');
  await nodes.commit({
    certname,
    generation: 1,
    catalog: {
      hash: certname,
      codeId: null,
      namedCode: [],
      compiledAt: 0,
      durationMs: 1,
      exported: digestExports(resources),
    },
    failure: null,
    inputs: { ...NO_INPUTS, collectors: collectors.map(({ type, query }) => ({ type, query })) },
    at: 0,
  });
}

const deployOn = (...nodes: readonly string[]) => ({ environment: 'production', scope: { nodes } });
const statesOf = async (job: number) =>
  Object.fromEntries(
    (await api.get(`/jobs/${job}/nodes`)).body.items.map(({ name, state }: Record<string, string>) => [name, state]),
  );

describe('a job with exports and groups', () => {
  beforeEach(async () => {
    await compile(WEB, [['Nagios_host', WEB]], []);
    await compile(DB, [['Nagios_host', DB]], []);
    await compile(MON, [['Sshkey', MON]], ['Nagios_host', 'Sshkey']);
  });

  it('is shown before it is made', async () => {
    api.world.network.agent(WEB).isConnected = false;
    expect(await api.post('/command/deploy_preview', { ...deployOn(MON, WEB, DB), concurrency: 5 })).toEqual({
      status: 200,
      body: {
        environment: { name: 'production' },
        enforce_environment: true,
        noop: false,
        no_noop: false,
        concurrency: 5,
        node_count: 3,
        levels: [
          { level: 0, nodes: [{ name: DB, connected: true, applications: ['database'] }] },
          { level: 1, nodes: [{ name: WEB, connected: false, applications: ['Shop[eu]'] }] },
          { level: 2, nodes: [{ name: MON, connected: true, applications: [] }] },
        ],
        dependencies: [
          { before: [DB], after: [WEB], reason: 'the group Shop[eu] waits for the group database' },
          { before: [WEB, DB], after: [MON], reason: 'it collects Nagios_host resources' },
        ],
        applications: [
          { name: 'database', nodes: [DB], missing: ['other.example.com'] },
          { name: 'Shop[eu]', nodes: [WEB], missing: [] },
        ],
      },
    });
    expect((await api.get('/jobs')).body.items).toEqual([]);
  });

  it('runs them level by level', async () => {
    await api.post('/command/deploy', deployOn(MON, WEB, DB));
    expect(await statesOf(1)).toEqual({ [DB]: 'running', [WEB]: 'new', [MON]: 'new' });
    await api.world.pass(1);
    expect(await statesOf(1)).toEqual({ [DB]: 'finished', [WEB]: 'running', [MON]: 'new' });
    await api.world.pass(2);
    expect((await api.get('/jobs/1')).body.state).toBe('finished');
    expect((await api.get('/jobs/1/order')).body).toEqual({
      levels: [
        { level: 0, nodes: [DB] },
        { level: 1, nodes: [WEB] },
        { level: 2, nodes: [MON] },
      ],
      applications: [
        { name: 'database', nodes: [DB], missing: ['other.example.com'] },
        { name: 'Shop[eu]', nodes: [WEB], missing: [] },
      ],
    });
    await deployGraph('groups: 5');
    expect((await api.get('/jobs/1/order')).body.applications).toEqual([]);
  });

  it('skips what waits for a node that failed', async () => {
    api.world.network.agent(DB).behaviour = { results: { ...RUN, status: 'failed' } };
    await api.post('/command/deploy', deployOn(MON, WEB, DB));
    expect(await statesOf(1)).toEqual({ [DB]: 'failed', [WEB]: 'skipped', [MON]: 'skipped' });
  });

  it('orders tasks by nothing', async () => {
    const task = { task: 'bolt_shim::command', params: { command: 'id' }, scope: { nodes: [MON, WEB, DB] } };
    await api.post('/command/task', task);
    expect((await api.get('/jobs/1/order')).body).toEqual({
      levels: [{ level: 0, nodes: [MON, WEB, DB] }],
      applications: [],
    });
  });

  it.each([
    ['Shop[eu]', [WEB]],
    ['Shop', [WEB]],
    ['database', [DB, 'other.example.com']],
  ])('has the nodes of the application %s', async (application, nodes) => {
    const preview = await api.post('/command/deploy_preview', { environment: 'production', scope: { application } });
    const [level] = preview.body.levels;
    expect(level.nodes.map(({ name }: { name: string }) => name)).toEqual(nodes);
  });

  it('refuses a cycle, names it, and makes no job', async () => {
    await compile('a.example.com', [['Sshkey', 'a']], ['Sshkey']);
    await compile('b.example.com', [['Sshkey', 'b']], ['Sshkey']);
    const body = orchestratorError(
      'dependency-cycle',
      'The run order has a cycle: a.example.com waits for b.example.com (it collects Sshkey resources), ' +
        'b.example.com waits for a.example.com (it collects Sshkey resources)',
      { nodes: ['a.example.com', 'b.example.com'] },
    );
    for (const command of ['deploy', 'deploy_preview']) {
      expect(await api.post(`/command/${command}`, deployOn('a.example.com', 'b.example.com'))).toEqual({
        status: 400,
        body,
      });
    }
    expect((await api.get('/jobs')).body.items).toEqual([]);
    await deployGraph('exports: {ignore: [Sshkey]}');
    expect((await api.post('/command/deploy', deployOn('a.example.com', 'b.example.com'))).status).toBe(202);
  });

  it('refuses a graph that cannot be read', async () => {
    await deployGraph('groups:\n  web: 5\n');
    const message = 'environment-graph.yaml:2: the group web must be a mapping';
    const expected = orchestratorError('invalid-environment-graph', message, { environment: 'production' });
    expect(await api.post('/command/deploy', deployOn(DB))).toEqual({ status: 400, body: expected });
  });

  it('refuses a graph with a cycle, and makes no job', async () => {
    await deployGraph('groups:\n  a: {nodes: [x], after: [b]}\n  b: {nodes: [y], after: [a]}\n');
    const message = 'environment-graph.yaml:3: the groups have a cycle: a waits for b waits for a';
    const details = { environment: 'production', groups: ['a', 'b'] };
    expect(await api.post('/command/deploy', deployOn(DB))).toEqual({
      status: 400,
      body: orchestratorError('dependency-cycle', message, details),
    });
    expect((await api.get('/jobs')).body.items).toEqual([]);
  });

  it('refuses an unknown application', async () => {
    const details = { application: 'Blog', environment: 'production' };
    expect(await api.post('/command/deploy', { environment: 'production', target: 'Blog' })).toEqual({
      status: 400,
      body: orchestratorError(
        'empty-target',
        "There is no application Blog in the environment graph of 'production'",
        details,
      ),
    });
  });

  it('lists applications and what joins their nodes', async () => {
    await deployGraph(`${GRAPH}  monitoring:\n    nodes: [mon.example.com]\n    after: [database]\n`);
    const environment = `${HOST}/environments/production`;
    expect((await api.get('/environments/production/applications')).body).toEqual({
      items: ['database', 'Shop', 'monitoring'].map((name) => ({ id: `${environment}/applications/${name}`, name })),
    });
    const produces = (title: string) => [{ type: 'Nagios_host', title }];
    expect((await api.get('/environments/production/instances')).body.items).toEqual([
      {
        id: `${environment}/instances/database`,
        name: 'database',
        type: 'database',
        title: 'database',
        description: 'PostgreSQL',
        after: [],
        components: [
          { node: DB, produces: produces(DB), consumes: [] },
          { node: 'other.example.com', produces: [], consumes: [] },
        ],
      },
      {
        id: `${environment}/instances/Shop%5Beu%5D`,
        name: 'Shop[eu]',
        type: 'Shop',
        title: 'eu',
        description: '',
        after: ['database'],
        components: [{ node: WEB, produces: produces(WEB), consumes: [] }],
      },
      {
        id: `${environment}/instances/monitoring`,
        name: 'monitoring',
        type: 'monitoring',
        title: 'monitoring',
        description: '',
        after: ['database'],
        components: [{ node: MON, produces: [], consumes: [...produces(DB), ...produces(WEB)] }],
      },
    ]);
  });
});
