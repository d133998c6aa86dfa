import { Command } from 'commander';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { addStatusCommand } from '../../../../shared/cli/commands/status-command.ts';
import { CompileWorld, checkIn } from '../../../helpers/compile-world.ts';

let world: CompileWorld;
beforeEach(() => {
  world = new CompileWorld();
});
afterEach(() => world.close());

async function run(...args: readonly string[]): Promise<string> {
  const printed: string[] = [];
  const program = new Command();
  addStatusCommand(program, async (text) => void printed.push(text), {});
  await program.parseAsync(['status', '--data', `${world.directory}/data`, ...args], { from: 'user' });
  return printed.join('');
}

it('counts nodes by state and jobs by queue, and names the code in force', async () => {
  world.addScript('a', { facts: [] });
  world.addScript('b', { fail: 'no' });
  const { codeId } = await world.deploy();
  await world.run(checkIn('a', {}));
  await world.run(checkIn('b', {}));
  const lines = (await run()).split('\n').map((line) => line.replaceAll(/ +/g, ' '));
  expect(lines).toEqual([
    '2 nodes: 1 failing, 1 current',
    '',
    'QUEUE WAITING RUNNING OLDEST',
    'waiting 0 0 -',
    'express 0 0 -',
    'background 0 0 -',
    'dead 0 0 -',
    '',
    'ENVIRONMENT CODE ID DEPLOYED BY NODES TOLD',
    expect.stringMatching(new RegExp(`^production ${codeId.slice(0, 12)} .* all$`)),
    '',
  ]);
  expect(JSON.parse(await run('--format', 'json'))).toMatchObject({
    nodes: 2,
    states: { failing: 1, current: 1 },
    queues: { waiting: { visible: 0 } },
    environments: [{ environment: 'production', code_id: codeId, nodes_told: 'all' }],
  });
});

it('says what to do where there is nothing yet', async () => {
  expect(await run()).toMatch(
    /^0 nodes\n.*\nNo code is deployed, so agents get an error and change nothing\. 'code deploy' deploys some\.\n$/s,
  );
});
