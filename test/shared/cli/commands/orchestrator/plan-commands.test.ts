import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ClientError } from '../../../../../shared/cli/client/client-error.ts';
import { ClientWorld } from '../../../../helpers/client-world.ts';

const world = new ClientWorld();
const run = (...args: readonly string[]) => world.run(...args);
beforeAll(() => world.open());
beforeEach(() => {
  world.reset();
  world.orchestrator.plans = {
    demo: {},
    'demo::web::app::restart': { description: 'Restarts an app' },
    'demo::restart': {
      description: 'Restarts a service',
      parameters: {
        nodes: { type: 'TargetSpec', description: 'Where:\nall of them' },
        service: { type: 'String', default_value: "'nginx'" },
        count: { type: 'Optional[Integer]', default_value: 3 },
      },
    },
    secret: {},
  };
});
afterAll(() => world.close());

describe('plan show', () => {
  it('lists the plans that one may run', async () => {
    expect(await run('plan', 'show', '-e', 'dev')).toBe('NAME\ndemo\ndemo::web::app::restart\ndemo::restart\n');
    expect(world.orchestrator.asked[0]?.path).toBe('/orchestrator/v1/plans?environment=dev');
    expect(await run('plan', 'show', '--all')).toBe('NAME\ndemo\ndemo::web::app::restart\ndemo::restart\nsecret\n');
  });

  it('shows how to run one', async () => {
    expect(await run('plan', 'show', 'demo::restart')).toBe(
      [
        'demo::restart - Restarts a service',
        '',
        'USAGE:',
        '$ understudy plan run demo::restart nodes=<value> [service=<value>] [count=<value>]',
        '',
        'PARAMETERS:',
        '- nodes : TargetSpec',
        '    Where:',
        '    all of them',
        '- service : String',
        "    Default: 'nginx'",
        '- count : Optional[Integer]',
        '    Default: 3',
        '',
      ].join('\n'),
    );
    expect(JSON.parse(await run('plan', 'show', 'demo', '--format', 'json'))).toEqual({ metadata: {} });
    expect(await run('plan', 'show', 'demo::web::app::restart')).toContain(
      'demo::web::app::restart - Restarts an app\n',
    );
  });

  it.each([
    ['none', 'Unknown plan none'],
    ['a::b::c', 'Unknown plan a'],
    ['a::B::c', "'a::B::c' is not the name of a plan"],
    ['a::::c', "'a::::c' is not the name of a plan"],
  ])('refuses %s', async (name, message) => {
    await expect(run('plan', 'show', name)).rejects.toThrow(new ClientError(message));
  });
});

const ENDED = {
  state: 'success',
  duration: 2.4,
  result: null,
  options: { plan_name: 'demo', parameters: { a: 1 }, environment: 'production' },
  owner: { login: 'amari' },
  created_timestamp: '2026-11-20T09:15:15Z',
  finished_timestamp: '2026-11-20T09:15:17Z',
  status: { 13: [], 14: [] },
};
const FAILED = { ...ENDED, state: 'failure', result: { kind: 'bolt/plan-failure', msg: 'oh no', details: {} } };

describe('plan jobs', () => {
  it.each([
    ['with no result', ENDED, 'Plan completed with no result.\nDuration: 2 sec\n', 0],
    ['with a text', { ...ENDED, result: 'x' }, 'Plan completed.\nx\nDuration: 2 sec\n', 0],
    ['with data', { ...ENDED, result: ['x'] }, 'Plan completed.\n[\n  "x"\n]\nDuration: 2 sec\n', 0],
    ['badly', FAILED, `Plan failed: oh no\n${JSON.stringify(FAILED.result, null, 2)}\nDuration: 2 sec\n`, 1],
  ])('run, and are followed until they end %s', async (_, job, end, code) => {
    world.orchestrator.planJob = job;
    world.orchestrator.planMessages = ['Plan demo started', 'hello'];
    expect(await run('plan', 'run', 'demo', 'a=1', '--description', 'd')).toBe(
      `Starting plan ...\nNew plan job ID: 12\n\nPlan demo started\nhello\n\n${end}`,
    );
    expect(world.exitCode).toBe(code);
    expect(world.orchestrator.asked[0]?.body).toEqual({
      plan_name: 'demo',
      params: { a: 1 },
      environment: 'production',
      description: 'd',
    });
  });

  it('are printed as JSON', async () => {
    world.orchestrator.planJob = ENDED;
    expect(JSON.parse(await run('plan', 'run', 'demo', '--format', 'json'))).toEqual({ name: '12', ...ENDED });
  });

  it('are shown by their number', async () => {
    world.orchestrator.planJob = FAILED;
    expect(await run('plan', 'show', '12')).toBe(
      [
        'Plan:        demo',
        'Status:      failure',
        'Start:       2026-11-20T09:15:15Z',
        'Finish:      2026-11-20T09:15:17Z',
        'User:        amari',
        'Environment: production',
        'Parameters:  {"a":1}',
        'Jobs:        13, 14',
        '',
        'Plan failed: oh no',
        JSON.stringify(FAILED.result, null, 2),
        'Duration: 2 sec',
        '',
      ].join('\n'),
    );
  });

  it('are stopped', async () => {
    expect(await run('plan', 'stop', '12')).toBe('Plan job 12 was stopped.\n');
    expect(world.orchestrator.asked[0]).toMatchObject({
      path: '/orchestrator/v1/command/stop_plan',
      body: { plan_job: '12' },
    });
    await expect(run('plan', 'stop', 'demo')).rejects.toThrow(
      new ClientError("'demo' is not the number of a plan job"),
    );
  });
});

describe('plan run', () => {
  it('asks the orchestrator, and says why it cannot', async () => {
    await expect(run('plan', 'run', 'demo', 'count=3', 'name=x', 'on=true')).rejects.toThrow(
      new ClientError('No plans here'),
    );
    expect(world.orchestrator.asked[0]).toMatchObject({
      path: '/orchestrator/v1/command/plan_run',
      body: { plan_name: 'demo', params: { count: 3, name: 'x', on: true }, environment: 'production' },
    });
  });

  it('takes parameters in one form', async () => {
    await expect(run('plan', 'run', 'demo', 'a=1', '--params', '{}')).rejects.toThrow(
      new ClientError('parameters are given as name=value or with --params, not both'),
    );
  });
});
