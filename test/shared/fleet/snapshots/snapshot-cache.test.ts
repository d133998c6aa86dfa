import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { snapshotBlob } from '../../../../shared/fleet/snapshots/snapshot-blobs.ts';
import {
  ContentMissing,
  type OpenSnapshot,
  SnapshotCache,
  type SnapshotCacheOptions,
} from '../../../../shared/fleet/snapshots/snapshot-cache.ts';
import { SERVED_CODE_DIRECTORY } from '../../../../shared/puppet/environment/snapshot.ts';
import { FolderCache } from '../../../../shared/store/embedded/folder-cache.ts';
import type { BlobStore } from '../../../../shared/store/ports/blob-store.ts';
import { digestSha256 } from '../../../../shared/util/digest.ts';
import { CompileWorld } from '../../../helpers/compile-world.ts';
import { deployFolder } from '../../../helpers/deploy-folder.ts';

const CODE = 'environments/production';
const MANIFESTS = Array.from({ length: 9 }, (_, index) => `modules/web/manifests/part${index}.pp`);
const FILES = Array.from({ length: 9 }, (_, index) => `modules/web/files/page${index}.txt`);
const OTHERS = ['modules/db/manifests/init.pp', 'modules/db/files/a', 'modules/db/files/b', 'data/common.yaml'];
const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
afterAll(() => warn.mockRestore());

let world: CompileWorld;
let read: string[];
let codeId: string;
beforeEach(async () => {
  warn.mockClear();
  world = new CompileWorld();
  read = [];
  write([...MANIFESTS, ...FILES, ...OTHERS]);
  ({ codeId } = await deploy());
});
afterEach(() => world.close());

function write(paths: readonly string[], text = ''): void {
  world.write(Object.fromEntries(paths.map((path) => [`${CODE}/${path}`, `${path} ${text}\n`])));
}

const deploy = (environment = 'production') => deployFolder(world.stores, world.repo, environment, 'test');

/** A cold worker's cache; `read` gets the keys of the blobs that it reads. */
function createCache(options?: SnapshotCacheOptions): SnapshotCache {
  const blobs: BlobStore = new Proxy(world.stores.blobs, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name, target);
      if (typeof method !== 'function') return method;
      return (key: string, ...more: readonly unknown[]) => {
        if (name === 'get') read.push(key.replace(/(?<=\/).*/, ''));
        return method.apply(target, [key, ...more]);
      };
    },
  });
  return new SnapshotCache(blobs, options);
}

function textOf({ tree }: OpenSnapshot, path: string): string | null {
  return tree.readText(`${SERVED_CODE_DIRECTORY}/${CODE}/${path}`);
}

/** Reads files like a compile, which restarts when content is missing. Returns the restarts. */
async function readAll(cache: SnapshotCache, open: OpenSnapshot, paths: readonly string[]): Promise<number> {
  for (let restarts = 0; ; restarts += 1) {
    try {
      for (const path of paths) expect(textOf(open, path)).toMatch(path);
      return restarts;
    } catch (error) {
      if (!(error instanceof ContentMissing)) throw error;
      await cache.fetch(open, error.sha256);
    }
  }
}

const keysBelow = async (prefix: string) => {
  const { entries } = await world.stores.blobs.list(prefix);
  return entries.map(({ key }) => key);
};

const cutShort = async (key: string) => {
  const bytes = (await world.stores.blobs.get(key)) ?? new Uint8Array();
  await world.stores.blobs.put(key, bytes.subarray(0, bytes.length - 2));
};

describe('a cold worker', () => {
  it('reads the manifest, the types, and a pack for many files', async () => {
    const open = await createCache().open(codeId);
    expect(read.sort()).toEqual(['files/', 'packs/', 'snapshots/', 'snapshots/']);
    for (const path of [...MANIFESTS, 'data/common.yaml']) expect(textOf(open, path)).toBe(`${path} \n`);
  });

  it('reads the files that a compile lacks together, with one restart', async () => {
    const cache = createCache();
    const open = await cache.open(codeId);
    read = [];
    expect(await readAll(cache, open, FILES)).toBe(1);
    expect(read).toEqual(['packs/']);
  });

  it('reads odd files of the environment itself together, with one restart', async () => {
    const keys = ['keys/a.pem', 'keys/b.pem', 'keys/c.pem'];
    write(keys);
    const cache = createCache();
    const open = await cache.open((await deploy()).codeId);
    read = [];
    expect(await readAll(cache, open, keys)).toBe(1);
    expect(read).toEqual(['files/', 'files/', 'files/']);
  });

  it('reads the files of the last compile together, without a restart', async () => {
    const cache = createCache();
    const open = await cache.open(codeId);
    read = [];
    await cache.prefetch(
      open,
      [...FILES, 'no/such/file'].map((path) => `${CODE}/${path}`),
    );
    expect(await readAll(cache, open, FILES)).toBe(0);
    expect(read).toEqual(['packs/']);
  });

  it('opens a snapshot once for all who ask for it at a time', async () => {
    const cache = createCache();
    const [one, other] = await Promise.all([cache.open(codeId), cache.open(codeId)]);
    expect(one).toBe(other);
    expect(read).toHaveLength(4);
  });
});

describe('a warm worker', () => {
  it('reads one file after a deploy of one changed line', async () => {
    const cache = createCache();
    await cache.open(codeId);
    write(MANIFESTS.slice(0, 1), 'changed');
    const next = await deploy();
    read = [];
    const open = await cache.open(next.codeId);
    expect(read.sort()).toEqual(['files/', 'snapshots/', 'snapshots/']);
    expect(textOf(open, MANIFESTS[0] ?? '')).toBe(`${MANIFESTS[0]} changed\n`);
  });

  it('counts equal contents of several snapshots once', async () => {
    const cache = createCache();
    await cache.open(codeId);
    const { bytes } = cache;
    write(['data/other.yaml']);
    await cache.open((await deploy()).codeId);
    const perFile = 600;
    const files = MANIFESTS.length + FILES.length + OTHERS.length + 1;
    expect(cache.bytes - bytes).toBe('data/other.yaml \n'.length + files * perFile);
  });

  it('evicts the least recently used snapshots by their bytes, and never the one in use', async () => {
    const [large, ids] = ['x'.repeat(100_000), [] as string[]];
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
      world.write({ [`environments/${name}/manifests/site.pp`]: `# ${name} ${large}` });
      ids.push((await deploy(name)).codeId);
    }
    const cache = createCache({ bytes: 350_000 });
    for (const id of ids) await cache.open(id);
    expect(cache.bytes).toBeLessThan(350_000);
    await cache.open(ids[3] ?? '');
    read = [];
    for (const id of [ids[5], ids[3], ids[4]]) await cache.open(id ?? '');
    expect(read).toEqual([]);
    await cache.open(ids[0] ?? '');
    expect(read.length).toBeGreaterThan(0);
    read = [];
    await cache.open(ids[5] ?? '');
    expect(read.length).toBeGreaterThan(0);
    const small = createCache({ bytes: 10 });
    const open = await small.open(codeId);
    expect(textOf(open, 'data/common.yaml')).toBe('data/common.yaml \n');
  });
});

describe('a missing pack', () => {
  it('is made up for by the files, counted and logged, and stored again by the next deploy', async () => {
    const packs = await keysBelow('packs/');
    for (const key of packs) await world.stores.blobs.delete(key);
    const cache = createCache();
    const open = await cache.open(codeId);
    expect(await readAll(cache, open, [...MANIFESTS, ...FILES])).toBe(1);
    expect(cache.takeMissingPacks()).toBe(2);
    expect(warn.mock.calls[0]?.[0]).toMatch(/^Blob packs\/[0-9a-f]{64} is missing: its files are read one by one$/);
    expect(await deploy()).toMatchObject({ codeId, changed: false });
    expect((await keysBelow('packs/')).sort()).toEqual(packs.sort());
  });

  it('is the same as a damaged one', async () => {
    for (const key of await keysBelow('packs/')) await cutShort(key);
    const cache = createCache();
    expect(await readAll(cache, await cache.open(codeId), MANIFESTS)).toBe(0);
    expect(cache.takeMissingPacks()).toBe(1);
    expect(warn.mock.calls[0]?.[0]).toMatch(
      /^Blob packs\/[0-9a-f]{64} is damaged and counts as missing: its content does not have the digest in its name$/,
    );
  });
});

describe('damage', () => {
  const sha256 = digestSha256('data/common.yaml \n');
  const open = () => createCache().open(codeId);

  it.each([
    ['damaged', () => cutShort(`files/${sha256}`)],
    ['missing', () => world.stores.blobs.delete(`files/${sha256}`)],
  ])('of a file is an error of the store until the next deploy: %s', async (what, damage) => {
    await damage();
    await expect(open()).rejects.toThrow(`blob files/${sha256} is ${what}: deploy its environment again`);
    expect(await keysBelow('damaged/')).toEqual([`damaged/${sha256}`]);
    expect(await deploy()).toMatchObject({ codeId, changed: false });
    expect(await keysBelow('damaged/')).toEqual([]);
    expect(textOf(await open(), 'data/common.yaml')).toBe('data/common.yaml \n');
  });

  it('of a file is healed by a deploy of other code with that file', async () => {
    await cutShort(`files/${sha256}`);
    await expect(open()).rejects.toThrow(`blob files/${sha256} is damaged`);
    write(['data/other.yaml']);
    await deploy();
    expect(textOf(await open(), 'data/common.yaml')).toBe('data/common.yaml \n');
  });

  it('of a manifest is healed by a deploy of the same code', async () => {
    await cutShort(snapshotBlob(codeId));
    await expect(open()).rejects.toThrow(`blob snapshots/${codeId} is damaged`);
    await deploy();
    expect(textOf(await open(), 'data/common.yaml')).toBe('data/common.yaml \n');
  });

  it('of a manifest does not keep other code from being deployed', async () => {
    await cutShort(snapshotBlob(codeId));
    write(['data/other.yaml']);
    await deploy();
  });
});

describe('packs on disk', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'understudy-kept-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const openKept = () => createCache({ kept: new FolderCache(folder) }).open(codeId);

  it('are not read from the store by the next process', async () => {
    await openKept();
    read = [];
    const open = await openKept();
    expect(read.sort()).toEqual(['files/', 'snapshots/', 'snapshots/']);
    expect(textOf(open, MANIFESTS[0] ?? '')).toBe(`${MANIFESTS[0]} \n`);
  });

  it('are not trusted', async () => {
    await openKept();
    for (const name of readdirSync(folder)) writeFileSync(join(folder, name), 'something else');
    read = [];
    const open = await openKept();
    expect(read).toContain('packs/');
    expect(textOf(open, MANIFESTS[0] ?? '')).toBe(`${MANIFESTS[0]} \n`);
  });
});
