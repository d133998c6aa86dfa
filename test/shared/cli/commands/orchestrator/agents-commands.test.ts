import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ClientError } from '../../../../../shared/cli/client/client-error.ts';
import { makeFactQuery } from '../../../../../shared/cli/client/fact-filter.ts';
import { readRunnerProgram } from '../../../../../shared/orchestrator/runner/runner-program.ts';
import { ClientWorld } from '../../../../helpers/client-world.ts';

const world = new ClientWorld();
const run = (...args: readonly string[]) => world.run(...args);
beforeAll(() => world.open());
beforeEach(() => {
  world.reset();
  world.orchestrator.inventory = [
    { name: 'web01.example.com', connected: true, timestamp: '2026-11-22T18:33:21.000Z' },
    { name: 'web02.example.com', connected: false },
  ];
  world.orchestrator.pings = {
    'web01.example.com': { milliseconds: 12, reason: null },
    'web02.example.com': { milliseconds: null, reason: 'Not connected.' },
  };
});
afterAll(() => world.close());

describe('agents list', () => {
  it('lists all nodes', async () => {
    expect(await run('agents', 'list', '--wide')).toBe(
      [
        'NAME               STATE          SINCE                     BROKER',
        'web01.example.com  connected      2026-11-22T18:33:21.000Z  -',
        'web02.example.com  not connected  -                         -',
        '',
      ].join('\n'),
    );
    expect(world.orchestrator.asked).toMatchObject([{ method: 'GET', path: '/orchestrator/v1/inventory' }]);
  });

  it.each([
    [['--connected'], 'web01.example.com\n'],
    [['--disconnected'], 'web02.example.com\n'],
    [[], 'web01.example.com\nweb02.example.com\n'],
  ])('prints names with %j', async (args, text) => {
    expect(await run('agents', 'find', '--names', ...args)).toBe(text);
  });

  it.each([
    [['-n', 'a,b'], { nodes: ['a', 'b'] }],
    [['-q', 'nodes {}'], { query: 'nodes {}' }],
    [
      ['-F', 'kernel=Linux'],
      { query: ['from', 'inventory', ['extract', ['certname'], ['=', 'facts.kernel', 'Linux']]] },
    ],
  ])('finds with %j', async (args, body) => {
    expect(JSON.parse(await run('agents', 'list', ...args, '--format', 'json'))).toEqual(world.orchestrator.inventory);
    expect(world.orchestrator.asked).toMatchObject([{ method: 'POST', path: '/orchestrator/v1/inventory', body }]);
  });

  it('finds nodes with another runner than that of this release', async () => {
    await run('agents', 'list', '--outdated', '-F', 'kernel=Linux');
    const field = 'facts.understudy_runner_version';
    const other = ['not', ['=', field, readRunnerProgram().version]];
    const condition = ['and', ['=', 'facts.kernel', 'Linux'], ['~', field, '^'], other];
    expect(world.orchestrator.asked).toMatchObject([
      { method: 'POST', body: { query: ['from', 'inventory', ['extract', ['certname'], condition]] } },
    ]);
  });

  it.each([
    [['--connected', '--disconnected'], '--connected and --disconnected exclude each other'],
    [['-n', 'a', '-F', 'a=b'], '--nodes, --query and --fact exclude each other'],
    [['--outdated', '-n', 'a'], '--outdated excludes --nodes and --query'],
  ])('refuses %j', async (args, message) => {
    await expect(run('agents', 'list', ...args)).rejects.toThrow(new ClientError(message));
  });
});

describe('agents ping', () => {
  it('pings all that are connected', async () => {
    expect(await run('agents', 'ping')).toBe(
      [
        `${'web01.example.com'.padEnd(40)} time=12 ms`,
        '',
        '---- ping statistics ----',
        '1 of 1 agent answered max: 12 ms min: 12 ms avg: 12 ms',
        '',
      ].join('\n'),
    );
    expect(world.exitCode).toBe(0);
  });

  it('exits with 1 when one does not answer that was asked for', async () => {
    const text = await run('agents', 'ping', '-n', 'web01.example.com,web02.example.com');
    expect(text).toContain(`${'web02.example.com'.padEnd(40)} no answer: Not connected.\n`);
    expect(text).toContain('1 of 2 agents answered');
    expect(world.exitCode).toBe(1);
  });

  it('pings many in parts', async () => {
    const names = Array.from({ length: 600 }, (_, index) => `n${index}`);
    world.orchestrator.inventory = names.map((name) => ({ name, connected: true }));
    world.orchestrator.pings = Object.fromEntries(names.map((name) => [name, { milliseconds: 1, reason: null }]));
    expect(JSON.parse(await run('agents', 'ping', '--format', 'json'))).toHaveLength(600);
    expect(world.orchestrator.asked).toHaveLength(4);
  });
});

it('agents status shows what is known of a node', async () => {
  world.orchestrator.agent = {
    name: 'web01.example.com',
    connected: true,
    broker: 'pcp://puppet/server',
    timestamp: '2026-11-22T18:33:21.000Z',
    known: true,
    environment: 'production',
    last_seen: '2026-11-22T18:00:00Z',
    catalog: { state: 'failed', compiled: null, code_id: 'abc', failure: 'Syntax error' },
    facts_timestamp: '2026-11-22T18:00:00Z',
    facts: { os: { family: 'Debian' }, kernel: 'Linux' },
  };
  expect(await run('agents', 'status', 'web01.example.com')).toBe(
    [
      'web01.example.com',
      '',
      'Connected:    yes, since 2026-11-22T18:33:21.000Z',
      'Broker:       pcp://puppet/server',
      'Environment:  production',
      'Last seen:    2026-11-22T18:00:00Z',
      'Catalog:      failed',
      'Code:         abc',
      'Failure:      Syntax error',
      'Facts:        2026-11-22T18:00:00Z',
      '',
      'Facts:',
      '  kernel => Linux',
      '  os => {"family":"Debian"}',
      '',
    ].join('\n'),
  );
  world.orchestrator.agent = { name: 'x', connected: false, known: false, facts: null };
  expect(await run('agents', 'inventory', 'x')).toBe(
    'x\n\nConnected:    no\nKnown:        no: it never asked for a catalog\n',
  );
});

describe('a filter of facts', () => {
  const conditionOf = (...filters: readonly string[]) => (makeFactQuery(filters)[2] as readonly unknown[])[2];

  it.each([
    ['os.family=Debian', ['=', 'facts.os.family', 'Debian']],
    ['os.family==Debian', ['=', 'facts.os.family', 'Debian']],
    ['is_virtual=true', ['or', ['=', 'facts.is_virtual', true], ['=', 'facts.is_virtual', 'true']]],
    ['cpus=4', ['or', ['=', 'facts.cpus', 4], ['=', 'facts.cpus', '4']]],
    ['cpus!=4', ['not', ['or', ['=', 'facts.cpus', 4], ['=', 'facts.cpus', '4']]]],
    ['cpus>=4', ['>=', 'facts.cpus', 4]],
    ['load<0.5', ['<', 'facts.load', 0.5]],
    ['kernel=~^Lin', ['~', 'facts.kernel', '^Lin']],
    ['kernel!~x', ['not', ['~', 'facts.kernel', 'x']]],
    ['note=a=b', ['=', 'facts.note', 'a=b']],
    ['empty=', ['=', 'facts.empty', '']],
  ])('reads %j', (filter, condition) => {
    expect(conditionOf(filter)).toEqual(condition);
  });

  it('has all of several', () => {
    expect(conditionOf('a=x', 'b=y')).toEqual(['and', ['=', 'facts.a', 'x'], ['=', 'facts.b', 'y']]);
  });

  it.each([
    ['os', "'os' is not a filter of facts: NAME=VALUE, or with != =~ !~ > >= < <= in place of ="],
    ['=x', "'=x' is not a filter of facts: NAME=VALUE, or with != =~ !~ > >= < <= in place of ="],
    ['cpus>many', "'cpus>many' needs a number after >"],
  ])('refuses %j', (filter, message) => {
    expect(() => makeFactQuery([filter])).toThrow(new ClientError(message));
  });
});
