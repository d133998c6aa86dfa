import { afterEach, beforeEach, expect, it } from 'vitest';
import { explainNode } from '../../../../shared/cli/commands/explain-command.ts';
import { CompileWorld, checkIn } from '../../../helpers/compile-world.ts';

const NODE = 'web.example.com';
const FACTS = { os: { family: 'Debian' } };
const TIME = /[0-9-]{10}T[0-9:.]{12}Z/;
let world: CompileWorld;

beforeEach(async () => {
  world = new CompileWorld();
  world.addScript(NODE, { facts: [['os', 'family']], files: ['data/common.yaml', `data/${NODE}.yaml`] });
  world.write({ 'environments/production/data/common.yaml': 'a: 1' });
  await world.deploy();
});
afterEach(() => world.close());

/** With times, durations and digests left out. */
async function explained(): Promise<string> {
  const node = await world.stores.nodes.get(NODE);
  if (!node) throw new Error(`no node ${NODE}`);
  const text = await explainNode(node, world.stores);
  return text
    .replace(TIME, 'TIME')
    .replace(/\d+ ms/, 'N ms')
    .replace(/\b[0-9a-f]{12}\b/g, 'DIGEST');
}

it('says what the catalog in force was built from', async () => {
  await world.run(checkIn(NODE, FACTS));
  expect(await explained()).toBe(`web.example.com, environment production: current
Compiled TIME in N ms with code DIGEST

Facts:
  os.family: value DIGEST

Trusted facts:
  (none)

Settings:
  (none)

Files (dependency set DIGEST):
  environments/production/data/common.yaml: content DIGEST
  environments/production/manifests/web.example.com.json: content DIGEST

Keys of data files:
  (none)

Looked for and not found:
  environments/production/data/web.example.com.yaml
  environments/production/environment.conf
  environments/production/modules
  modules

Collectors:
  (none)

Volatile functions:
  (none)
`);
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
    /^web\.example\.com, environment production: failed: no such class \(file: x\.pp, line: 1\) on node web\.example\.com\nCompiled TIME with code DIGEST\n\nFacts:/,
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
