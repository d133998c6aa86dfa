import { afterEach, beforeEach, expect, it } from 'vitest';
import { answerCheckIn, type CheckIn } from '../../../../shared/fleet/catalogs/catalog-service.ts';
import { processCompileJob } from '../../../../shared/fleet/compiles/process-compile-job.ts';
import { DependencyCache } from '../../../../shared/fleet/dependencies/dependency-cache.ts';
import { SnapshotCache } from '../../../../shared/fleet/snapshots/snapshot-cache.ts';
import { type CompileRequest, compile } from '../../../../shared/puppet/compiler/compile.ts';
import { CompileWorld, catalogOf, checkIn } from '../../../helpers/compile-world.ts';

/** Jobs with the real compiler: what it reads is what makes it compile again, and nothing else. */
const [WEB, DB, PLAIN] = ['web.example.com', 'db.example.com', 'plain.example.com'] as const;
const NODES = [WEB, DB, PLAIN];
const FILES = {
  'environment.conf': 'modulepath = site:modules\n',
  'hiera.yaml': `---
version: 5
defaults: { datadir: data, data_hash: yaml_data }
hierarchy:
  - { name: node, path: "nodes/%{trusted.certname}.yaml" }
  - { name: os, path: "os/%{facts.os.family}.yaml" }
  - { name: common, path: common.yaml }
`,
  'data/common.yaml': 'site::motto: common\n',
  'manifests/site.pp': `
node 'web.example.com' { include site::web }
node 'db.example.com' { include site::db }
node default { include used notify { "plain \${facts['kernel']}": } }
`,
  'site/site/manifests/init.pp': `class site(String $motto) { notify { "motto \${motto}": } }`,
  'site/site/manifests/web.pp': `class site::web {
  include site
  @@notify { $facts['fqdn']: message => $facts['ip'], tag => 'web' }
  notify { file('site/page.bin'): }
}`,
  'site/site/manifests/db.pp': `class site::db { Notify <<| tag == 'web' |>> }`,
  'site/site/files/page.bin': 'page one',
  'site/used': 'no folder',
  'modules/used/manifests/init.pp': 'class used { }',
};
const facts = { kernel: 'Linux', fqdn: WEB, ip: '10.0.0.1', os: { family: 'Debian' }, uptime: 1 };

let world: CompileWorld;
beforeEach(async () => {
  world = new CompileWorld(undefined, compile);
  write(FILES);
  await world.deploy();
  for (const certname of NODES) await world.run(checkIn(certname, facts));
  await world.runJobs();
});
afterEach(() => world.close());

function write(files: Readonly<Record<string, string | null>>): void {
  world.write(
    Object.fromEntries(Object.entries(files).map(([path, text]) => [`environments/production/${path}`, text])),
  );
}

const compiles = async () =>
  Promise.all(NODES.map(async (certname) => (await world.stores.nodes.get(certname))?.compiles ?? 0));

/** How often each node was compiled because of `change`. */
async function compiledBy(change: () => Promise<unknown>): Promise<readonly number[]> {
  const before = await compiles();
  await change();
  await world.runJobs();
  return (await compiles()).map((count, index) => count - (before[index] ?? 0));
}

const deploy = (files: Readonly<Record<string, string | null>>) => () => {
  write(files);
  return world.deploy();
};
const run = (request: CheckIn) => () => world.run(request);

it('compiles each node once to begin with', async () => {
  expect(await compiles()).toEqual([1, 1, 1]);
  for (const certname of NODES) {
    expect(await world.stores.nodes.get(certname)).toMatchObject({ failure: null, inputs: { volatile: [] } });
  }
  const titles = JSON.stringify(catalogOf(await answerCheckIn(world.createService(), checkIn(WEB, facts))));
  expect(titles).toContain('motto common');
  expect(titles).toContain('page one');
  expect(JSON.stringify(catalogOf(await answerCheckIn(world.createService(), checkIn(DB, facts))))).toContain(
    '10.0.0.1',
  );
});

it('invalidates nobody for other keys, and verifies a node where the data file is not loaded yet', async () => {
  const hiera = FILES['hiera.yaml'].replace('path: common.yaml', 'path: common.data');
  await deploy({ 'hiera.yaml': hiera, 'data/common.data': 'site::motto: common\n' })();
  await world.runJobs();
  const { nodes } = await deploy({ 'data/common.data': 'other: 1\nsite::motto: common\n' })();
  expect([nodes, await world.stores.queue.receive(1, 0)]).toEqual([[], []]);
  const wanted = (await world.stores.nodes.want(WEB, 'x', 1, { asked: true }))?.wanted ?? 0;
  const { blobs } = world.stores;
  const caches = { snapshots: new SnapshotCache(blobs), dependencies: new DependencyCache(blobs) };
  const job = { certname: WEB, generation: wanted, reason: 'x', at: 1 };
  const report = await processCompileJob(job, { ...world.context, ...caches });
  expect(report).toMatchObject({ certname: WEB, outcome: 'verified' });
  expect(await compiledBy(deploy({ 'data/common.data': 'site::motto: other\n' }))).toEqual([1, 0, 0]);
  expect((await world.stores.nodes.get(WEB))?.reasons.at(-1)).toBe('environment production deployed');
});

it.each([
  ['a Hiera file that two looked for', { 'data/os/Debian.yaml': 'site::motto: debian\n' }, [1, 0, 0]],
  ['a Hiera file of a node', { [`data/nodes/${WEB}.yaml`]: 'site::motto: own\n' }, [1, 0, 0]],
  ['a Hiera file of a node that uses no data', { [`data/nodes/${PLAIN}.yaml`]: 'x: y\n' }, [0, 0, 0]],
  ['the data that one uses', { 'data/common.yaml': 'site::motto: other\n' }, [1, 0, 0]],
  ['other keys of that data', { 'data/common.yaml': '# all\nother: 1\nsite::motto: common\n' }, [0, 0, 0]],
  [
    'a file that becomes a module with the used name',
    { 'site/used': null, 'site/used/manifests/init.pp': 'class used { notify { "other": } }' },
    [0, 0, 1],
  ],
  ['a class', { 'site/site/manifests/db.pp': 'class site::db { }' }, [0, 1, 0]],
  ['the content of a file', { 'site/site/files/page.bin': 'page two' }, [1, 0, 0]],
  ['a file that nobody reads', { 'site/site/files/other.txt': 'x' }, [0, 0, 0]],
])('a deploy of %s compiles those who read it', async (_, files, expected) => {
  expect(await compiledBy(deploy(files))).toEqual(expected);
});

it.each([
  ['kernel of the plain node', checkIn(PLAIN, { ...facts, kernel: 'Darwin' }), [0, 0, 1]],
  ['kernel of another one', checkIn(DB, { ...facts, kernel: 'Darwin' }), [0, 0, 0]],
  ['uptime', checkIn(WEB, { ...facts, uptime: 2 }), [0, 0, 0]],
  ['os.family, by way of Hiera', checkIn(WEB, { ...facts, os: { family: 'RedHat' } }), [1, 0, 0]],
  ['an exported one, which reaches the collector', checkIn(WEB, { ...facts, ip: '10.0.0.2' }), [1, 1, 0]],
] as const)('a changed fact compiles who read it: %s', async (_, request, expected) => {
  expect(await compiledBy(run(request))).toEqual(expected);
});

it('a worker that starts fetches what the last compile read before it compiles, and starts the compile once', async () => {
  let starts = 0;
  const snapshots = new SnapshotCache(world.stores.blobs);
  const counting = (request: CompileRequest) => {
    starts += 1;
    return compile(request);
  };
  const pages = Object.fromEntries([1, 2, 3].map((page) => [`site/site/files/page${page}.bin`, `page ${page}`]));
  write({
    ...pages,
    'site/site/manifests/web.pp': `class site::web { [1, 2, 3].each |$n| { notify { file("site/page\${n}.bin"): } } }`,
  });
  await world.deploy();
  await world.runJobs();
  write({ 'site/site/files/page2.bin': 'another page 2' });
  await world.deploy();
  const node = await world.stores.nodes.get(WEB);
  const job = { certname: WEB, generation: node?.wanted ?? 0, reason: 'test', at: 1 };
  const report = await processCompileJob(job, { ...world.context, snapshots, compile: counting });
  expect(report).toMatchObject({
    outcome: 'compiled',
    reasons: ['file environments/production/site/site/files/page2.bin changed'],
  });
  expect(starts).toBe(1);
});

it('manifests and data files are parsed once for all compiles, and anew where a deploy changed them', async () => {
  const given: CompileRequest[] = [];
  const shared = new CompileWorld(undefined, (request) => {
    given.push(request);
    return compile(request);
  });
  try {
    shared.write({
      'environments/production/hiera.yaml': 'version: 5',
      'environments/production/manifests/site.pp': `notify { lookup('motto'): }`,
      'environments/production/data/common.yaml': 'motto: one',
    });
    await shared.deploy();
    const answers = [await shared.run(checkIn(WEB)), await shared.run(checkIn(DB))];
    shared.write({ 'environments/production/data/common.yaml': 'motto: two' });
    await shared.deploy();
    answers.push(await shared.run(checkIn(WEB)));
    const caches = given.map(({ parseCache, hieraCache }) => [parseCache, hieraCache]);
    expect(new Set(caches.map(([manifests]) => manifests)).size).toBe(1);
    expect(new Set(caches.flat()).has(undefined)).toBe(false);
    expect(answers.map((answer) => /one|two/.exec(JSON.stringify(catalogOf(answer)))?.[0])).toEqual([
      'one',
      'one',
      'two',
    ]);
  } finally {
    shared.close();
  }
});
