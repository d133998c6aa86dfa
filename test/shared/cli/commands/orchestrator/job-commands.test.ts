import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ClientError } from '../../../../../shared/cli/client/client-error.ts';
import { ClientWorld } from '../../../../helpers/client-world.ts';

const world = new ClientWorld();
const { folder, folders } = world;
const run = (...args: readonly string[]) => world.run(...args);
beforeAll(() => world.open());
beforeEach(() => world.reset());
afterAll(() => world.close());

const puppetRun = (changed: number, more: object = {}) => ({
  configuration_version: 'v1',
  noop: { noop: false },
  metrics: { total: 25, changed, failed: 0, skipped: 0, out_of_sync: changed },
  ...more,
});

const ONE_TARGET = 'exactly one target is needed: --nodes, --query, --fact, --node-group or --application';

describe('job run', () => {
  it('shows each node as it starts and ends, and exits with 0', async () => {
    world.orchestrator.job = {
      command: 'deploy',
      state: 'finished',
      nodes: [
        { name: 'web01', state: 'finished', transaction_uuid: 'u-1', result: puppetRun(5) },
        { name: 'web02', state: 'finished', transaction_uuid: 'u-2', result: puppetRun(0) },
      ],
    };
    expect(await run('job', 'run', '--nodes', 'web01,web02', '-e', 'production', '--concurrency', '10')).toBe(
      [
        '+-------------------+------------+',
        '| Job id            | 7          |',
        '| Environment       | production |',
        '| Concurrency limit | 10         |',
        '| Nodes             | 2          |',
        '+-------------------+------------+',
        '',
        'Started puppet run on web01 ...',
        'Finished node web01 - SUCCESS!',
        '  Configuration version: v1, Transaction UUID: u-1',
        '  Resource events: 5 changed  20 unchanged  0 failed  0 skipped  0 noop',
        'Started puppet run on web02 ...',
        'Finished node web02 - SUCCESS!',
        '  Configuration version: v1, Transaction UUID: u-2',
        '  Resource events: 0 changed  25 unchanged  0 failed  0 skipped  0 noop',
        '',
        'Job completed. 2/2 nodes succeeded.',
        'Duration: 1 sec',
        '',
      ].join('\n'),
    );
    expect(world.exitCode).toBe(0);
    expect(world.orchestrator.asked[0]).toEqual({
      method: 'POST',
      path: '/orchestrator/v1/command/deploy',
      token: 'kept-token',
      body: {
        environment: 'production',
        scope: { nodes: ['web01', 'web02'] },
        noop: false,
        enforce_environment: true,
        concurrency: 10,
      },
    });
  });

  it('shows what happened just before it found that the job has ended', async () => {
    world.orchestrator.emptyPolls = 5;
    world.orchestrator.job = {
      command: 'deploy',
      state: 'finished',
      nodes: [{ name: 'web01', state: 'finished', result: puppetRun(5) }],
    };
    expect(await run('job', 'run', '-n', 'web01')).toContain('Finished node web01 - SUCCESS!\n');
  });

  it('says what failed, and exits with 1', async () => {
    world.orchestrator.job = {
      command: 'deploy',
      state: 'failed',
      nodes: [
        { name: 'web01', state: 'failed', result: puppetRun(1, { noop: { noop: true } }) },
        { name: 'web02', state: 'errored', result: { msg: 'not connected' } },
        { name: 'web03', state: 'skipped', details: { message: 'web02 failed' } },
      ],
    };
    const text = await run('job', 'run', '--query', 'nodes {}');
    expect(text.slice(text.indexOf('Started'))).toBe(
      [
        'Started puppet run on web01 ...',
        'Finished node web01 - FAILED!',
        '  Configuration version: v1, Transaction UUID: unknown',
        '  Resource events: 1 changed  23 unchanged  0 failed  0 skipped  1 noop',
        'Started puppet run on web02 ...',
        'Error running puppet on web02: not connected',
        'Skipped node web03: web02 failed',
        '',
        'Job failed. 2 nodes failed, 1 node skipped, 0 nodes succeeded.',
        'Duration: 1 sec',
        '',
      ].join('\n'),
    );
    expect(world.exitCode).toBe(1);
  });

  it.each<[readonly string[], object]>([
    [['-q', 'nodes {}'], { environment: '', scope: { query: 'nodes {}' }, noop: false, enforce_environment: false }],
    [
      ['--node-group', 'g1', '--noop'],
      { environment: '', scope: { node_group: 'g1' }, noop: true, enforce_environment: false },
    ],
    [
      ['-F', 'os.family=Debian', '--fact', 'processors.count>=4'],
      {
        environment: '',
        scope: {
          query: [
            'from',
            'inventory',
            ['extract', ['certname'], ['and', ['=', 'facts.os.family', 'Debian'], ['>=', 'facts.processors.count', 4]]],
          ],
        },
        noop: false,
        enforce_environment: false,
      },
    ],
    [
      ['-a', 'App[a]', '--no-noop'],
      { environment: '', scope: { application: 'App[a]' }, noop: false, no_noop: true, enforce_environment: false },
    ],
    [
      ['-n', '@FILE', '-e', 'dev', '--no-enforce-environment', '--description', 'd'],
      { environment: 'dev', scope: { nodes: ['a', 'b'] }, noop: false, enforce_environment: false, description: 'd' },
    ],
  ])('asks with %j', async (args, body) => {
    writeFileSync(join(folder, 'nodes'), 'a\n\n b\na\n');
    await run('job', 'run', ...args.map((arg) => arg.replace('FILE', join(folder, 'nodes'))));
    expect(world.orchestrator.asked[0]?.body).toEqual(body);
  });

  it('takes environment and noop from the configuration', async () => {
    world.configure({ environment: 'dev', noop: true });
    await run('job', 'run', '-n', 'a');
    expect(world.orchestrator.asked[0]?.body).toMatchObject({
      environment: 'dev',
      noop: true,
      enforce_environment: true,
    });
  });

  it('stops the job at CTRL-C', async () => {
    world.orchestrator.job = { command: 'deploy', state: 'stopped', nodes: [{ name: 'a', state: 'skipped' }] };
    world.orchestrator.onPoll = () => {
      world.orchestrator.onPoll = () => {};
      world.interrupt();
    };
    const text = await run('job', 'run', '-n', 'a');
    expect(world.warnings).toEqual(['Stopping job 7: running nodes finish, others do not start.']);
    expect(world.orchestrator.asked).toContainEqual(
      expect.objectContaining({ path: '/orchestrator/v1/command/stop', body: { job: '7' } }),
    );
    expect(text).toContain('Job stopped. 0 nodes failed, 1 node skipped, 0 nodes succeeded.');
    expect(world.exitCode).toBe(1);
  });

  it('prints one JSON value', async () => {
    world.orchestrator.job = { command: 'deploy', state: 'finished', nodes: [{ name: 'a', state: 'finished' }] };
    const shown = JSON.parse(await run('job', 'run', '-n', 'a', '--format', 'json'));
    expect(shown).toMatchObject({ name: '7', state: 'finished', nodes: [{ name: 'a', state: 'finished' }] });
  });

  it.each<[readonly string[], string]>([
    [[], ONE_TARGET],
    [['-n', 'a', '-q', 'b'], ONE_TARGET],
    [['-n', ','], '--nodes names no node'],
    [['-n', '@/nowhere'], "the file '/nowhere' does not exist"],
  ])('refuses %j', async (args, message) => {
    await expect(run('job', 'run', ...args)).rejects.toThrow(new ClientError(message));
    expect(world.orchestrator.asked).toEqual([]);
  });
});

describe('job plan', () => {
  const HEADLINE =
    'Node run order (nodes in each level can run simultaneously, nodes in level 0 will run before their dependent ' +
    'nodes in level 1, etc.):';
  const use = [
    "Use 'understudy job run TARGET AND OPTIONS' to create and run this job.",
    'Node catalogs may have changed since this plan was generated.',
    '',
  ];

  it('shows the job, and makes none', async () => {
    world.orchestrator.preview = {
      node_count: 3,
      levels: [
        {
          level: 0,
          nodes: [
            { name: 'db01', connected: true, applications: ['database', 'Shop[eu]'] },
            { name: 'db02', connected: false, applications: [] },
          ],
        },
        { level: 1, nodes: [{ name: 'web01', connected: true, applications: [] }] },
      ],
      applications: [
        { name: 'database', nodes: ['db01'], missing: ['db09'] },
        { name: 'Shop[eu]', nodes: ['db01'], missing: [] },
      ],
    };
    expect(await run('job', 'plan', '-n', 'db01,db02,web01', '--concurrency', '4')).toBe(
      [
        '+-------------------+-----+',
        '| Environment       | n/s |',
        '| Concurrency limit | 4   |',
        '| Nodes             | 3   |',
        '+-------------------+-----+',
        '',
        'Application instances: 2',
        '  - database **WARNING** target does not contain all nodes in this application.',
        '  - Shop[eu]',
        '',
        HEADLINE,
        `0 ${'-'.repeat(78)}`,
        'db01',
        '    database',
        '    Shop[eu]',
        'db02',
        `1 ${'-'.repeat(78)}`,
        'web01',
        '',
        'Not connected: db02',
        '',
        ...use,
      ].join('\n'),
    );
    expect(world.orchestrator.asked).toMatchObject([
      {
        path: '/orchestrator/v1/command/deploy_preview',
        body: { environment: '', scope: { nodes: ['db01', 'db02', 'web01'] }, concurrency: 4 },
      },
    ]);
    expect(JSON.parse(await run('job', 'plan', '-n', 'a', '--format', 'json'))).toEqual(world.orchestrator.preview);
  });

  it('shows the run order of a job that has one, before it runs', async () => {
    world.orchestrator.order = [
      { level: 0, nodes: ['a'] },
      { level: 1, nodes: ['b', 'c'] },
    ];
    world.orchestrator.reached = [{ name: 'web', nodes: ['a'], missing: [] }];
    const text = await run('job', 'run', '-n', 'a,b,c');
    expect(text).toContain(
      [
        '+',
        '',
        'Application instances: 1',
        '  - web',
        '',
        HEADLINE,
        `0 ${'-'.repeat(78)}`,
        'a',
        `1 ${'-'.repeat(78)}`,
        'b',
        'c',
        '',
        '',
      ].join('\n'),
    );
  });
});

describe('app show', () => {
  beforeEach(() => {
    world.orchestrator.instances = [
      {
        name: 'database',
        type: 'database',
        description: 'PostgreSQL',
        after: [],
        components: [{ node: 'db01', produces: [{ type: 'Sql', title: 'shop' }], consumes: [] }],
      },
      {
        name: 'Shop[eu]',
        type: 'Shop',
        description: '',
        after: ['database'],
        components: [
          {
            node: 'web01',
            produces: [{ type: 'Http', title: 'shop' }],
            consumes: [{ type: 'Sql', title: 'shop' }],
          },
        ],
      },
    ];
  });

  const shop = [
    'Shop[eu]',
    '    runs after database',
    '    web01',
    '        + produces Http[shop]',
    '          consumes Sql[shop]',
    '',
  ];

  it('shows all applications', async () => {
    const database = ['database - PostgreSQL', '    db01', '        + produces Sql[shop]', ''];
    expect(await run('app', 'show', '-e', 'dev')).toBe([...database, ...shop].join('\n'));
    expect(world.orchestrator.asked[0]?.path).toBe('/orchestrator/v1/environments/dev/instances');
  });

  it.each(['Shop', 'Shop[eu]'])('shows the one that is named %s', async (name) => {
    expect(await run('app', 'show', name)).toBe(shop.join('\n'));
    const [found] = JSON.parse(await run('app', 'show', name, '--format', 'json'));
    expect(found.name).toBe('Shop[eu]');
  });

  it('shows as many as are wanted, and says how many there are', async () => {
    const [found, ...others] = JSON.parse(await run('app', 'show', '--limit', '1', '--format', 'json'));
    expect([found.name, others]).toEqual(['database', []]);
    expect(world.warnings).toEqual(['1 of 2 shown']);
  });

  it('says that there is none', async () => {
    world.orchestrator.instances = [];
    expect(await run('app', 'show')).toBe("The environment graph of 'production' has no applications.\n");
    expect(JSON.parse(await run('app', 'show', '--format', 'json'))).toEqual([]);
  });

  it('refuses an unknown one', async () => {
    const message = "there is no application 'Blog' in the environment graph of 'production'";
    await expect(run('app', 'show', 'Blog')).rejects.toThrow(new ClientError(message));
  });
});

describe('job show', () => {
  const at = (hours: number) => new Date(2026, 6, 2, hours, 5, 9).toISOString();

  it('lists the latest jobs', async () => {
    world.orchestrator.jobs = [
      {
        name: '234',
        state: 'running',
        timestamp: at(9),
        owner: { login: 'amari' },
        environment: { name: 'production' },
        node_count: 100,
        options: { scope: {} },
      },
      {
        name: '233',
        state: 'failed',
        timestamp: at(14),
        owner: { login: 'uwe' },
        environment: { name: 'dev' },
        node_count: 2,
        options: { scope: { nodes: ['a', 'b'] }, enforce_environment: false },
      },
      {
        name: '9',
        state: 'finished',
        timestamp: 'x',
        owner: {},
        environment: { name: '' },
        options: { scope: { query: 'q' } },
      },
    ];
    expect(await run('job', 'show', '--limit', '3')).toBe(
      [
        'ID  STATUS    TIMESTAMP       USER            ENVIRONMENT   NODES      TARGET',
        '-'.repeat(88),
        '234 Running   Jul-02 9:05:09  amari           production     100       whole environment',
        '233 Failed    Jul-02 14:05:09 uwe             dev*             2       a,b',
        '9   Finished  -                               n/s              0       query',
        '',
        '*environment not enforced on a per node basis',
        '',
      ].join('\n'),
    );
    expect(world.orchestrator.asked[0]?.path).toBe('/orchestrator/v1/jobs?order_by=timestamp&order=desc&limit=3');
    const lines = async (...args: readonly string[]) =>
      (await run('job', 'list', ...args)).replaceAll(/\d+ \w+ ago|in \d+ \w+/g, 'AGE').replaceAll(/ +/g, ' ');
    expect(await lines()).toBe(
      [
        'ID STATE STARTED USER COMMAND ENVIRONMENT NODES TARGET',
        '234 running AGE amari - production 100 whole environment',
        '233 failed AGE uwe - dev 2 a,b',
        '9 finished - - - - 0 query',
        '',
      ].join('\n'),
    );
    expect(await lines('-e', 'production')).toMatch(/^ID .*\n234 .*\n$/);
    expect(await lines('--sort', 'id')).toMatch(/\n9 .*\n233 .*\n234 .*\n$/);
    expect(await lines('--state', 'stopped')).toBe('There is no such job.\n');
    expect(JSON.parse(await run('job', 'list', '--format', 'json'))).toEqual(world.orchestrator.jobs);
  });

  it('stays short with a thousand nodes', async () => {
    const names = Array.from({ length: 1000 }, (_, index) => `web${index}.example.com`);
    const nodes = names.map((name, index) => ({
      name,
      state: index % 100 === 99 ? 'errored' : 'finished',
      result: {},
    }));
    world.orchestrator.job = { command: 'deploy', state: 'failed', options: { scope: { nodes: names } }, nodes };
    const lines = (await run('job', 'show', '7')).split('\n');
    expect(lines).toContain('Target:       web0.example.com,web1.example.com,web2.example.com and 997 more');
    expect(lines).toContain('Nodes:        1000 (10 errored, 990 finished)');
    expect(lines[lines.indexOf('') + 1]).toBe('Error running puppet on web99.example.com');
    expect(lines).toContain('and 950 more (950 finished); --limit and --format json show more');
    expect(lines.filter((line) => line.startsWith('Finished node'))).toHaveLength(40);
    expect(JSON.parse(await run('job', 'show', '7', '--format', 'json')).nodes).toHaveLength(1000);
  });

  it('shows what is said of a job, such as why it is paused', async () => {
    const description = 'Catalogs of production changed; paused: a did worse than before.';
    world.orchestrator.job = { command: 'deploy', state: 'running', description, nodes: [] };
    expect(await run('job', 'show', '7')).toContain(`Nodes:        0\nDescription:  ${description}\n`);
  });

  it('shows one job with its nodes', async () => {
    world.orchestrator.job = {
      command: 'task',
      state: 'failed',
      options: { task: 'package', scope: { nodes: ['a', 'b', 'c'] }, noop: true },
      nodes: [
        { name: 'a', state: 'finished', result: { status: 'running', enabled: true } },
        {
          name: 'b',
          state: 'failed',
          result: { _output: 'partial\n', _error: { msg: 'The task failed with exit code 3' } },
        },
        { name: 'c', state: 'running' },
      ],
    };
    expect(await run('job', 'show', '7')).toBe(
      [
        'Status:       Failed',
        'Job type:     task',
        'Task:         package',
        'Start time:   2026-11-20T09:15:15Z',
        'Finish time:  2026-11-20T09:15:16Z',
        'Duration:     1 sec',
        'User:         amari',
        'Environment:  production',
        'Target:       a,b,c',
        'Noop:         yes',
        'Nodes:        3 (1 failed, 1 running, 1 finished)',
        '',
        'Failed on b',
        '  partial',
        '  The task failed with exit code 3',
        'c: running',
        'Finished on node a',
        '  status : running',
        '  enabled : true',
        '',
        'Job failed. 1 node failed, 0 nodes skipped, 1 node succeeded.',
        'Duration: 1 sec',
        '',
      ].join('\n'),
    );
    expect(await run('job', 'show', '7', '--limit', '1')).toContain(
      '  The task failed with exit code 3\nand 2 more (1 running, 1 finished); --limit and --format json show more\n\nJob',
    );
    await expect(run('job', 'show', 'x')).rejects.toThrow(
      new ClientError("'x' is not the id of a job: ids are numbers"),
    );
  });
});

it('job stop shows what it stopped', async () => {
  expect(await run('job', 'stop', '7', '--force')).toBe('Stopping job 7\n  new: 0\n  running: 1\n  skipped: 2\n');
  expect(world.orchestrator.asked[0]?.body).toEqual({ job: '7', force: true });
});

describe('task run', () => {
  it('shows results as they come', async () => {
    world.orchestrator.job = {
      command: 'task',
      state: 'finished',
      nodes: [
        { name: 'bronze-11', state: 'finished', result: { status: 'running', enabled: true } },
        { name: 'bronze-12', state: 'finished', result: { _output: 'two\nlines\n' } },
      ],
    };
    expect(await run('task', 'run', 'm::t', '--nodes', 'bronze-11,bronze-12')).toBe(
      [
        'Starting job ...',
        'New job ID: 7',
        'Nodes: 2',
        '',
        'Started on bronze-11 ...',
        'Finished on node bronze-11',
        '  status : running',
        '  enabled : true',
        'Started on bronze-12 ...',
        'Finished on node bronze-12',
        '  two',
        '  lines',
        '',
        'Job completed. 2/2 nodes succeeded.',
        'Duration: 1 sec',
        '',
      ].join('\n'),
    );
    expect(world.orchestrator.asked[0]?.body).toEqual({
      task: 'm::t',
      params: {},
      scope: { nodes: ['bronze-11', 'bronze-12'] },
      environment: 'production',
      noop: false,
    });
  });

  it.each<[readonly string[], object]>([
    [
      ['count=12', 'flag=true', 'text=12', 'any=1.5', 'more=x=y', 'zip=007'],
      { count: 12, flag: true, text: '12', any: 1.5, more: 'x=y', zip: '007' },
    ],
    [['count=many', 'unknown=1'], { count: 'many', unknown: 1 }],
    [['--params', '{"list": [1]}'], { list: [1] }],
  ])('reads the parameters %j', async (args, params) => {
    world.orchestrator.tasks = {
      m: {
        parameters: {
          count: { type: 'Integer' },
          flag: { type: 'Boolean' },
          text: { type: 'String' },
          any: {},
          zip: {},
          more: {},
        },
      },
    };
    await run('task', 'run', 'm', ...args, '-n', 'a');
    expect(world.orchestrator.asked.find(({ method }) => method === 'POST')?.body).toMatchObject({ params });
  });

  it.each<[readonly string[], RegExp]>([
    [['m', 'a=1', '--params', '{}'], /^parameters are given as name=value or with --params, not both$/],
    [['m', '--params', '[1]'], /^--params must be a JSON object$/],
    [['m', '--params', '{'], /^--params is not JSON: /],
    [['m', '=x'], /^'=x' is not a parameter: name=value$/],
    [['n', 'a=1'], /^Unknown task n$/],
  ])('refuses %j', async (args, message) => {
    world.orchestrator.tasks = { m: {} };
    await expect(run('task', 'run', ...args, '-n', 'a')).rejects.toThrow(message);
  });
});

describe('task show', () => {
  beforeEach(() => {
    world.orchestrator.tasks = {
      package: {
        description: 'Manage packages',
        parameters: {
          action: { type: 'Enum[install, status]', description: 'What to do' },
          version: { type: 'Optional[String[1]]' },
        },
      },
      secret: {},
    };
  });

  it('lists the tasks that the user may run, or all', async () => {
    expect(await run('task', 'show')).toBe('NAME\npackage\n');
    expect(await run('task', 'show', '--all')).toBe('NAME\npackage\nsecret\n');
  });

  it('shows how to run one', async () => {
    expect(await run('task', 'show', 'package')).toBe(
      [
        'package - Manage packages',
        '',
        'USAGE:',
        "$ understudy task run package action=<value> [version=<value>] <[--nodes, -n <node-names>] | [--query, -q <'query'>]>",
        '',
        'PARAMETERS:',
        '- action : Enum[install, status]',
        '    What to do',
        '- version : Optional[String[1]]',
        '',
      ].join('\n'),
    );
    await expect(run('task', 'show', 'none')).rejects.toThrow(new ClientError('Unknown task none'));
    await expect(run('task', 'show', 'a::b::c')).rejects.toThrow(
      new ClientError("'a::b::c' is not the name of a task"),
    );
  });
});

describe('without a token', () => {
  beforeEach(() => rmSync(join(folders.home, '.puppetlabs/token')));

  it('asks for user and password', async () => {
    world.terminal.answers = ['amari', 'x'];
    await expect(run('task', 'show')).rejects.toThrow(/^https:\/\/localhost:4433\/rbac-api cannot be reached: /);
    expect(world.terminal.questions).toEqual(['Username: ', 'Password: (hidden)']);
  });

  it('names the command to log in where nobody can be asked', async () => {
    Object.defineProperty(world.terminal, 'isInteractive', { value: false });
    await expect(run('task', 'show')).rejects.toThrow(
      new ClientError(
        `there is no token in ${join(folders.home, '.puppetlabs/token')}: 'understudy access login' gets one`,
      ),
    );
  });
});

it('names what is missing in the configuration', async () => {
  writeFileSync(join(folders.global, 'orchestrator.conf'), '{}');
  await expect(run('task', 'show')).rejects.toThrow(
    new ClientError(
      'there is no address of an orchestrator: give --service-url, or set service-url in ~/.puppetlabs/client-tools/orchestrator.conf',
    ),
  );
});
