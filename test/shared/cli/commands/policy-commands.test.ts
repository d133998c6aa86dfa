import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, expect, it } from 'vitest';
import { CommandError } from '../../../../shared/cli/commands/node-files.ts';
import { addPolicyCommands } from '../../../../shared/cli/commands/policy-commands.ts';
import { openEmbeddedStores } from '../../../../shared/store/embedded/stores.ts';
import { ConsentingTerminal } from '../../../helpers/scripted-terminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'understudy-policies-'));
mkdirSync(join(folder, 'data'));
afterAll(() => rmSync(folder, { recursive: true }));

const terminal = new ConsentingTerminal();
const warned: string[] = [];

async function run(...args: readonly string[]): Promise<string> {
  const printed: string[] = [];
  const program = new Command().exitOverride();
  const print = async (text: string) => void printed.push(text);
  addPolicyCommands(program, { print, variables: {}, terminal, warn: (line) => warned.push(line) });
  await program.parseAsync(['policy', ...args, '--data', join(folder, 'data')], { from: 'user' });
  return printed.join('');
}

it('sets, lists and deletes policies', async () => {
  expect(await run('set', '--hold', '60', '--retry-after', '10-300')).toBe('default set\n');
  await run('set', '--environment', 'staging', '--freshness', 'stale', '--exports', 'ring');
  await run('set', '--node', 'a.example.com', '--freshness', 'retry', '--after-hold', 'retry');
  expect(await run('list')).toBe(
    'POLICY                SETTINGS\n' +
      'default               hold_seconds=60 retry_after_seconds=10-300\n' +
      'environments/staging  exports=ring freshness=stale\n' +
      'nodes/a.example.com   after_hold=retry freshness=retry\n',
  );
  expect(JSON.parse(await run('list', '--format', 'json'))).toEqual([
    { key: 'default', policy: { hold_seconds: 60, retry_after_seconds: [10, 300] } },
    { key: 'environments/staging', policy: { exports: 'ring', freshness: 'stale' } },
    { key: 'nodes/a.example.com', policy: { after_hold: 'retry', freshness: 'retry' } },
  ]);
  expect(await run('delete', '--environment', 'staging')).toBe('environments/staging deleted\n');
  expect(await run('list')).not.toContain('staging');
  await expect(run('delete', '--environment', 'staging')).rejects.toThrow(
    new CommandError("there is no policy 'environments/staging'"),
  );
});

it('sets how strictly nodes of an environment are compiled', async () => {
  const stores = openEmbeddedStores(join(folder, 'data'));
  const record = { name: 'dev', revision: 1, codeId: 'a', deployedAt: 1, by: 'x', settled: 1, history: [] };
  await stores.environments.replace(record, null);
  const lenient = ['--strict', 'warning', '--strict-variables', 'false'];
  expect(await run('set', '--environment', 'dev', ...lenient)).toBe(
    'environments/dev set\nenvironment dev: another strictness; 0 nodes are compiled again\n',
  );
  expect(await run('list')).toContain('environments/dev     strict=warning strict_variables=false\n');
  expect(await stores.environments.get('dev')).toEqual({
    ...record,
    revision: 2,
    settled: 2,
    strictness: { strict: 'warning', strictVariables: false },
    strictnessRevision: 2,
  });
  expect(await run('delete', '--environment', 'dev')).toBe(
    'environments/dev deleted\nenvironment dev: another strictness; 0 nodes are compiled again\n',
  );
  stores.close();
});

it('sets how nodes are notified of changed catalogs', async () => {
  const paced = ['--notify', 'paced', '--notify-rate', '2%/min', '--notify-window', '22:00-05:00', '--canary', '5'];
  expect(await run('set', '--environment', 'production', ...paced)).toBe('environments/production set\n');
  expect(await run('list')).toContain(
    'environments/production  canary=5 notify=paced notify_rate=2%/min notify_window=22:00-05:00\n',
  );
});

it.each([
  [
    [],
    'nothing to set: give --freshness, --hold, --after-hold, --retry-after, --exports, --deploy-check, --compiler, --language, --strict, --strict-variables, --notify, --notify-rate, --notify-window, --canary, --stage-canaries, --stage-minutes, --stage-when-good, --stage-when-worse or --stage-when-late',
  ],
  [['--node', 'a', '--exports', 'ring'], "--exports is a setting of environments and of 'default', not of a node"],
  [
    ['--node', 'a', '--strict-variables', 'true'],
    "--strict-variables is a setting of environments and of 'default', not of a node",
  ],
  [
    ['--node', 'a/b', '--hold', '1'],
    "a policy key must be 'default', 'environments/<name>' or 'nodes/<certname>', not 'nodes/a/b'",
  ],
  [['--node', 'a', '--environment', 'b'], 'give --environment or --node, not both'],
])('refuses %j', async (args, message) => {
  await expect(run('set', ...args)).rejects.toThrow(new CommandError(message));
});

it.each([
  ['--canary <count>', 'few', 'It must be a whole number of nodes from 0 to 1000, or a percentage such as 2%.'],
  ['--exports <how>', 'none', 'It must be one of follow, ring.'],
  ['--strict <level>', 'much', 'It must be one of off, warning, error.'],
  ['--strict-variables <boolean>', 'no', 'It must be true or false.'],
  ['--freshness <how>', 'now', 'It must be one of wait, stale, retry.'],
  ['--hold <seconds>', 'long', 'It must be whole seconds from 0 to 540.'],
  ['--retry-after <range>', '30', 'It must be two numbers of seconds from 0 to 86400, the lower one first.'],
])('refuses a value of %s: %s', async (flags, value, message) => {
  await expect(run('set', flags.replace(/ .*/, ''), value)).rejects.toThrow(
    `error: option '${flags}' argument '${value}' is invalid. ${message}`,
  );
});

it('asks before the policy of all nodes changes, once there are nodes', async () => {
  expect(terminal.questions).toEqual([]);
  const stores = openEmbeddedStores(join(folder, 'data'));
  await stores.nodes.markSeen('a.example.com', 'dev', 1);
  stores.close();
  await run('set', '--hold', '60');
  await run('delete');
  await run('set', '--environment', 'dev', '--hold', '60');
  const question = 'the policy of all nodes would change (1 node). Go on? [y/N] ';
  expect(terminal.questions).toEqual([question, question]);
});

it('says that an environment has no code yet', async () => {
  warned.length = 0;
  await run('set', '--environment', 'dve', '--hold', '60');
  await run('set', '--environment', 'dev', '--hold', '60');
  expect(warned).toEqual(["there is no environment 'dve' yet (did you mean dev?)"]);
});
