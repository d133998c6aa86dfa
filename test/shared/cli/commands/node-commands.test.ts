import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Command } from 'commander';
import { afterAll, expect, it } from 'vitest';
import { addNodeCommands, NoSuchNode } from '../../../../shared/cli/commands/node-commands.ts';
import { CommandError } from '../../../../shared/cli/commands/node-files.ts';
import { addReportCommands, NoSuchReport } from '../../../../shared/cli/commands/report-commands.ts';
import { storeReport } from '../../../../shared/fleet/nodes/node-reports.ts';
import { openEmbeddedStores } from '../../../../shared/store/embedded/stores.ts';

const NODE = 'a.example.com';
const folder = mkdtempSync(join(tmpdir(), 'understudy-nodes-'));
const data = join(folder, 'data');
mkdirSync(data);
afterAll(() => rmSync(folder, { recursive: true }));

async function run(...args: readonly string[]): Promise<string> {
  const printed: string[] = [];
  const program = new Command().exitOverride();
  addNodeCommands(program, async (text) => void printed.push(text), {});
  addReportCommands(program, async (text) => void printed.push(text), {});
  await program.parseAsync(args.includes('--data') ? args : [...args, '--data', data], { from: 'user' });
  return printed.join('');
}

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

it('classifies, shows and purges a node', async () => {
  const enc = file(
    'enc.yaml',
    '---\nclasses:\n  web:\n    port: 80\n  ntp:\nparameters: {tier: gold}\nenvironment: staging\n',
  );
  expect(await run('node', 'classify', NODE, '--file', enc)).toBe('a.example.com classification changed\n');
  expect(await run('node', 'classify', NODE, '--file', enc)).toBe('a.example.com unchanged\n');
  expect(JSON.parse(await run('node', 'show', NODE))).toMatchObject({
    certname: NODE,
    wanted: 0,
    classification: { classes: { web: { port: 80 }, ntp: null }, parameters: { tier: 'gold' }, environment: 'staging' },
  });
  expect(await run('node', 'unclassify', NODE)).toBe('a.example.com classification changed\n');
  expect(JSON.parse(await run('node', 'show', NODE))).toMatchObject({ classification: null });
  expect(await run('node', 'purge', NODE)).toBe('a.example.com purged\n');
  await expect(run('node', 'show', NODE)).rejects.toThrow(new NoSuchNode(NODE));
  await expect(run('node', 'purge', NODE)).rejects.toThrow(new NoSuchNode(NODE));
  await expect(run('node', 'unclassify', NODE)).rejects.toThrow(new NoSuchNode(NODE));
});

it('lists nodes by the state of their catalogs and by environment', async () => {
  const own = join(folder, 'listed');
  mkdirSync(own);
  const { nodes, close } = openEmbeddedStores(own);
  const names = Array.from({ length: 250 }, (_, index) => `n${String(index).padStart(3, '0')}`);
  for (const name of names) await nodes.markSeen(name, name === 'n249' ? 'staging' : 'production', 1000);
  await nodes.want('n001', 'first catalog', 1, { asked: true });
  const inputs = { environment: 'production', compiler: '', facts: {}, trusted: {}, settings: {}, volatile: [] };
  const common = { certname: 'n002', generation: 1, catalog: null, at: 1 };
  await nodes.want('n002', 'first catalog', 1, { asked: true });
  await nodes.commit({
    ...common,
    failure: { message: 'broken', at: 1, codeId: null },
    inputs: { ...inputs, collectors: [], collected: 'c' },
  });
  close();
  const listed = async (...args: readonly string[]) => (await run('node', 'list', ...args, '--data', own)).split('\n');
  expect(await listed()).toHaveLength(251);
  expect(await listed('--state', 'outdated')).toEqual(['n001 production outdated 1970-01-01T00:00:01.000Z', '']);
  expect(await listed('--state', 'failed')).toEqual(['n002 production failed 1970-01-01T00:00:01.000Z', '']);
  expect(await listed('--state', 'new')).toHaveLength(249);
  expect(await listed('--state', 'current')).toEqual(['']);
  expect(await listed('--environment', 'staging')).toEqual(['n249 staging new 1970-01-01T00:00:01.000Z', '']);
});

it('says what is wrong with a classification', async () => {
  const list = file('list.yaml', '[1, 2]');
  await expect(run('node', 'classify', NODE, '--file', list)).rejects.toThrow(
    new CommandError(`${list}: a classification must be a hash`),
  );
  const enc = file('good.yaml', 'classes: [ntp]');
  await expect(run('node', 'classify', '../x', '--file', enc)).rejects.toThrow(
    new CommandError("'../x' is not a certname: Subject contains unprintable or non-ASCII characters"),
  );
  await expect(run('node', 'classify', NODE, '--file', file('bad.yaml', 'a: [b'))).rejects.toThrow(CommandError);
  await expect(run('node', 'classify', NODE, '--file', join(folder, 'none'))).rejects.toThrow(CommandError);
});

it('lists and shows reports', async () => {
  const stores = openEmbeddedStores(data);
  const common = { environment: 'production', time: null, puppetVersion: null, noop: false };
  for (const [certname, status, transactionUuid, receivedAt] of [
    [NODE, 'failed', 'u-1', 1000],
    ['b.example.com', 'changed', 'u-2', 2000],
    [NODE, 'unchanged', null, 2500],
    [NODE, 'unchanged', null, 3000],
  ] as const) {
    const summary = { ...common, certname, status, transactionUuid, receivedAt };
    await storeReport(stores, summary, gzipSync(JSON.stringify({ status })), { kept: 20, days: 30 });
  }
  stores.close();
  const lines = [
    '1970-01-01T00:00:03.000Z a.example.com unchanged production -\n',
    '1970-01-01T00:00:02.000Z b.example.com changed production u-2\n',
    '1970-01-01T00:00:01.000Z a.example.com failed production u-1\n',
  ];
  // Of runs that changed nothing a node's last is listed, for that node.
  expect(await run('report', 'list')).toBe(lines.slice(1).join(''));
  expect(await run('report', 'list', '--certname', NODE)).toBe(`${lines[0]}${lines[2]}`);
  expect(await run('report', 'list', '--status', 'failed')).toBe(lines[2]);
  expect(await run('report', 'list', '--certname', NODE, '--limit', '1')).toBe(lines[0]);
  expect(await run('report', 'list', '--since', '1970-01-01T00:00:02Z')).toBe(lines[1]);
  expect(JSON.parse(await run('report', 'show', NODE))).toEqual({ status: 'failed' });
  expect(JSON.parse(await run('report', 'show', NODE, 'u-1'))).toEqual({ status: 'failed' });
  await expect(run('report', 'show', NODE, 'u-9')).rejects.toThrow(new NoSuchReport(NODE, 'u-9'));
});
