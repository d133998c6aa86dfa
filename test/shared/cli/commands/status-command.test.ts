import { Command } from 'commander';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { addStatusCommand } from '../../../../shared/cli/commands/status-command.ts';
import { rollBack } from '../../../../shared/fleet/code/code-history.ts';
import { noteBackup } from '../../../../shared/fleet/code/last-backup.ts';
import { beginStage } from '../../../../shared/fleet/stages/begin-stage.ts';
import { createStagePlan } from '../../../../shared/fleet/stages/stage-plan.ts';
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
    'last backup: none',
    '',
    'QUEUE WAITING RUNNING OLDEST',
    'waiting 0 0 -',
    'express 0 0 -',
    'background 0 0 -',
    'dead 0 0 -',
    '',
    'ENVIRONMENT CODE ID DEPLOYED BY NODES INVALIDATED',
    expect.stringMatching(new RegExp(`^production ${codeId.slice(0, 12)} .* all$`)),
    '',
  ]);
  expect(JSON.parse(await run('--format', 'json'))).toMatchObject({
    nodes: 2,
    states: { failing: 1, current: 1 },
    queues: { waiting: { visible: 0 } },
    environments: [{ environment: 'production', code_id: codeId, nodes_invalidated: 'all' }],
  });
});

it('shows a staged deploy, what was rolled back, requests for certificates and the last backup', async () => {
  const { stores } = world;
  world.write({ 'environments/production/manifests/site.pp': '# one' });
  world.addScript('a', { files: ['manifests/site.pp'] });
  await world.deploy();
  await world.run(checkIn('a', {}));
  world.write({ 'environments/production/manifests/site.pp': '# two' });
  const { codeId } = await world.deploy();
  await rollBack(stores, 'production', null, 'joe');
  await world.runJobs();
  const stage = { environment: 'production', by: 'jane', canaries: { count: 1 }, plan: createStagePlan({}) };
  await beginStage({ ...stage, codeId }, stores);
  await stores.documents.put('certificate-requests', 'new.example.com', { pem: 'x', at: 1 });
  await noteBackup(stores.documents, { at: stores.clock.now(), file: '/b', blobs: 1 });
  const short = codeId.slice(0, 12);
  const note = `code ${short} is on trial for 1 canary, 60 minutes left; code ${short} was rolled back by joe; the next change goes on`;
  for (const lines of [(await run()).split('\n'), (await run('--wide')).split('\n')]) {
    expect(lines.slice(1, 3)).toEqual([
      "1 request for a certificate: 'understudy sign' lists them",
      expect.stringMatching(/^last backup: /),
    ]);
    expect(lines.at(-2)).toMatch(new RegExp(`^production .*${note}$`));
  }
  expect(JSON.parse(await run('--format', 'json'))).toMatchObject({
    certificate_requests: 1,
    environments: [{ staged_code_id: codeId, stage: 'trial', note }],
  });
});

it('says what to do where there is nothing yet', async () => {
  expect(await run()).toMatch(
    /^0 nodes\n.*\nNo code is deployed, so agents get an error and change nothing\. 'code deploy' deploys some\.\n$/s,
  );
});
