import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { catalogBlob, putCatalog } from '../../../../shared/fleet/catalogs/catalog-blob.ts';
import { codeHistory, rollBack } from '../../../../shared/fleet/code/code-history.ts';
import { withPruneLock, withUploadLock } from '../../../../shared/fleet/code/code-lock.ts';
import { prune, type Retention } from '../../../../shared/fleet/code/prune.ts';
import { type PruneCodeOptions, pruneCode } from '../../../../shared/fleet/code/prune-code.ts';
import { purgeNode } from '../../../../shared/fleet/code/purge-node.ts';
import { scanCatalogs } from '../../../../shared/fleet/code/scan-catalogs.ts';
import { findReport, listReports, storeReport } from '../../../../shared/fleet/reports/node-reports.ts';
import { packBlob } from '../../../../shared/fleet/snapshots/pack-file.ts';
import { getLeavingBlobKey, snapshotBlob } from '../../../../shared/fleet/snapshots/snapshot-blobs.ts';
import { loadSnapshot } from '../../../../shared/fleet/snapshots/snapshot-cache.ts';
import { loadManifest } from '../../../../shared/fleet/snapshots/snapshot-manifest.ts';
import { markDamaged } from '../../../../shared/fleet/snapshots/stored-content.ts';
import { compile } from '../../../../shared/puppet/compiler/compile.ts';
import { listPages } from '../../../../shared/store/list-pages.ts';
import type { BlobStore } from '../../../../shared/store/ports/blob-store.ts';
import type { Clock } from '../../../../shared/store/ports/clock.ts';
import type { InputSummary } from '../../../../shared/store/ports/node-record.ts';
import type { Stores } from '../../../../shared/store/ports/stores.ts';
import { systemClock } from '../../../../shared/store/system-clock.ts';
import { CompileWorld, catalogOf, checkIn } from '../../../helpers/compile-world.ts';
import { deployFolder } from '../../../helpers/deploy-folder.ts';
import { intercept } from '../../../helpers/intercept.ts';
import { LaterClock } from '../../../helpers/later-clock.ts';
import { ManualClock } from '../../../helpers/memory-stores.ts';
import { NO_INPUTS } from '../../../helpers/no-inputs.ts';
import { describeStores } from '../../../helpers/store-implementations.ts';

const NODE = 'web.example.com';
const HOUR = 3600_000;
const DAY = 24 * HOUR;
const INPUTS: InputSummary = {
  ...NO_INPUTS,
  dependencies: { set: 'none', membership: '', own: { contents: [], kinds: [], keys: {} }, states: '', codeId: null },
};
const ALL: PruneCodeOptions = { historyKept: 0, keptMs: 0, dryRun: false };

async function keysBelow(blobs: BlobStore, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const entries of listPages(blobs, prefix)) keys.push(...entries.map(({ key }) => key));
  return keys.sort();
}

/** Marks what nothing needs, and takes away what was marked. */
async function pruneTwice(stores: Stores, options: PruneCodeOptions = ALL) {
  await pruneCode(stores, options);
  return pruneCode(stores, options);
}

describe('the scan of catalogs', () => {
  const NODES = 600;

  async function withNodes(work: (world: CompileWorld, clock: LaterClock) => Promise<void>): Promise<void> {
    const clock = new LaterClock();
    const world = new CompileWorld(clock);
    world.write({ 'environments/production/manifests/site.pp': '' });
    await world.deploy();
    try {
      for (let index = 0; index < NODES; index += 1) {
        const certname = `n${index}.example.com`;
        await world.stores.nodes.markSeen(certname, 'production', clock.now());
        await world.stores.nodes.want(certname, 'first catalog', clock.now(), { asked: true });
        const codeId = index.toString(16).padStart(64, '0');
        const hash = codeId.split('').reverse().join('');
        await world.stores.nodes.commit({
          ...{ certname, generation: 1, failure: null, at: clock.now(), inputs: INPUTS },
          catalog: { hash, codeId, namedCode: [], compiledAt: 0, durationMs: 0, exported: '' },
        });
      }
      await work(world, clock);
    } finally {
      world.close();
    }
  }

  it('continues where it was interrupted, and then knows no hashes', () =>
    withNodes(async ({ stores }) => {
      let pages = 0;
      const nodes = intercept(stores.nodes, {
        listCatalogs: (after, limit) => {
          pages += 1;
          return stores.nodes.listCatalogs(after, limit);
        },
      });
      expect(await scanCatalogs({ ...stores, nodes }, false, () => true)).toBeNull();
      expect(pages).toBe(1);
      const scan = await scanCatalogs({ ...stores, nodes }, false, () => false);
      expect([scan?.codeIds.size, scan?.hashes, pages]).toEqual([NODES, null, 3]);
      const next = await scanCatalogs(stores, false, () => false);
      expect([next?.codeIds.size, next?.hashes?.size]).toEqual([NODES, expect.any(Number)]);
    }));

  it('deletes catalogs that no node has, one quarter at a time', () =>
    withNodes(async ({ stores }, clock) => {
      const used = (await scanCatalogs(stores, true, () => false))?.hashes ?? new Set();
      for (const hash of used) await stores.blobs.put(`catalogs/${hash}`, new Uint8Array());
      const unused = [...'0123456789abcdef'].map((digit) => digit + 'e'.repeat(63));
      for (const hash of unused) await stores.blobs.put(`catalogs/${hash}`, new Uint8Array());
      expect(await pruneCode(stores, ALL)).toMatchObject({ catalogs: 0 });
      clock.passed += 8 * DAY;
      expect(await pruneCode(stores, { ...ALL, dryRun: true })).toMatchObject({ catalogs: 4 });
      let deleted = 0;
      for (let turn = 0; turn < 4; turn += 1) {
        deleted += (await pruneCode(stores, ALL))?.catalogs ?? 0;
        clock.passed += DAY;
      }
      expect(deleted).toBe(16);
      expect(await keysBelow(stores.blobs, 'catalogs/')).toEqual([...used].map((hash) => `catalogs/${hash}`).sort());
    }));
});

describe('pruning of code', () => {
  let world: CompileWorld;
  let clock: LaterClock;
  const ONE = `file { '/tmp/one': source => 'puppet:///modules/web/one.txt' }`;

  beforeEach(() => {
    clock = new LaterClock();
    world = new CompileWorld(clock, compile);
  });
  afterEach(() => world.close());

  async function deployed(text: string, manifest = ONE): Promise<string> {
    world.write({
      'environments/production/manifests/site.pp': manifest,
      'environments/production/modules/web/files/one.txt': text,
    });
    const { codeId } = await world.deploy();
    return codeId;
  }

  const snapshots = async () =>
    (await keysBelow(world.stores.blobs, 'snapshots/')).filter((key) => !key.includes('.')).map((key) => key.slice(10));

  it('keeps what is in force and takes the rest away, with content that nothing else names', async () => {
    const first = await deployed('one');
    const second = await deployed('two');
    clock.passed = 2 * DAY;
    const report = await pruneTwice(world.stores);
    expect(report).toMatchObject({ snapshots: [first], leaving: [], files: 1, bytes: 3 });
    expect(await snapshots()).toEqual([second]);
    const { snapshot, packs } = await loadManifest(world.stores.blobs, second);
    const { files } = snapshot;
    const named = new Set(Object.values(files).map(({ sha256 }) => `files/${sha256}`));
    expect(await keysBelow(world.stores.blobs, 'files/')).toEqual([...named].sort());
    expect(await keysBelow(world.stores.blobs, 'packs/')).toEqual(packs?.map(({ id }) => packBlob(id)).sort());
    expect(await pruneCode(world.stores, ALL)).toMatchObject({ snapshots: [], files: 0 });
  });

  it('keeps what a catalog was compiled with, which is not what was in force last', async () => {
    const first = await deployed('one');
    const statically = () => world.run(checkIn(NODE, {}, { checksumType: 'sha256' }));
    expect(catalogOf(await statically()).code_id).toBe(first);
    for (const text of ['two', 'three']) await deployed(text, '');
    await world.runJobs();
    // Compiled anew with an equal outcome, the catalog still names the first code.
    const last = await deployed('one', `${ONE} # same`);
    await world.runJobs();
    expect(catalogOf(await statically()).code_id).toBe(first);
    expect((await world.stores.nodes.get(NODE))?.catalog?.codeId).toBe(last);
    clock.passed = 2 * DAY;
    await pruneTwice(world.stores);
    expect((await snapshots()).sort()).toEqual([first, last].sort());
  });

  it('has an equal catalog name the code of now when the code that it named is about to go', async () => {
    const first = await deployed('one');
    await world.run(checkIn(NODE, {}, { checksumType: 'sha256' }));
    await deployed('two', '');
    await world.runJobs();
    clock.passed = 2 * DAY;
    await pruneCode(world.stores, { ...ALL, keptMs: 14 * DAY });
    expect(await world.stores.blobs.has(getLeavingBlobKey(first))).toBe(true);
    const last = await deployed('one', `${ONE} # again`);
    await world.runJobs();
    const catalog = catalogOf(await world.run(checkIn(NODE, {}, { checksumType: 'sha256' })));
    expect(catalog.code_id).toBe(last);
    expect(catalog.metadata).toHaveProperty('/tmp/one');
  });

  it('keeps for a time what nothing needs any more, and for good what is needed again', async () => {
    const first = await deployed('one');
    await deployed('two');
    clock.passed = 2 * DAY;
    const options = { ...ALL, keptMs: 14 * DAY };
    expect(await pruneTwice(world.stores, options)).toMatchObject({ snapshots: [], leaving: [first], files: 0 });
    await rollBack(world.stores, 'production', first, 'operator');
    await pruneCode(world.stores, options);
    expect(await world.stores.blobs.has(getLeavingBlobKey(first))).toBe(false);
    clock.passed = 30 * DAY;
    expect((await pruneTwice(world.stores))?.snapshots).not.toContain(first);
  });

  it('keeps what may be rolled back to, and shows nothing else', async () => {
    const codes = [];
    for (const text of ['one', 'two', 'three', 'four']) codes.push(await deployed(text));
    const [first, second, third, fourth] = codes;
    clock.passed = 2 * DAY;
    const report = await pruneTwice(world.stores, { ...ALL, historyKept: 2 });
    expect(report?.snapshots).toEqual([first]);
    const history = await codeHistory(world.stores, 'production');
    expect(history.map(({ codeId }) => codeId)).toEqual([fourth, third, second]);
    await rollBack(world.stores, 'production', second ?? '', 'operator');
    await expect(rollBack(world.stores, 'production', first ?? '', 'operator')).rejects.toThrow('had no code');
  });

  it('keeps what was in force within a day: a compile may be at it', async () => {
    const first = await deployed('one');
    clock.passed = 3 * DAY;
    await deployed('two');
    clock.passed += 2 * HOUR;
    expect(await pruneTwice(world.stores)).toMatchObject({ snapshots: [], leaving: [] });
    clock.passed += DAY;
    expect((await pruneTwice(world.stores))?.snapshots).toEqual([first]);
  });

  it('keeps the code of each environment', async () => {
    const production = await deployed('one');
    world.write({ 'environments/test/manifests/site.pp': '' });
    const { codeId } = await world.deploy('test');
    clock.passed = 2 * DAY;
    expect(await pruneTwice(world.stores)).toMatchObject({ snapshots: [], files: 0 });
    expect((await snapshots()).sort()).toEqual([production, codeId].sort());
  });

  it('only tells what it would do in a dry run', async () => {
    const first = await deployed('one');
    await deployed('two');
    clock.passed = 2 * DAY;
    const before = await keysBelow(world.stores.blobs, 'snapshots/');
    expect(await pruneCode(world.stores, { ...ALL, dryRun: true })).toMatchObject({ snapshots: [], leaving: [first] });
    expect(await keysBelow(world.stores.blobs, 'snapshots/')).toEqual(before);
    await pruneCode(world.stores, ALL);
    expect(await pruneCode(world.stores, { ...ALL, dryRun: true })).toEqual({
      catalogs: 0,
      facts: 0,
      snapshots: [first],
      leaving: [],
      files: 1,
      bytes: 3,
    });
    expect(await world.stores.blobs.has(snapshotBlob(first))).toBe(true);
  });

  it('takes notes on damaged files away with the files', async () => {
    const [first, second] = [await deployed('one'), await deployed('two')];
    const { blobs } = world.stores;
    const sha256Of = async (codeId: string) =>
      (await loadSnapshot(blobs, codeId)).files['environments/production/modules/web/files/one.txt']?.sha256 ?? '';
    const [gone, kept] = [await sha256Of(first), await sha256Of(second)];
    for (const sha256 of [gone, kept]) await markDamaged(blobs, sha256, true);
    clock.passed = 2 * DAY;
    await pruneTwice(world.stores);
    expect(await keysBelow(blobs, 'damaged/')).toEqual([`damaged/${kept}`]);
    expect(await keysBelow(blobs, 'files/')).not.toContain(`files/${gone}`);
  });

  it('takes nothing away when a snapshot cannot be read', async () => {
    await deployed('one');
    const second = await deployed('two');
    clock.passed = 2 * DAY;
    await pruneCode(world.stores, ALL);
    const files = await keysBelow(world.stores.blobs, 'files/');
    await world.stores.blobs.put(snapshotBlob(second), new TextEncoder().encode('{}'));
    clock.passed = 4 * DAY;
    await expect(pruneCode(world.stores, ALL)).rejects.toThrow('is not a snapshot');
    expect(await keysBelow(world.stores.blobs, 'files/')).toEqual(files);
  });

  it('lets a deploy that finds content count on it', async () => {
    await deployed('one');
    await deployed('two');
    clock.passed = 2 * DAY;
    await pruneCode(world.stores, ALL);
    // While the deploy of the first code is at work, nothing is pruned; after it, it is needed
    // again.
    const { blobs } = world.stores;
    let seen: unknown = 'not asked';
    const slow = intercept<BlobStore>(blobs, {
      has: async (key: string) => {
        seen = await pruneCode(world.stores, ALL);
        return blobs.has(key);
      },
    });
    world.write({ 'environments/production/modules/web/files/one.txt': 'one' });
    const { codeId } = await deployFolder(withBlobs(world.stores, slow), world.repo, 'production', 'test');
    expect(seen).toBeNull();
    await pruneTwice(world.stores);
    const { snapshot, packs } = await loadManifest(blobs, codeId);
    for (const { sha256 } of Object.values(snapshot.files)) expect(await blobs.has(`files/${sha256}`)).toBe(true);
    expect(packs).toHaveLength(2);
    for (const { id } of packs) expect(await blobs.has(packBlob(id))).toBe(true);
  });
});

function withBlobs(stores: Stores, blobs: BlobStore): Stores {
  return { ...stores, blobs };
}

describeStores('pruning', (open) => {
  const retention: Retention = { keepHistory: 0, keepCode: 0, keepReports: 30, keepBucket: 365 };

  async function world() {
    const real = await open();
    const clock = new LaterClock();
    return { clock, stores: { ...withBlobs(real, real.blobs), clock } };
  }

  it('takes code away that nothing names, in two steps', async () => {
    const { stores, clock } = await world();
    const repo = mkdtempSync(join(tmpdir(), 'understudy-prune-'));
    const site = join(repo, 'environments/production/manifests/site.pp');
    mkdirSync(dirname(site), { recursive: true });
    const codes = [];
    for (const text of ['# one', '# two']) {
      writeFileSync(site, text);
      codes.push((await deployFolder(stores, repo, 'production', 'test')).codeId);
    }
    rmSync(repo, { recursive: true });
    clock.passed = 2 * DAY;
    expect((await prune(stores, retention)).code).toEqual({
      snapshots: [],
      leaving: [codes[0]],
      files: 0,
      bytes: 0,
      catalogs: 0,
      facts: 0,
    });
    expect((await prune(stores, retention)).code).toEqual({
      snapshots: [codes[0]],
      leaving: [],
      files: 1,
      bytes: 5,
      catalogs: 0,
      facts: 0,
    });
    expect(await keysBelow(stores.blobs, 'snapshots/')).toEqual([snapshotBlob(codes[1] ?? '')]);
    expect(await keysBelow(stores.blobs, 'files/')).toHaveLength(1);
  });

  it('prunes code once a day where that reads every node at a price', async () => {
    const { stores, clock } = await world();
    const isCodePruned = async () => (await prune(stores, retention, true)).code !== null;
    expect([await isCodePruned(), await isCodePruned()]).toEqual([true, false]);
    clock.passed = 22 * HOUR;
    expect(await isCodePruned()).toBe(false);
    clock.passed = DAY;
    expect([await isCodePruned(), await isCodePruned()]).toEqual([true, false]);
    clock.passed = 2 * DAY;
    await withUploadLock(stores, async () => {
      expect(await isCodePruned()).toBe(false);
    });
    expect(await isCodePruned()).toBe(true);
  });

  it('expires reports', async () => {
    const { stores, clock } = await world();
    const summary = (receivedAt: number, transactionUuid: string) => ({
      certname: NODE,
      receivedAt,
      status: 'changed',
      environment: 'production',
      time: null,
      puppetVersion: '8.10.0',
      transactionUuid,
      noop: false,
    });
    const now = clock.now();
    const bytes = gzipSync('{"of":"long ago"}');
    for (const [days, uuid] of [
      [31, 'old'],
      [29, 'young'],
    ] as const) {
      await storeReport(stores, summary(now - days * DAY, uuid), bytes, { kept: 20, days: 30 });
    }
    expect(await prune(stores, retention)).toMatchObject({ reportsExpired: 1 });
    const kept = await listReports(stores, { certname: NODE, limit: 10 });
    expect(kept.map(({ transactionUuid }) => transactionUuid)).toEqual(['young']);
    expect(await listReports(stores, { status: 'changed', limit: 10 })).toHaveLength(1);
    expect(await findReport(stores, NODE, 'young')).toEqual({ of: 'long ago' });
    expect(await keysBelow(stores.blobs, 'reports/')).toHaveLength(1);
  });

  it('expires files of the bucket, and takes those of a purged node away', async () => {
    const { stores, clock } = await world();
    for (const name of ['a.example.com', 'b.example.com']) {
      await stores.blobs.put(`bucket/${name}/md5/0a`, new Uint8Array(3));
    }
    await purgeNode('a.example.com', stores);
    expect(await keysBelow(stores.blobs, 'bucket/')).toEqual(['bucket/b.example.com/md5/0a']);
    clock.passed = 364 * DAY;
    expect((await prune(stores, retention)).bucketFiles).toBe(0);
    clock.passed = 366 * DAY;
    expect((await prune(stores, retention)).bucketFiles).toBe(1);
    expect(await keysBelow(stores.blobs, 'bucket/')).toEqual([]);
  });

  it('keeps out of the way of uploads, and they of it; what a process said that died counts no more', async () => {
    const { documents } = await open();
    const clock = new ManualClock();
    const order: string[] = [];
    await withUploadLock({ documents, clock }, async () => {
      expect(await withPruneLock({ documents, clock }, async () => 'pruned')).toBeNull();
    });
    const pruning = withPruneLock({ documents, clock }, async () => {
      expect(await withPruneLock({ documents, clock }, async () => 'twice')).toBeNull();
      const waiting = withUploadLock({ documents, clock: slowly(clock) }, async () => order.push('uploaded'));
      await new Promise((resolve) => setTimeout(resolve, 50));
      order.push('pruned');
      return () => waiting;
    });
    await (await pruning)?.();
    expect(order).toEqual(['pruned', 'uploaded']);
    await documents.put('code-work', 'upload-dead', { until: clock.now() + 1000 });
    expect(await withPruneLock({ documents, clock }, async () => 'pruned')).toBeNull();
    clock.time += 2000;
    expect(await withPruneLock({ documents, clock }, async () => 'pruned')).toBe('pruned');
    expect(await documents.list('code-work', 'upload-', 10)).toEqual([]);
  });

  it('stores an equal catalog once, and says which code it names', async () => {
    const { blobs } = await open();
    const put = (codeId: string | null) => putCatalog(blobs, catalogBlob('{"name":"x"}', codeId, 0), codeId);
    await blobs.put(snapshotBlob('aa'), new Uint8Array());
    await blobs.put(snapshotBlob('bb'), new Uint8Array());
    expect(await put('aa')).toBe('aa');
    expect(await put('bb')).toBe('aa');
    await blobs.put(getLeavingBlobKey('aa'), new Uint8Array());
    expect(await put('bb')).toBe('bb');
    await blobs.delete(snapshotBlob('bb'));
    expect(await put('cc')).toBe('cc');
  });
});

/** Time stands still but for real pauses. */
function slowly(clock: Clock): Clock {
  return { now: () => clock.now(), random: () => clock.random(), sleep: () => systemClock.sleep(5) };
}
