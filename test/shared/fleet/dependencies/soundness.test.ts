import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scanEnvironment } from '../../../../shared/fleet/code/scan-environment.ts';
import { feed } from '../../../../shared/fleet/compiles/ring.ts';
import { verifyFiles } from '../../../../shared/fleet/compiles/verify-files.ts';
import { pathsOf } from '../../../../shared/fleet/dependencies/cut-files.ts';
import { DependencyCache } from '../../../../shared/fleet/dependencies/dependency-cache.ts';
import { compile } from '../../../../shared/puppet/compiler/compile.ts';
import type { Observations } from '../../../../shared/store/ports/dependency-index.ts';
import { CompileWorld, checkIn } from '../../../helpers/compile-world.ts';
import { prepareFolder, previewScanned } from '../../../helpers/deploy-folder.ts';

/** A change of anything that the real compiler looked at is found by a deploy and by a check. */
const NODE = 'web01.example.com';
const ENVIRONMENT = 'environments/production';
const FILES = {
  'environment.conf': 'modulepath = site:modules:$basemodulepath\n',
  'hiera.yaml': `---
version: 5
defaults: { datadir: data, data_hash: yaml_data }
hierarchy:
  - { name: node, path: "nodes/%{trusted.certname}.yaml" }
  - { name: os, path: "os/%{facts.os.family}.yaml" }
  - { name: roles, glob: "roles/*.yaml" }
  - { name: common, path: common.yaml }
`,
  'data/common.yaml': 'web::motto: common\nother: 1\nweb::pages: [one]\n',
  'data/roles/web.yaml': 'web::port: 80\n',
  [`data/nodes/${NODE}.yaml`]: 'web::label: own\n',
  'manifests/site.pp': 'include web\n',
  'modules/web/manifests/init.pp': `class web(String $motto, String $label, Integer $port, Array $pages, String $none = 'x') {
  notify { "\${motto} \${label} \${port} \${web::twice(2)}": message => epp('web/page.epp', { 'port' => $port }) }
  file { '/page': content => file('web/missing.txt', 'web/page.txt') }
  $pages.each |$page| { notify { $page: } }
}`,
  'modules/web/functions/twice.pp': 'function web::twice(Integer $x) { $x * 2 }',
  'modules/web/templates/page.epp': '<%- | $port | -%><%= $port %>',
  'modules/web/files/page.txt': 'page',
  'modules/unused/manifests/init.pp': 'class unused { }',
};

let world: CompileWorld;
beforeEach(async () => {
  world = new CompileWorld(undefined, compile);
  write(FILES);
  await world.deploy();
  expect(await world.run(checkIn(NODE, { os: { family: 'Debian' } }))).toMatchObject({ status: 'current' });
});
afterEach(() => world.close());

function write(files: Readonly<Record<string, string | null>>): void {
  world.write(Object.fromEntries(Object.entries(files).map(([path, text]) => [`${ENVIRONMENT}/${path}`, text])));
}

const pathInRepo = (path: string) => join(world.repo, path);

async function dependencies() {
  const last = (await world.stores.nodes.get(NODE))?.inputs?.dependencies;
  const parts = last && (await world.context.dependencies.load(last.set));
  if (!last || !parts) throw new Error('nothing was recorded');
  return { last, all: [last.own, ...parts.map(({ observations }) => observations)] };
}

/** Whether a deploy of the repo would invalidate the node, and a verification sees a change. */
async function isSeen() {
  const { nodes } = await previewScanned(world.stores, await scanEnvironment(world.repo, 'production'));
  const { codeId } = await prepareFolder(world.stores, world.repo, 'production');
  const open = await world.context.snapshots.open(codeId);
  const context = { ...world.context, dependencies: new DependencyCache(world.stores.blobs) };
  const reasons = await verifyFiles((await dependencies()).last, open, context);
  const isDeployed = codeId !== (await world.stores.environments.get('production'))?.codeId;
  return { isDeployed, invalidated: nodes.includes(NODE), reasons };
}

/** Replaces what is at a path of the repo while `work` runs. */
async function replaced<T>(path: string, put: (place: string) => void, work: () => Promise<T>): Promise<T> {
  const place = pathInRepo(path);
  const before = existsSync(place) && statSync(place).isFile() ? readFileSync(place) : null;
  if (before) rmSync(place);
  const made = mkdirSync(dirname(place), { recursive: true });
  put(place);
  try {
    return await work();
  } finally {
    rmSync(made ?? place, { recursive: true, force: true });
    if (before) writeFileSync(place, before);
  }
}

const MUTATIONS: Readonly<Record<string, (place: string) => void>> = {
  file: (place) => writeFileSync(place, '# mutated\n'),
  nothing: () => undefined,
  folder: (place) => {
    mkdirSync(place);
    writeFileSync(join(place, 'inside'), 'x');
  },
};

const isFile = (path: string) => existsSync(pathInRepo(path)) && statSync(pathInRepo(path)).isFile();
const isThere = (path: string) => existsSync(pathInRepo(path));

/** The mutations of what was looked at, with a trailing slash for a listing. */
function mutationsOf({ contents, kinds }: Observations): readonly (readonly [string, string])[] {
  const ofPath = (path: string, isRead: boolean) => {
    if (path.startsWith('/')) return [];
    if (path.endsWith('/')) return [[`${path}mutated`, 'file'] as const];
    if (isFile(path))
      return (isRead ? ['file', 'nothing', 'folder'] : ['nothing', 'folder']).map((to) => [path, to] as const);
    return isThere(path) ? [] : ['file', 'folder'].map((to) => [path, to] as const);
  };
  return [...contents.flatMap((path) => ofPath(path, true)), ...kinds.flatMap((path) => ofPath(path, false))];
}

it('sees every change of a file, listing or missing path that a compile looked at', async () => {
  const { all } = await dependencies();
  const mutations = all.flatMap(mutationsOf);
  expect(mutations.length).toBeGreaterThan(40);
  const unseen: unknown[] = [];
  const notDeployed: string[] = [];
  for (const [path, to] of mutations) {
    const seen = await replaced(path, MUTATIONS[to] ?? MUTATIONS.nothing ?? (() => undefined), isSeen);
    // Not all paths outside the environment are part of a snapshot.
    if (!seen.isDeployed) notDeployed.push(`${path} ${to}`);
    else if (!seen.invalidated || seen.reasons.length === 0) unseen.push([path, to, seen]);
  }
  expect(unseen).toEqual([]);
  expect(notDeployed).toEqual([
    'data/common.yaml file',
    'data/common.yaml folder',
    'hiera.yaml folder',
    'modules file',
  ]);
});

it('looked at what is expected', async () => {
  const { last, all } = await dependencies();
  const own = `${ENVIRONMENT}/data/nodes/${NODE}.yaml`;
  expect(pathsOf(last.own)).toEqual([own]);
  const keys = Object.assign({}, ...all.map((observations) => observations.keys));
  expect(Object.keys(keys).sort()).toEqual(
    [`${ENVIRONMENT}/data/common.yaml`, own, `${ENVIRONMENT}/data/roles/web.yaml`].sort(),
  );
  const paths = all.flatMap(pathsOf);
  expect(paths).toEqual(
    expect.arrayContaining([
      `${ENVIRONMENT}/data/os/Debian.yaml`,
      `${ENVIRONMENT}/data/roles/`,
      `${ENVIRONMENT}/modules/web/files/missing.txt`,
      `${ENVIRONMENT}/modules/web/templates/page.epp`,
    ]),
  );
  expect(paths.filter((path) => path.startsWith(`${ENVIRONMENT}/modules/unused`))).toEqual([]);
});

describe('a changed file compiles the node for the reason', () => {
  const common = FILES['data/common.yaml'];
  const of = (path: string) => `${ENVIRONMENT}/${path}`;
  it.each([
    ['altered', { 'modules/web/files/page.txt': 'two' }, [`file ${of('modules/web/files/page.txt')} changed`]],
    [
      'created where it was looked for',
      { 'modules/web/files/missing.txt': 'first' },
      [`file ${of('modules/web/files/missing.txt')} appeared`],
    ],
    [
      'of one of its own',
      { [`data/nodes/${NODE}.yaml`]: 'web::label: other\n' },
      [`data web::label of ${of(`data/nodes/${NODE}.yaml`)} changed`],
    ],
    ['listed by a glob', { 'data/roles/a.yaml': 'web::port: 81\n' }, [`file ${of('data/roles/')} changed`]],
    [
      'with a changed key',
      { 'data/common.yaml': common.replace('common', 'other') },
      [`data web::motto of ${of('data/common.yaml')} changed`],
    ],
    [
      'with an added key',
      { 'data/common.yaml': `${common}web::none: y\n` },
      [`data web::none of ${of('data/common.yaml')} appeared`],
    ],
  ])('%s', async (_, files, reasons) => {
    write(files);
    expect((await world.deploy()).nodes).toEqual([NODE]);
    expect(await world.runJobs()).toMatchObject([{ outcome: 'compiled', changed: true, reasons }]);
  });

  it('with a removed key', async () => {
    write({ 'data/common.yaml': common.replace('web::pages: [one]\n', '') });
    expect((await world.deploy()).nodes).toEqual([NODE]);
    expect(await world.runJobs()).toMatchObject([
      { outcome: 'failed', reasons: [`data web::pages of ${of('data/common.yaml')} disappeared`] },
    ]);
  });

  it('deleted', async () => {
    write({ 'data/roles/web.yaml': null });
    expect((await world.deploy()).nodes).toEqual([NODE]);
    expect(await world.runJobs()).toMatchObject([{ outcome: 'failed' }]);
  });

  it('also when the code of the last compile is pruned, in other words', async () => {
    const { last } = await dependencies();
    write({ 'modules/web/files/page.txt': 'two' });
    await world.deploy();
    await world.stores.blobs.delete(`snapshots/${last.codeId}`);
    expect(await world.runJobs()).toMatchObject([{ outcome: 'compiled', reasons: ['files changed'] }]);
  });
});

it.each([
  ['another key', { 'data/common.yaml': `${FILES['data/common.yaml'].replace('other: 1', 'other: 2')}# x\n` }],
  ['a file that was not read', { 'modules/unused/manifests/init.pp': 'class unused { notify { x: } }' }],
  ['the data of another node', { 'data/nodes/web02.example.com.yaml': 'web::label: x\n' }],
])('invalidates nobody for %s', async (_, files) => {
  write(files);
  expect((await world.deploy()).nodes).toEqual([]);
  expect(await world.runJobs()).toEqual([]);
});

it('deletes a set that no node has any more, two hours later', async () => {
  const { stores } = world;
  const blobOf = async () => `dependencies/${(await dependencies()).last.set}`;
  const old = await blobOf();
  write({
    'modules/web/functions/twice.pp': 'function web::twice(Integer $x) { file("web/new.txt", "web/page.txt") }',
  });
  await world.deploy();
  expect(await world.runJobs()).toMatchObject([{ outcome: 'compiled' }]);
  const current = await blobOf();
  const there = () => Promise.all([old, current].map((key) => stores.blobs.has(key)));
  await feed(stores);
  expect(await there()).toEqual([true, true]);
  await feed({ ...stores, clock: { ...stores.clock, now: () => stores.clock.now() + 2 * 3600_000 } });
  expect(await there()).toEqual([false, true]);
  write({ 'modules/web/files/new.txt': 'new' });
  expect((await world.deploy()).nodes).toEqual([NODE]);
});

describe('a change of lookup_options', () => {
  const OTHER = 'db01.example.com';
  const withOptions = (motto: string, pages: string) =>
    `${FILES['data/common.yaml']}db::name: x\nlookup_options:\n  web::motto: {merge: ${motto}}\n  "^db::": {merge: ${pages}}\n`;

  it('compiles only the nodes that looked up a key with other options', async () => {
    write({
      'data/common.yaml': withOptions('first', 'first'),
      'manifests/site.pp': `node 'web01.example.com' { include web }\nnode default { notify { lookup('db::name'): } }\n`,
    });
    await world.deploy();
    await world.runJobs();
    await world.run(checkIn(OTHER, {}));
    const path = `${ENVIRONMENT}/data/common.yaml`;
    write({ 'data/common.yaml': withOptions('unique', 'first') });
    expect((await world.deploy()).nodes).toEqual([NODE]);
    expect(await world.runJobs()).toMatchObject([
      { certname: NODE, reasons: [`data lookup_options[web::motto] of ${path} changed`] },
    ]);
    write({ 'data/common.yaml': withOptions('unique', 'unique') });
    expect((await world.deploy()).nodes).toEqual([OTHER]);
    expect(await world.runJobs()).toMatchObject([
      { certname: OTHER, reasons: [`data lookup_options[db::name] of ${path} changed`] },
    ]);
  });
});
