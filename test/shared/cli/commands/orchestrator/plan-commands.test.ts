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
    expect(await run('plan', 'show', '-e', 'dev')).toBe('demo\ndemo::restart\n');
    expect(world.orchestrator.asked[0]?.path).toBe('/orchestrator/v1/plans?environment=dev');
    expect(await run('plan', 'show', '--all')).toBe('demo\ndemo::restart\nsecret\n');
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
  });

  it.each([
    ['none', 'Unknown plan none'],
    ['a::b::c', "'a::b::c' is not the name of a plan"],
  ])('refuses %s', async (name, message) => {
    await expect(run('plan', 'show', name)).rejects.toThrow(new ClientError(message));
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
