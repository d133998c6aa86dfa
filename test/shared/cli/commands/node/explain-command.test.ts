import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  type ExplainStyle,
  explainCompiles,
  explainNode,
} from '../../../../../shared/cli/commands/node/explain-command.ts';
import { explainInputs } from '../../../../../shared/cli/commands/node/explain-inputs.ts';
import { catalogBlob, putCatalog } from '../../../../../shared/fleet/catalogs/catalog-blob.ts';
import type { DescribedInput } from '../../../../../shared/fleet/inputs/describe-inputs.ts';
import { CompileWorld, checkIn } from '../../../../helpers/compile-world.ts';

const NODE = 'web.example.com';
const FACTS = { os: { family: 'Debian' } };
let world: CompileWorld;

beforeEach(async () => {
  world = new CompileWorld();
  world.addScript(NODE, { facts: [['os', 'family']], files: ['data/common.yaml', `data/${NODE}.yaml`] });
  world.write({ 'environments/production/data/common.yaml': 'a: 1' });
  await world.deploy();
});
afterEach(() => world.close());

/** With durations and digests left out. */
async function explained(options: Partial<ExplainStyle> = {}): Promise<string> {
  const node = await world.stores.nodes.get(NODE);
  if (!node) throw new Error(`no node ${NODE}`);
  const text = await explainNode(node, world.stores, { format: 'text', now: world.stores.clock.now(), ...options });
  return text.replace(/\d+ ms/, 'N ms').replace(/\b[0-9a-f]{12}\b/g, 'DIGEST');
}

it('says what the catalog in force was built from', async () => {
  await world.run(checkIn(NODE, FACTS));
  expect(await explained()).toBe(`web.example.com, environment production: current
Compiled now in N ms with code DIGEST

The catalog is compiled again when any of this changes:

Facts:
  os.family = "Debian"

Files:
  environments/production/data/common.yaml
  environments/production/manifests/web.example.com.json

Looked for and not found:
  environments/production/data/web.example.com.yaml
  environments/production/environment.conf
  environments/production/modules
  modules
`);
});

it('shows the language and strictness of a policy', async () => {
  await world.run(checkIn(NODE, FACTS));
  const strictness = { language: 'openvox-9', strict: 'warning' } as const;
  const { environments } = world.stores;
  const record = (await environments.get('production')) ?? expect.unreachable();
  await environments.replace({ ...record, revision: record.revision + 1, strictness }, record.revision);
  expect((await explained()).split('\n')[0]).toBe(
    'web.example.com, environment production (language=openvox-9 strict=warning): current',
  );
  expect(JSON.parse(await explained({ format: 'json' }))).toMatchObject({ strictness });
});

it('says why a catalog is out of date', async () => {
  await world.run(checkIn(NODE, FACTS));
  world.write({ 'environments/production/data/common.yaml': 'a: 2' });
  await world.deploy();
  expect(await explained()).toMatch(
    /^web\.example\.com, environment production: out of date \(environment production deployed\)\n/,
  );
});

it('says why it failed, and with which code', async () => {
  world.addScript(NODE, { fail: 'no such class' });
  await world.deploy();
  await world.run(checkIn(NODE, FACTS));
  expect(await explained()).toMatch(
    /^web\.example\.com, environment production: failed: no such class \(file: x\.pp, line: 1\) on node web\.example\.com\nCompiled now with code DIGEST\n/,
  );
});

it('says which lines of module Ruby a failure comes from', async () => {
  const backtrace = ["modules/m/lib/puppet_x/m/util.rb:4:in `read'", 'modules/m/templates/t.erb:2'];
  world.addScript(NODE, { fail: 'no x here', backtrace });
  await world.deploy();
  await world.run(checkIn(NODE, FACTS));
  expect((await explained()).split('\n').slice(0, 4)).toEqual([
    'web.example.com, environment production: failed: no x here (file: x.pp, line: 1) on node web.example.com',
    "  from modules/m/lib/puppet_x/m/util.rb:4:in `read'",
    '  from modules/m/templates/t.erb:2',
    'Compiled now with code DIGEST',
  ]);
  expect(JSON.parse(await explained({ format: 'json' }))).toMatchObject({ backtrace });
});

it.each([
  ['8.10.0', undefined, 1],
  ['8.28.1', 'openvox', 0],
])('warns of what an agent %s does not know', async (clientversion, implementation, count) => {
  await world.run(checkIn(NODE, { ...FACTS, clientversion, ...(implementation && { implementation }) }));
  const node = await world.stores.nodes.get(NODE);
  if (!node?.catalog) throw new Error('no catalog');
  const parameters = { environment: ['A=b'] };
  const catalog = catalogBlob(JSON.stringify({ resources: [{ type: 'Package', title: 'x', parameters }] }), null, 0);
  await putCatalog(world.stores.blobs, catalog, null);
  const changed = { ...node, catalog: { ...node.catalog, hash: catalog.hash } };
  const style = { format: 'json', now: 0 } as const;
  expect(JSON.parse(await explainNode(changed, world.stores, style)).unknownToAgent).toHaveLength(count);
  const lines = (await explainNode(changed, world.stores, { ...style, format: 'text' })).split('\n');
  expect(lines.filter((line) => line.startsWith('Warning: '))).toEqual(
    [
      "Warning: Package[x] has 'environment', which needs an agent of OpenVox 8.26.0 or newer: the agent of this node, version 8.10.0, will fail its whole run",
    ].slice(0, count),
  );
});

it('says so where no catalog was requested yet', async () => {
  await world.stores.nodes.markSeen(NODE, 'staging', 1);
  expect(await explained()).toBe('web.example.com, environment staging: no catalog was requested yet\n');
});

it('names a dependency set that is lost', async () => {
  await world.run(checkIn(NODE, FACTS));
  const id = (await world.stores.nodes.get(NODE))?.inputs?.dependencies?.set;
  await world.stores.blobs.delete(`dependencies/${id}`);
  await expect(explained()).rejects.toThrow(`the dependency set ${id} is lost`);
});

it('says for what the last ten compiles were, and why one is due', async () => {
  await world.run(checkIn(NODE, FACTS));
  for (let value = 2; value <= 12; value += 1) await world.run(checkIn(NODE, { os: { family: `Family ${value}` } }));
  world.write({ 'environments/production/data/common.yaml': 'a: 2' });
  await world.deploy();
  const node = await world.stores.nodes.get(NODE);
  if (!node) throw new Error(`no node ${NODE}`);
  const style = {
    format: 'text',
    empty: 'none',
    now: world.stores.clock.now(),
    hasColors: false,
    columns: null,
    warn: () => {},
  } as const;
  const lines = explainCompiles(node, style)
    .replaceAll(/\d+ ms/g, 'N ms')
    .split('\n');
  expect(lines.slice(0, 4)).toEqual([
    'web.example.com, environment production: out of date (environment production deployed)',
    'It is to be compiled, because:',
    '  environment production deployed',
    'Compiled 12 times, and found unchanged 0 times',
  ]);
  expect(lines.filter((line) => /^.*compiled +N ms +[0-9a-f]{12} +fact os\.family changed$/.test(line))).toHaveLength(
    10,
  );
  expect(JSON.parse(explainCompiles(node, { ...style, format: 'json' }))).toHaveLength(10);
});

it('prints all of it as JSON', async () => {
  await world.run(checkIn(NODE, FACTS));
  expect(JSON.parse(await explained({ format: 'json' }))).toMatchObject({
    certname: NODE,
    state: 'current',
    classified: null,
    compiles: [{ outcome: 'compiled', reasons: ['first catalog'] }],
    inputs: [{ kind: 'fact', name: 'os.family', value: '"Debian"' }, { kind: 'file' }, {}, {}, {}, {}, {}],
  });
});

it('prints values beside the first line that reads them, and counts keys that a file lacks', () => {
  const reader = (line: number) => ({ file: 'environments/test/manifests/site.pp', line, text: '' });
  const data = (key: string, more: Partial<DescribedInput>): DescribedInput => ({
    kind: 'data',
    name: `data/a b.yaml ${key}`,
    readers: [],
    why: 'The value of the key counts',
    ...more,
  });
  const inputs = [
    data('ntp::servers', { value: '["a"]', readers: [reader(3), reader(4)] }),
    data('ntp::key', { readers: [{ ...reader(1), file: 'modules/ntp/manifests/init.pp' }] }),
    data('ntp::other', { why: 'The file lacks the key: the catalog changes when it appears' }),
  ];
  expect(explainInputs({ inputs }, 'test')).toBe(`Keys of data files:
  data/a b.yaml (1 key looked for and not found)
    ntp::servers = ["a"]        manifests/site.pp:3 and 1 more
    ntp::key (value not shown)  modules/ntp/manifests/init.pp:1
`);
  expect(explainInputs({ inputs }, 'test', { isWhole: true })).toContain('\n    ntp::other (absent)\n');
});
