import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Command } from 'commander';
import { afterAll, expect, it } from 'vitest';
import { addNodeCommands, NoSuchNode } from '../../../../../shared/cli/commands/node/node-commands.ts';
import { CommandError } from '../../../../../shared/cli/commands/node-files.ts';
import { addReportCommands, NoSuchReport } from '../../../../../shared/cli/commands/reports/report-commands.ts';
import { loadFacts } from '../../../../../shared/fleet/facts/facts-blob.ts';
import { storeQuietRun, storeReport } from '../../../../../shared/fleet/reports/node-reports.ts';
import { toPlainJson } from '../../../../../shared/puppet/serialization/json.ts';
import { openEmbeddedStores } from '../../../../../shared/store/embedded/stores.ts';
import { NO_INPUTS } from '../../../../helpers/no-inputs.ts';
import { ConsentingTerminal } from '../../../../helpers/scripted-terminal.ts';

const NODE = 'a.example.com';
const folder = mkdtempSync(join(tmpdir(), 'understudy-nodes-'));
const data = join(folder, 'data');
mkdirSync(data);
afterAll(() => rmSync(folder, { recursive: true }));

const terminal = new ConsentingTerminal();

async function run(...args: readonly string[]): Promise<string> {
  const printed: string[] = [];
  const program = new Command().exitOverride();
  addNodeCommands(program, { print: async (text) => void printed.push(text), variables: {}, terminal });
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
  expect(JSON.parse(await run('node', 'show', NODE, '-o', 'json'))).toMatchObject({
    certname: NODE,
    wanted: 0,
    classification: { classes: { web: { port: 80 }, ntp: null }, parameters: { tier: 'gold' }, environment: 'staging' },
  });
  expect((await run('node', 'show', NODE)).replace(/\d{4}-\S+Z/, 'TIME')).toBe(
    [
      'Node:           a.example.com',
      'Environment:    production',
      'State:          new',
      'Last check-in:  TIME',
      'Classified by:  the operator',
      'Compiles:       0, and 0 times found unchanged',
      '',
    ].join('\n'),
  );
  expect(await run('node', 'unclassify', NODE)).toBe('a.example.com classification changed\n');
  expect(JSON.parse(await run('node', 'show', NODE, '-o', 'json'))).toMatchObject({ classification: null });
  expect(await run('node', 'purge', NODE)).toBe('a.example.com purged\n');
  await expect(run('node', 'show', NODE)).rejects.toThrow(new NoSuchNode(NODE));
  await expect(run('node', 'purge', NODE)).rejects.toThrow(new NoSuchNode(NODE));
  await expect(run('node', 'unclassify', NODE)).rejects.toThrow(new NoSuchNode(NODE));
});

it('stores facts of a node as puppet facts show prints them', async () => {
  const yaml = file('facts.yaml', '---\nos:\n  family: Debian\nprocessors: {count: 4}\nempty:\n');
  const certname = 'seeded.example.com';
  expect(await run('node', 'facts', certname, '--file', yaml)).toBe(
    'seeded.example.com has facts, and waits for its certificate\n',
  );
  const stores = openEmbeddedStores(data);
  const stored = async () => {
    const facts = (await stores.nodes.get(certname))?.facts ?? null;
    return toPlainJson((await loadFacts(stores.blobs, { certname, facts }))?.facts ?? null);
  };
  expect(await stored()).toEqual({ os: { family: 'Debian' }, processors: { count: 4 }, empty: '' });
  const json = file('facts.json', '{"name": "seeded.example.com", "values": {"tier": "gold"}}');
  await run('node', 'facts', certname, '--file', json);
  expect(await stored()).toEqual({ tier: 'gold' });
  stores.close();
});

it.each([
  ['a list', '[1]', 'the facts in FILE must be a hash'],
  ['no file', null, "cannot read the facts: ENOENT: no such file or directory, open 'FILE'"],
  ['broken JSON', '{"a": }', `cannot parse the facts in FILE: 859: unexpected token at '{"a": }'`],
  ['broken YAML', 'a: [', 'cannot parse the facts in (FILE): did not find expected node content'],
  ['a number as a name', 'os:\n  1: x\n', 'the facts in FILE: os.1 is named by no text; facts are texts'],
  ['a date', 'a: [1, 2001-01-01]\n', 'cannot parse the facts in (FILE): Tried to load unspecified class: Date'],
  ['no number', 'load: [.nan]\n', 'the facts in FILE: load.0 is no finite number; facts are texts'],
])('refuses %s as facts, with the place', async (_, text, message) => {
  const path = join(folder, 'strange');
  rmSync(path, { force: true });
  if (text !== null) writeFileSync(path, text);
  await expect(run('node', 'facts', NODE, '--file', path)).rejects.toThrow(message.replace('FILE', path));
});

it('lists nodes by the state of their catalogs and by environment', async () => {
  const own = join(folder, 'listed');
  mkdirSync(own);
  const { nodes, close } = openEmbeddedStores(own);
  const names = Array.from({ length: 250 }, (_, index) => `n${String(index).padStart(3, '0')}`);
  for (const name of names) await nodes.markSeen(name, name === 'n249' ? 'staging' : 'production', 1000);
  await nodes.want('n001', 'first catalog', 1, { asked: true });
  const common = { certname: 'n002', generation: 1, catalog: null, at: 1 };
  await nodes.want('n002', 'first catalog', 1, { asked: true });
  await nodes.commit({
    ...common,
    failure: { message: 'broken', at: 1, codeId: null },
    inputs: NO_INPUTS,
  });
  close();
  const now = Date.now();
  const listed = async (...args: readonly string[]) => {
    const rows: readonly { certname: string }[] = JSON.parse(
      await run('node', 'list', ...args, '--format', 'json', '--data', own),
    );
    return rows.map(({ certname }) => certname);
  };
  expect(await listed()).toHaveLength(250);
  expect(await listed('--state', 'stale')).toEqual(['n001']);
  expect(await listed('--state', 'failing')).toEqual(['n002']);
  expect(await listed('--state', 'new')).toHaveLength(248);
  expect(await listed('--state', 'silent')).toHaveLength(250);
  expect(await listed('--state', 'current')).toEqual([]);
  expect(await listed('--state', 'volatile')).toEqual([]);
  expect((await listed('--sort', 'environment:desc'))[0]).toBe('n249');
  const table = (...args: readonly string[]) => run('node', 'list', ...args, '--data', own);
  const years = Math.floor(now / (365 * 24 * 3600_000));
  expect(await table('--environment', 'staging')).toBe(
    `CERTNAME  ENVIRONMENT  STATE       CATALOG  CHECK IN\nn249      staging      silent,new  -        ${years} years ago\n`,
  );
  expect(await table('--state', 'failing', '--wide')).toBe(
    'CERTNAME  ENVIRONMENT  STATE           CATALOG  CHECK IN                  FAILED RUN  FAILURE\n' +
      'n002      production   failing,silent  -        1970-01-01T00:00:01.000Z  false       broken\n',
  );
  expect(await table('--state', 'current')).toBe('There is no such node.\n');
  expect(await listed('--state', 'new', '--limit', '2')).toEqual(['n000', 'n003']);
  const stores = openEmbeddedStores(own);
  const record = { name: 'production', revision: 1, codeId: 'a', deployedAt: 1, by: 'x', settled: 1, history: [] };
  await stores.environments.replace(record, null);
  stores.close();
  await expect(table('--environment', 'prodution')).rejects.toThrow(
    new CommandError("there is no environment 'prodution' (did you mean production?)"),
  );
  await expect(table('--state', 'odd')).rejects.toThrow(
    'Allowed choices are current, volatile, stale, failing, silent',
  );
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
    if (status === 'unchanged') await storeQuietRun(stores, { ...summary, quiet: {} });
    else await storeReport(stores, summary, gzipSync(JSON.stringify({ status })), { kept: 20, days: 30 });
  }
  stores.close();
  const inCommon = { environment: 'production', noop: false, puppet_version: null };
  const rows = [
    { received: '1970-01-01T00:00:03.000Z', certname: NODE, status: 'unchanged', transaction: null, ...inCommon },
    {
      received: '1970-01-01T00:00:02.000Z',
      certname: 'b.example.com',
      status: 'changed',
      transaction: 'u-2',
      ...inCommon,
    },
    { received: '1970-01-01T00:00:01.000Z', certname: NODE, status: 'failed', transaction: 'u-1', ...inCommon },
  ];
  const listed = async (...args: readonly string[]): Promise<unknown> =>
    JSON.parse(await run('report', 'list', '--format', 'json', ...args));
  // Of runs that changed nothing a node's last is listed, for that node.
  expect(await listed()).toEqual(rows.slice(1));
  expect(await listed('--certname', NODE)).toEqual([rows[0], rows[2]]);
  expect(await listed('--status', 'failed')).toEqual([rows[2]]);
  expect(await listed('--certname', NODE, '--limit', '1')).toEqual([rows[0]]);
  expect(await listed('--since', '1970-01-01T00:00:02Z')).toEqual([rows[1]]);
  expect(await run('report', 'list', '--status', 'failed', '--wide')).toBe(
    'RECEIVED                  CERTNAME       STATUS  ENVIRONMENT  TRANSACTION  NOOP   PUPPET VERSION\n' +
      '1970-01-01T00:00:01.000Z  a.example.com  failed  production   u-1          false  -\n',
  );
  expect(await run('report', 'list', '--certname', 'none')).toBe('There is no such report.\n');
  expect(JSON.parse(await run('report', 'show', NODE, 'u', '--format', 'json'))).toEqual({ status: 'failed' });
  expect(JSON.parse(await run('report', 'show', NODE, '-o', 'json'))).toEqual({ status: 'failed' });
  expect(JSON.parse(await run('report', 'show', NODE, 'u-1', '-o', 'json'))).toEqual({ status: 'failed' });
  expect(await run('report', 'show', NODE)).toBe('Node:    a.example.com\nStatus:  failed\n');
  await expect(run('report', 'show', NODE, 'u-9')).rejects.toThrow(new NoSuchReport(NODE, 'u-9'));
});
