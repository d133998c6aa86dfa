import { createHash } from 'node:crypto';
import { chmodSync, cpSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { changePolicy } from '../../../../shared/fleet/code/environment-strictness.ts';
import { compile } from '../../../../shared/puppet/compiler/compile.ts';
import { CompileWorld, catalogOf, checkIn } from '../../../helpers/compile-world.ts';

/** More than the bytes that short checksums read. */
const LONG = 'one\n'.repeat(200);
const NODE = 'web.example.com';
const CODE = '/etc/puppetlabs/code/environments/production';
let world: CompileWorld;

function digest(type: string, text: string): string {
  return `{${type}}${createHash(type).update(text).digest('hex')}`;
}

async function use(manifest: string, files: Readonly<Record<string, string | null>> = {}): Promise<void> {
  const inEnvironment = Object.entries(files).map(([path, text]) => [`environments/production/${path}`, text]);
  world.write({ 'environments/production/manifests/site.pp': manifest, ...Object.fromEntries(inEnvironment) });
  await world.deploy();
  await world.runJobs();
}

async function statically(checksumType: string | null = 'sha256') {
  return catalogOf(await world.run(checkIn(NODE, {}, { checksumType })));
}

beforeEach(() => {
  world = new CompileWorld(undefined, compile);
});
afterEach(() => world.close());

const ONE_USED = "file { '/tmp/one': source => 'puppet:///modules/web/one.txt', source_permissions => use }";
const TREE_USED =
  "file { '/tmp/t': source => 'puppet:///modules/web/tree', recurse => true, source_permissions => use }";
const ONE = "file { '/tmp/one': source => 'puppet:///modules/web/one.txt' }";

describe('a file of a module', () => {
  it('has its metadata inlined, in the form of Puppet', async () => {
    await use(ONE, { 'modules/web/files/one.txt': 'one\n' });
    const catalog = await statically();
    expect(JSON.stringify(catalog.metadata)).toBe(
      JSON.stringify({
        '/tmp/one': {
          path: `${CODE}/modules/web/files/one.txt`,
          relative_path: null,
          links: 'manage',
          owner: 0,
          group: 0,
          mode: 0o644,
          checksum: { type: 'sha256', value: digest('sha256', 'one\n') },
          type: 'file',
          destination: null,
          content_uri: 'puppet:///modules/web/files/one.txt',
          source: 'puppet:///modules/web/one.txt',
        },
      }),
    );
    expect(catalog.code_id).toBe((await world.stores.environments.get('production'))?.codeId);
    expect(catalog).not.toHaveProperty('recursive_metadata');
  });

  it('leaves the catalog of an agent that asks for none as it is, and compiles nothing more for it', async () => {
    await use(ONE, { 'modules/web/files/one.txt': 'one\n' });
    await statically();
    const plain = await statically(null);
    expect(plain).not.toHaveProperty('metadata');
    expect((await statically()).metadata).toHaveProperty('/tmp/one');
    expect(await world.stores.nodes.get(NODE)).toMatchObject({ compiles: 1, wanted: 1 });
    expect((await statically(null)).catalog_uuid).toBe(plain.catalog_uuid);
  });

  it.each([
    ['a file', ONE_USED, 'one.txt', [1, 2]],
    ['a file in a recursed folder', TREE_USED, 'tree/two.txt', [1, 2]],
    ['a recursed folder', TREE_USED, 'tree/sub', [1, 2]],
    ['a file whose mode the agent does not get', ONE, 'one.txt', [1, 1]],
    ['a file that is not used', ONE_USED, 'other.txt', [1, 1]],
  ])('has its mode as an input: %s', async (_, manifest, path, compiles) => {
    const files = ['one.txt', 'other.txt', 'tree/two.txt', 'tree/sub/three.txt'];
    await use(manifest, Object.fromEntries(files.map((file) => [`modules/web/files/${file}`, 'x'])));
    const before = await statically();
    const first = (await world.stores.nodes.get(NODE))?.compiles;
    chmodSync(join(world.repo, 'environments/production/modules/web/files', path), 0o750);
    await use(manifest);
    const after = await statically();
    expect([first, (await world.stores.nodes.get(NODE))?.compiles]).toEqual(compiles);
    expect(JSON.stringify(after).includes(`"mode":${0o750}`)).toBe(compiles[1] === 2);
    if (compiles[1] === 1) expect(after).toEqual(before);
  });

  it.each([
    ['the file', 'modules/web/files/one.txt', 2],
    ['its folder', 'modules/web/files', 2],
    ['its module', 'modules/web', 2],
    ['the folder of the modules', 'modules', 2],
    ['a file of another module', 'modules/other/x', 1],
  ])('has no metadata inlined any more when this becomes a link to equal content: %s', async (_, path, compiles) => {
    await use(ONE, { 'modules/web/files/one.txt': 'one\n', 'modules/other/x': 'x' });
    expect(await statically()).toHaveProperty('metadata');
    const place = join(world.repo, 'environments/production', path);
    cpSync(place, join(world.repo, 'elsewhere'), { recursive: true });
    rmSync(place, { recursive: true });
    symlinkSync(join(world.repo, 'elsewhere'), place);
    await use(ONE);
    expect('metadata' in (await statically())).toBe(compiles === 1);
    expect(await world.stores.nodes.get(NODE)).toMatchObject({ compiles });
    rmSync(place);
    cpSync(join(world.repo, 'elsewhere'), place, { recursive: true });
    await use(ONE);
    expect(await statically()).toHaveProperty('metadata');
  });

  it('is an input: a catalog goes out of date when the content changes, and keeps the code id that has the old one', async () => {
    await use(ONE, { 'modules/web/files/one.txt': 'one\n', 'modules/web/files/other.txt': 'x' });
    const before = await statically();
    await use(ONE, { 'modules/web/files/other.txt': 'y' });
    const same = await statically();
    expect(same).toEqual(before);
    expect(await world.stores.nodes.get(NODE)).toMatchObject({ compiles: 1, wanted: 1 });
    await use(ONE, { 'modules/web/files/one.txt': 'two\n' });
    const after = await statically();
    expect(after.metadata).toMatchObject({ '/tmp/one': { checksum: { value: digest('sha256', 'two\n') } } });
    expect(after.code_id).not.toBe(before.code_id);
    const { codeId, history } = (await world.stores.environments.get('production')) ?? { history: [] };
    expect([after.code_id, before.code_id]).toEqual([codeId, history.at(-1)?.codeId]);
  });

  it('is compiled once more for an agent with other checksums; then both kinds are served', async () => {
    await use(ONE, { 'modules/web/files/one.txt': 'one\n' });
    await statically();
    const md5 = await statically('md5');
    expect(md5.metadata).toMatchObject({ '/tmp/one': { checksum: { type: 'md5', value: digest('md5', 'one\n') } } });
    expect((await statically('sha256')).metadata).toMatchObject({ '/tmp/one': { checksum: { type: 'sha256' } } });
    expect(await world.stores.nodes.get(NODE)).toMatchObject({
      compiles: 2,
      reasons: ['first catalog', 'checksum type md5'],
    });
  });

  it.each([
    ['openvox-8', 'etag', 'md5', LONG],
    ['openvox-9', 'etag', 'md5', LONG],
    ['puppet-8', 'sha1lite', 'sha1', LONG.slice(0, 512)],
    ['openvox-8', 'md5lite', 'md5', LONG.slice(0, 512)],
  ] as const)(
    'has at %s the checksum %s when agent or resource asks for it',
    async (language, type, digest, hashed) => {
      const other = `file { '/tmp/two': checksum => ${type}, source => 'puppet:///modules/web/one.txt' }`;
      await use(`${ONE} ${other}`, { 'modules/web/files/one.txt': LONG });
      await changePolicy(world.stores, 'environments/production', { language });
      const checksum = { type, value: `{${type}}${createHash(digest).update(hashed).digest('hex')}` };
      const asked = await statically(type);
      expect(asked.metadata).toMatchObject({ '/tmp/one': { checksum }, '/tmp/two': { checksum } });
      const usual = await statically();
      expect(usual.metadata).toMatchObject({ '/tmp/one': { checksum: { type: 'sha256' } }, '/tmp/two': { checksum } });
      expect(asked.code_id).toBe((await world.stores.environments.get('production'))?.codeId);
    },
  );

  it('has no etag at the level of Puppet 8, which does not know it', async () => {
    const other = "file { '/tmp/two': checksum => etag, source => 'puppet:///modules/web/one.txt' }";
    await use(`${ONE} ${other}`, { 'modules/web/files/one.txt': LONG });
    await changePolicy(world.stores, 'environments/production', { language: 'puppet-8' });
    expect(await statically('etag')).not.toHaveProperty('metadata');
    expect(Object.keys((await statically()).metadata as object)).toEqual(['/tmp/one']);
  });

  it('is made anew when the form that an agent needs is lost', async () => {
    await use(ONE, { 'modules/web/files/one.txt': 'one\n' });
    const before = await statically();
    const node = await world.stores.nodes.get(NODE);
    await world.stores.blobs.delete(`catalogs/${node?.catalog?.static?.sha256}`);
    expect((await statically()).metadata).toEqual(before.metadata);
    expect(await world.stores.nodes.get(NODE)).toMatchObject({ compiles: 2 });
  });
});

it('inlines folders, level by level, without what is ignored', async () => {
  await use(
    "file { '/tmp/t': ensure => directory, recurse => true, ignore => '*.bak', source => ['puppet:///modules/web/none', 'puppet:///modules/web/tree'] }",
    {
      'modules/web/files/tree/a': 'a',
      'modules/web/files/tree/a.bak': 'a',
      'modules/web/files/tree/sub/b': 'b',
    },
  );
  const { recursive_metadata: recursive } = (await statically()) as {
    recursive_metadata: Record<string, Record<string, { relative_path: string; content_uri: string; type: string }[]>>;
  };
  expect(Object.keys(recursive)).toEqual(['/tmp/t']);
  expect(Object.keys(recursive['/tmp/t'] ?? {})).toEqual(['puppet:///modules/web/tree']);
  const listed = recursive['/tmp/t']?.['puppet:///modules/web/tree'] ?? [];
  expect(listed.map(({ relative_path, content_uri, type }) => [relative_path, content_uri, type])).toEqual([
    ['.', 'puppet:///modules/web/files/tree', 'directory'],
    ['a', 'puppet:///modules/web/files/tree/a', 'file'],
    ['sub', 'puppet:///modules/web/files/tree/sub', 'directory'],
    ['sub/b', 'puppet:///modules/web/files/tree/sub/b', 'file'],
  ]);
  world.write({ 'environments/production/modules/web/files/tree/c': 'c' });
  await world.deploy();
  expect(await world.stores.nodes.get(NODE)).toMatchObject({ wanted: 2, built: 1 });
});

it.each([
  ['a resource that is to be absent', "ensure => absent, source => 'puppet:///modules/web/one.txt'"],
  ['another scheme', "source => '/etc/hosts'"],
  ['another server', "source => 'puppet://other.example.com/modules/web/one.txt'"],
  ['another mount', "source => 'puppet:///private/one.txt'"],
  ['a time for a checksum', "checksum => mtime, source => 'puppet:///modules/web/one.txt'"],
  ['a file of a shared module', "source => 'puppet:///modules/shared/one.txt'"],
  ['a file that is not there', "source => 'puppet:///modules/web/none'"],
  ['more files than allowed', "recurse => true, max_files => 1, source => 'puppet:///modules/web/tree'"],
])('leaves %s to the agent', async (_, parameters) => {
  world.write({ 'modules/shared/files/one.txt': 'shared' });
  await use(`file { '/tmp/one': ${parameters} }`, {
    'modules/web/files/one.txt': 'one\n',
    'modules/web/files/tree/a': 'a',
    'modules/web/files/tree/b': 'b',
  });
  const catalog = await statically();
  expect(catalog).not.toHaveProperty('metadata');
  expect(catalog).not.toHaveProperty('recursive_metadata');
});

it('compiles again when a file appears that was looked for in vain', async () => {
  await use(ONE, { 'modules/web/files/other.txt': 'x' });
  expect(await statically()).not.toHaveProperty('metadata');
  await use(ONE, { 'modules/web/files/one.txt': 'one\n' });
  expect((await statically()).metadata).toHaveProperty('/tmp/one');
});

it('is off where environment.conf says so', async () => {
  await use(ONE, { 'modules/web/files/one.txt': 'one\n', 'environment.conf': 'static_catalogs = false\n' });
  expect(await statically()).not.toHaveProperty('metadata');
});
