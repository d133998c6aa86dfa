import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ClientError } from '../../../../../shared/cli/client/client-error.ts';
import { addCodeCommands } from '../../../../../shared/cli/commands/code/code-commands.ts';
import { FreshnessPolicies } from '../../../../../shared/fleet/policies/freshness-policies.ts';
import { CompileWorld, checkIn } from '../../../../helpers/compile-world.ts';
import { ScriptedTerminal } from '../../../../helpers/scripted-terminal.ts';

const NODES = ['web1', 'web2', 'web3', 'web4'];
const DATA = 'environments/production/data/web.yaml';
let world: CompileWorld;
let terminal = new ScriptedTerminal();

beforeEach(async () => {
  world = new CompileWorld();
  world.write({ [DATA]: 'v: 1' });
  for (const name of NODES) world.addScript(name, { files: ['data/web.yaml'] });
  await world.deploy();
  for (const name of NODES) await world.run(checkIn(name));
  world.write({ [DATA]: 'v: 2' });
});
afterEach(() => world.close());

async function run(...args: readonly string[]): Promise<string> {
  const printed: string[] = [];
  const program = new Command().exitOverride().configureOutput({ writeErr: () => {} });
  addCodeCommands(program, {
    print: async (text) => void printed.push(text),
    variables: {},
    newSecret: () => 'a-secret',
    terminal,
    warn: () => {},
    release: '0',
  });
  await program.parseAsync(['code', ...args, '--data', join(world.directory, 'data')], { from: 'user' });
  return printed.join('');
}
const deploy = (...args: readonly string[]) => run('deploy', world.repo, '--yes', '--by', 'jane', ...args);

it('stages a deploy, shows it and promotes it', async () => {
  const staged = await deploy('--canary', 'web1,web3');
  expect(staged).toMatch(
    /^production: 0 added, 1 changed, 0 removed \(5 files before\)\nproduction staged: [0-9a-f]{12}, 4 nodes touched\n {2}canaries: web1, web3\n {2}60 minutes; all good: promote, one worse: hold, late: hold\n'code stage show production' prints how they do.\n$/,
  );
  const [codeId = ''] = /[0-9a-f]{12}/.exec(staged) ?? [];
  const short = codeId.slice(0, 12);
  expect(await run('stage', 'show')).toBe(
    [
      'ENVIRONMENT  CODE ID       STATE  BEGUN  BY    GOOD  WORSE  WAITING  REASON\n',
      `production   ${short}  trial  now    jane  0     0      2        -\n`,
    ].join(''),
  );
  expect(await run('stage', 'show', 'production')).toBe(
    [
      `production: ${short} staged now by jane, on trial, 60 minutes left\n`,
      '  60 minutes; all good: promote, one worse: hold, late: hold\n',
      'CERTNAME  STATUS   REASON\n',
      'web1      waiting  its catalog is not compiled yet\n',
      'web3      waiting  its catalog is not compiled yet\n',
    ].join(''),
  );
  const note = `code ${short} is on trial for 2 canaries, 60 minutes left`;
  for (const list of [await run('list'), await run('list', '--wide')])
    expect(list.trimEnd()).toMatch(new RegExp(`${note}$`));
  expect(JSON.parse(await run('list', '--format', 'json'))).toMatchObject([{ environment: 'production', note }]);
  expect(JSON.parse(await run('stage', 'show', '--format', 'json'))).toMatchObject([
    {
      environment: 'production',
      code_id: expect.stringMatching(`^${codeId}[0-9a-f]{52}$`),
      state: 'trial',
      waiting: 2,
    },
  ]);
  expect(await run('stage', 'promote', 'production')).toBe(
    `production promoted: ${codeId.slice(0, 12)}, 4 nodes touched\n`,
  );
  expect(await run('stage', 'show')).toBe('No deploy is staged.\n');
  expect(await deploy('--canary', '1')).toBe(`production unchanged: ${codeId} is in force\n`);
});

it('takes a staged deploy back by hand, or by a rollback', async () => {
  const [codeId = ''] = /[0-9a-f]{12}/.exec(await deploy('--canary', '50%', '--when-worse', 'abort')) ?? [];
  expect(await run('stage', 'abort', 'production')).toBe(
    `production aborted: ${codeId.slice(0, 12)} taken back, 2 nodes touched\n`,
  );
  const names = join(world.directory, 'canaries');
  writeFileSync(names, 'web2\nweb4\n');
  expect(await deploy('--canary', `@${names}`)).toContain('canaries: web2, web4\n');
  expect(await run('rollback', 'production')).toMatch(
    /^production rolled back: 5 files, 2 nodes touched\n {2}from .*\n {2}to {3}.*\nThe staged deploy was taken back; --to goes to an earlier state.\nA git source or a watched control repo that has this code does not bring it again; its next change goes on.\n$/,
  );
});

it.each([
  [['--canary', 'none'], "no catalog was compiled in environment 'production' for none"],
  [['--canary', '0'], 'a stage has from 1 to 1000 canaries, not 0'],
  [['--canary', '1', '--when-late', 'wait'], /Allowed choices are hold, promote, abort/],
  [['--canary', '1', '--canary-minutes', '0'], /It must be a whole number from 1 to 10080/],
  [['--canary', '@/nonexistent'], /^cannot read the names of canaries: /],
])('refuses %j, and deploys nothing', async (args, message) => {
  await expect(deploy(...args)).rejects.toThrow(message);
  expect(await run('stage', 'show')).toBe('No deploy is staged.\n');
  expect((await world.stores.environments.get('production'))?.revision).toBe(1);
});

it('stages one environment at a time, and none that has no stage to end', async () => {
  world.write({ 'environments/testing/manifests/site.pp': '' });
  await expect(deploy('--canary', '1')).rejects.toThrow(
    '--canary stages one environment: --environment names it. Nothing was deployed',
  );
  for (const end of ['promote', 'abort']) {
    await expect(run('stage', end, 'production')).rejects.toThrow("environment 'production' has no staged deploy");
    await expect(run('stage', end, 'nowhere')).rejects.toThrow("there is no environment 'nowhere'");
  }
});

it('is staged by the policy, unless an option says otherwise', async () => {
  await new FreshnessPolicies(world.stores.documents).put('environments/production', { stageCanaries: '50%' });
  const first = await deploy();
  const [codeId = ''] = /[0-9a-f]{12}/.exec(first) ?? [];
  expect(first).toContain(`production staged: ${codeId}, 4 nodes touched\n  canaries: `);
  expect(await deploy()).toBe(
    `production: 0 added, 1 changed, 0 removed (5 files before)\nproduction unchanged: ${codeId} is staged\n`,
  );
  world.write({ [DATA]: 'v: 3' });
  expect(await deploy()).toContain(` in place of the staged ${codeId.slice(0, 12)}, 4 nodes touched\n`);
  world.write({ [DATA]: 'v: 4' });
  expect(await deploy('--by', 'someone else')).toContain(' in place of the staged ');
  await run('stage', 'abort', 'production');
  expect(await deploy()).toContain('production staged: ');
  await run('stage', 'abort', 'production');
  expect(await deploy('--no-canary')).toMatch(/^production deployed: [0-9a-f]{12}, 5 files, 4 nodes touched$/m);
  expect(await run('stage', 'show')).toBe('No deploy is staged.\n');
});

describe('removing an environment that nodes use', () => {
  const remove = 'environment production would be removed, and 4 nodes would get no catalogs';
  const purge = 'environment production with 4 nodes would be removed';
  /** A control repo without `production`. */
  const other = () => {
    world.write({ 'other/environments/staging/manifests/site.pp': '' });
    return join(world.repo, 'other');
  };

  it.each([
    ['remove', () => ['remove', 'production'], remove],
    ['purge', () => ['deploy', other(), '--purge'], purge],
  ])('asks: %s', async (_, args, what) => {
    terminal = new ScriptedTerminal();
    terminal.answers = ['n'];
    await expect(run(...args())).rejects.toThrow(new ClientError('nothing was changed'));
    expect(terminal.questions).toEqual([`${what}. Go on? [y/N] `]);
    expect(await world.stores.environments.get('production')).not.toBeNull();
    terminal = new (class extends ScriptedTerminal {
      override readonly isInteractive = false;
    })();
    await expect(run(...args())).rejects.toThrow(`${what}. Nothing was changed; --yes does it without a question`);
    expect(await run(...args(), '--yes')).toContain('production removed: 4 nodes touched\n');
  });
});
