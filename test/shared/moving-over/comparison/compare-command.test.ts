import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { ComparisonStore } from '../../../../shared/fleet/comparisons/comparison-store.ts';
import { addCompareCommand } from '../../../../shared/moving-over/comparison/compare-command.ts';
import { CompileWorld } from '../../../helpers/compile-world.ts';

// Each run starts Ruby's host, which takes long on a busy machine.
vi.setConfig({ testTimeout: 120_000 });
const folder = mkdtempSync(join(tmpdir(), 'understudy-compare-'));
const stateFile = join(folder, 'state.jsonl');
const SITE = `node default {
  notify { "I am \${facts['role']}": }
  file { '/etc/role': content => $facts['role'] }
}
node /sad/ { fail('as ever') }
`;

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

const catalogWith = (resources: readonly object[]) =>
  JSON.stringify({
    environment: 'production',
    resources: [
      { type: 'Stage', title: 'main' },
      { type: 'Class', title: 'Settings' },
      { type: 'Class', title: 'main' },
      { type: 'Node', title: 'default' },
      ...resources,
    ],
    edges: [],
  });

beforeAll(() => {
  write('repo/environments/production/manifests/site.pp', SITE);
  for (const name of ['web1.test', 'web2.test', 'sad1.test']) write(`catalogs/facts/${name}.yaml`, 'role: web\n');
  write('catalogs/web1.test.json', catalogWith([{ type: 'File', title: '/etc/role', parameters: { content: 'db' } }]));
  write('catalogs/sad1.test.json', catalogWith([]));
  write('catalogs/gone1.test.json', catalogWith([]));
});
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => rmSync(stateFile, { force: true }));

async function run(...args: readonly string[]) {
  const result = { out: '', warnings: [] as string[], code: undefined as number | undefined, error: '' };
  const program = new Command().exitOverride().configureOutput({ writeErr: () => {} });
  addCompareCommand(program, {
    print: async (text) => {
      result.out += text;
    },
    warn: (line) => result.warnings.push(line),
    exit: (code) => {
      result.code = code;
    },
    now: () => 1000,
    sleep: async () => undefined,
    folders: { home: folder, global: folder },
    variables: {},
    release: '0',
  });
  await program
    .parseAsync(['compare', ...args, '--state-file', stateFile], { from: 'user' })
    .catch((error: unknown) => {
      result.error = error instanceof Error ? error.message : String(error);
    });
  return result;
}

const SIDES = ['--catalogs', join(folder, 'catalogs'), '--control-repo', join(folder, 'repo')];

it('compares files with a control repo, and prints what differs by cause', async () => {
  const { out, warnings, code, error } = await run(...SIDES);
  expect(error).toBe('');
  expect(out).toContain('3 nodes: 0 equal, 1 different, 1 failing, 1 not compared\n');
  expect(out).toContain('File[/etc/role] content: db -> web');
  expect(out).toContain('Notify[I am web] added');
  expect(out).toContain('failing here:\n  1 node: Evaluation Error: Error while evaluating a Function Call, as ever');
  expect(out).toContain('not compared:\n  1 node: there is no file with its facts (gone1.test)\n');
  expect(out).toContain('3 nodes: 0 equal, 1 different, 1 failing, 1 not compared\n');
  expect(warnings).toEqual([]);
  expect(code).toBe(2);
});

it('prints JSON, and a page in which nothing is markup', async () => {
  const json = await run(...SIDES, '--format', 'json', '--node', 'web1.test');
  expect(JSON.parse(json.out)).toMatchObject({ compared: 1, different: 1, groups: [{ nodes: ['web1.test'] }] });
  write('odd/x1.test.json', catalogWith([{ type: 'Notify', title: '<script>' }]));
  write('odd/facts/x1.test.yaml', 'role: web\n');
  const page = await run('--catalogs', join(folder, 'odd'), '--control-repo', join(folder, 'repo'), '--format', 'html');
  expect(page.out).toContain('<pre>Notify[&lt;script&gt;] removed</pre>');
  expect(page.out).not.toContain('<script>');
});

it('compiles with deployed code, changes no node, and keeps the outcome of each', async () => {
  const world = new CompileWorld();
  try {
    world.write({ 'environments/production/manifests/site.pp': SITE });
    await world.deploy();
    const data = join(world.directory, 'data');
    const catalogs = ['--catalogs', join(folder, 'catalogs'), '--data', data];
    expect(await run(...catalogs, '--node', 'web1.test')).toMatchObject({ error: '', code: 2 });
    const store = new ComparisonStore(world.stores.documents);
    expect(await store.get('web1.test')).toMatchObject({ outcome: 'different', environment: 'production', at: 1000 });
    expect(await store.summarize()).toMatchObject({ compared: 1, different: 1 });
    expect(await world.stores.nodes.get('web1.test')).toBeNull();
  } finally {
    world.close();
  }
});

it('follows links out of the control repo when it is told to', async () => {
  write('elsewhere/manifests/init.pp', 'class linked {}\n');
  write('linked/environments/production/manifests/site.pp', SITE);
  mkdirSync(join(folder, 'linked/environments/production/modules'));
  symlinkSync(join(folder, 'elsewhere'), join(folder, 'linked/environments/production/modules/linked'));
  const args = [
    '--catalogs',
    join(folder, 'catalogs'),
    '--control-repo',
    join(folder, 'linked'),
    '--node',
    'web1.test',
  ];
  const target = join(folder, 'elsewhere');
  expect((await run(...args)).error).toBe(
    `'environments/production/modules/linked' is a symbolic link to '${target}', outside of the control repo; it is only followed with --follow-links`,
  );
  expect(await run(...args, '--follow-links')).toMatchObject({ error: '', code: 2 });
});

it.each([
  [[], 'give --puppetdb, --catalogs or --server: what the catalogs are compared with'],
  [['--catalogs', 'x', '--server', 'https://y:8140'], 'give --catalogs or --server, not both'],
  [['--catalogs', 'nowhere'], "there is no folder 'nowhere' with catalogs"],
  [['--server', 'https://y:8140'], '--server requires --ca-cert, --cert and --key'],
  [['--puppetdb', 'pdb'], "'pdb' is not an address of an inventory, such as https://HOST:8081"],
  [[...SIDES.slice(0, 2), '--data', 'x'], 'give --control-repo or --data, not both'],
])('refuses %j', async (args, message) => {
  expect(await run(...args, '--control-repo', join(folder, 'repo'))).toMatchObject({ error: message, out: '' });
});
