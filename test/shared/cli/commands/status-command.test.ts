import { Command } from 'commander';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { addSources } from '../../../../shared/cli/commands/code/source-commands.ts';
import { addStatusCommand } from '../../../../shared/cli/commands/status-command.ts';
import { rollBack } from '../../../../shared/fleet/code/code-history.ts';
import { noteBackup } from '../../../../shared/fleet/code/last-backup.ts';
import { GitSourceStore } from '../../../../shared/fleet/sources/code-source-store.ts';
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
      "1 request for a certificate: 'understudy ca list --state requested' lists them",
      expect.stringMatching(/^last backup: /),
    ]);
    expect(lines.at(-2)).toMatch(new RegExp(`^production .*${note}$`));
  }
  expect(JSON.parse(await run('--format', 'json'))).toMatchObject({
    certificate_requests: 1,
    environments: [{ staged_code_id: codeId, stage: 'trial', note }],
  });
});

it('shows how the last synchronisation of each git source went, as the list of sources does', async () => {
  const { stores } = world;
  const sources = new GitSourceStore(stores);
  const settings = { key: null, prefix: null, secretFile: null, author: null };
  const at = stores.clock.now() - 5 * 60_000;
  for (const name of ['main', 'other', 'new'])
    await sources.put({ ...settings, name, url: 'https://git.example.com/a' });
  await sources.noteSync('main', { at, isRunning: false, troubles: ["branch 'x' cannot be parsed", 'and more'] });
  await sources.noteSync('other', { at, isRunning: true, troubles: [] });
  const squeeze = (text: string) => text.split('\n').map((line) => line.replaceAll(/ +/g, ' ').trim());
  expect(squeeze(await run()).slice(-4)).toEqual([
    'GIT SOURCE SYNCHRONISED STATE TROUBLES',
    "main 5 min ago troubles branch 'x' cannot be parsed; and more",
    'other 5 min ago running -',
    '',
  ]);
  expect(JSON.parse(await run('--format', 'json'))).toMatchObject({
    git_sources: [
      { source: 'main', running: false, synchronised: new Date(at).toISOString() },
      { source: 'other', running: true, troubles: [] },
    ],
  });
  const printed: string[] = [];
  const program = new Command();
  const process = {
    print: async (text: string) => void printed.push(text),
    warn: () => {},
    variables: {},
    release: '0',
  };
  addSources(program, process);
  await program.parseAsync(['sources', 'list', '--data', `${world.directory}/data`], { from: 'user' });
  expect(squeeze(printed.join(''))).toEqual([
    'SOURCE REPOSITORY ENVIRONMENT BRANCH COMMIT SYNCHRONISED TROUBLES',
    "main https://git.example.com/a - - - 5 min ago branch 'x' cannot be parsed; and more",
    'new https://git.example.com/a - - - - -',
    'other https://git.example.com/a - - - 5 min ago -',
    '',
  ]);
});

it('says what to do where there is nothing yet', async () => {
  expect(await run()).toMatch(
    /^0 nodes\n.*\nNo code is deployed, so agents get an error and change nothing\. 'code deploy' deploys some\.\n$/s,
  );
});
