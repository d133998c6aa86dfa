import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { ClientError } from '../../../../../shared/cli/client/client-error.ts';
import type { Screen } from '../../../../../shared/cli/client/screen.ts';
import { addWatchCommand } from '../../../../../shared/cli/commands/watch/watch-command.ts';
import { watchFleet } from '../../../../../shared/cli/commands/watch/watch-fleet.ts';
import { readWatchedFleet } from '../../../../../shared/cli/commands/watch/watched-fleet.ts';
import { ClientWorld } from '../../../../helpers/client-world.ts';
import { ScriptedScreen } from '../../../../helpers/scripted-screen.ts';
import { ENVIRONMENTS, FAILURES, HOURS, NOW, OVERVIEW } from './watched-answers.ts';

const world = new ClientWorld();
/** Answers of the API to requests for failures. */
let failures: () => Response;

beforeAll(() => world.open());
beforeEach(() => {
  world.reset();
  failures = () => Response.json(FAILURES);
  const { app } = world.orchestrator;
  app.get('/understudy/v1/overview', () => Response.json(OVERVIEW));
  app.get('/understudy/v1/overview/hours', () => Response.json(HOURS));
  app.get('/understudy/v1/environments', () => Response.json(ENVIRONMENTS));
  app.get('/understudy/v1/failures', () => failures());
});
afterAll(() => world.close());

let quits = 0;

async function watch(screen: Screen | null, ...args: readonly string[]): Promise<string> {
  const printed: string[] = [];
  const program = new Command().exitOverride().configureOutput({ writeErr: () => {} });
  let sleeps = 0;
  addWatchCommand(program, {
    print: async (text) => void printed.push(text),
    folders: world.folders,
    terminal: world.terminal,
    sleep: async () => {
      sleeps += 1;
      if (sleeps === 2) throw new ClientError('enough');
    },
    openScreen: async () => screen,
    quit: () => {
      quits += 1;
    },
  });
  const options = ['--service-url', `${world.serviceUrl}/`, '--ca-cert', join(world.folder, 'ca.pem')];
  const end = program.parseAsync(['watch', ...options, ...args], { from: 'user' });
  await end.catch((error: unknown) => printed.push(String(error)));
  return printed.join('');
}

it('asks the API of the console, with the token of the user', async () => {
  const text = await watch(null, '--once');
  expect(text).toContain('\nNODES     203  91 failing');
  expect(text).toContain(`understudy  ${world.serviceUrl} `);
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(24);
  expect(new Set(world.orchestrator.asked.map(({ path }) => path))).toEqual(
    new Set([
      '/understudy/v1/overview',
      '/understudy/v1/overview/hours?hours=24',
      '/understudy/v1/environments',
      '/understudy/v1/failures?state=open&limit=100',
    ]),
  );
  expect(new Set(world.orchestrator.asked.map(({ token }) => token))).toEqual(new Set(['kept-token']));
});

it('prints a screen for each interval where there is no terminal', async () => {
  const text = await watch(null, '--interval', '5');
  expect(text.match(/^NODES/gm)).toHaveLength(2);
  expect(text).toContain('ClientError: enough');
});

it('shows the fleet until the screen ends, and leaves out failures that the user may not see', async () => {
  failures = () => Response.json({ kind: 'user-not-permitted', msg: 'no' }, { status: 403 });
  const screen = new ScriptedScreen();
  await watch(screen);
  expect(screen.calls).toEqual(['open', 'close']);
  expect(screen.drawn[0]).toContain('FAILURES  this user may not see them (nodes:view_data)');
  expect(quits).toBe(0);
});

it('ends with the reason when the server does not answer at first, with the terminal untouched', async () => {
  failures = () => Response.json({ kind: 'fault', msg: 'the store is away' }, { status: 503 });
  const screen = new ScriptedScreen();
  expect(await watch(screen)).toContain('the store is away');
  expect(screen.calls).toEqual([]);
});

it.each(['0', 'x', '99999'])('refuses an interval of %s', async (seconds) => {
  expect(await watch(null, '--interval', seconds)).toContain('It must be seconds from 0.1 to 3600.');
});

const FLEET = readWatchedFleet(
  { overview: OVERVIEW, hours: HOURS, environments: ENVIRONMENTS, failures: FAILURES },
  NOW,
);

/** Watches on a screen whose clock the acts move. */
async function watchScripted(
  read: () => Promise<typeof FLEET>,
  acts: (clock: { at: number }, screen: ScriptedScreen) => (() => void)[],
) {
  const [screen, clock] = [new ScriptedScreen(), { at: NOW }];
  screen.acts = acts(clock, screen);
  const options = { address: 'https://puppet', intervalMs: 2000, now: () => clock.at };
  return { screen, isOutstanding: await watchFleet(read, screen, options) };
}

it('draws what it knows again when the size changes, and asks again after the interval', async () => {
  let reads = 0;
  const read = async () => {
    reads += 1;
    return FLEET;
  };
  const { screen } = await watchScripted(read, (clock, shown) => [
    () => {
      shown.rows = 10;
    },
    () => {
      clock.at += 2000;
    },
  ]);
  expect(reads).toBe(2);
  expect(screen.drawn.map((lines) => lines.length)).toEqual([24, 10, 10]);
});

it('keeps the last state, with the reason, while the server does not answer', async () => {
  let reads = 0;
  const read = async () => {
    reads += 1;
    if (reads === 2) throw new ClientError('https://puppet cannot be reached');
    return FLEET;
  };
  const later = (clock: { at: number }) => () => {
    clock.at += 2000;
  };
  const { screen } = await watchScripted(read, (clock) => [later(clock), later(clock)]);
  expect(screen.drawn.map(([head]) => head)).toEqual([
    expect.stringContaining('understudy  https://puppet'),
    '2026-11-30T09:20:14Z  https://puppet cannot be reached',
    expect.stringContaining('understudy  https://puppet'),
  ]);
  expect(screen.drawn[1]?.[2]).toContain('203');
});

it('gives the terminal back when something fails that nobody expects', async () => {
  let reads = 0;
  const screen = new ScriptedScreen();
  const clock = { at: NOW };
  screen.acts = [
    () => {
      clock.at += 2000;
    },
  ];
  const read = async () => {
    reads += 1;
    if (reads === 2) throw new Error('a bug');
    return FLEET;
  };
  const options = { address: 'https://puppet', intervalMs: 2000, now: () => clock.at };
  await expect(watchFleet(read, screen, options)).rejects.toThrow('a bug');
  expect(screen.calls).toEqual(['open', 'close']);
});

it('ends at once while an answer is outstanding', async () => {
  let reads = 0;
  const never = new Promise<typeof FLEET>(() => {});
  const screen = new ScriptedScreen();
  const clock = { at: NOW };
  screen.acts = [
    () => {
      clock.at += 2000;
    },
  ];
  screen.wait = async (_milliseconds, until) => {
    if (until === undefined) screen.acts.shift()?.();
    else screen.hasEnded = true;
  };
  const read = () => {
    reads += 1;
    return reads === 1 ? Promise.resolve(FLEET) : never;
  };
  const options = { address: 'https://puppet', intervalMs: 2000, now: () => clock.at };
  expect(await watchFleet(read, screen, options)).toBe(true);
  expect(screen.calls).toEqual(['open', 'close']);
});
