import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { pruneCode } from '../../../../../shared/fleet/code/prune-code.ts';
import { verifyStores } from '../../../../../shared/fleet/code/verify-stores.ts';
import { copyStores } from '../../../../../shared/store/copy-stores.ts';
import { backUpDirectory, restoreDirectory } from '../../../../../shared/store/embedded/backup.ts';
import { EmbeddedBlobStore } from '../../../../../shared/store/embedded/blob-store.ts';
import { findDamagedBlobs } from '../../../../../shared/store/embedded/damage/check-blobs.ts';
import { EmbeddedDatabase } from '../../../../../shared/store/embedded/database.ts';
import { openEmbeddedStores } from '../../../../../shared/store/embedded/stores.ts';
import type { WorkObserver } from '../../../../../shared/util/work-observer.ts';

let folder: string;
let data: string;
/** The last report of each step. */
let seen: Map<string, readonly [done: number | null, of: number | null]>;
const observe: WorkObserver = (what, done = null, of = null) => void seen.set(what, [done, of]);

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'understudy-watched-'));
  data = join(folder, 'data');
  seen = new Map();
  const stores = openEmbeddedStores(data);
  for (const name of ['a', 'b', 'c']) {
    await stores.nodes.markSeen(name, 'production', 1);
    await stores.blobs.put(`catalogs/${name}`, Buffer.from(name));
  }
  stores.close();
});
afterEach(() => rmSync(folder, { recursive: true }));

it('reports how far a backup and its restore are', async () => {
  await backUpDirectory(data, join(folder, 'backup'), 1, true, observe);
  expect(seen.get('copying the database')).toEqual([null, null]);
  expect(seen.get('packing blobs')).toEqual([3, 3]);
  await restoreDirectory(join(folder, 'backup'), join(folder, 'restored'), observe);
  expect([...seen.keys()].slice(2)).toEqual(['checking the archive, MB', 'unpacking, MB', 'checking the database']);
  expect(seen.get('unpacking, MB')).toEqual([0, 1]);
});

it('reports how far a verification and pruning are', async () => {
  const stores = openEmbeddedStores(data);
  await verifyStores(stores, false, observe);
  for await (const key of findDamagedBlobs(data, false, observe)) throw new Error(`${key} is not damaged`);
  await pruneCode(stores, { historyKept: 0, keptMs: 0, dryRun: true, observe });
  stores.close();
  expect(seen.get('reading the catalogs of nodes')).toEqual([0, null]);
  expect(seen.get('reading blobs')).toEqual([3, 3]);
  expect([...seen.keys()]).toContain('reading what nodes need');
});

it('reports how far a copy is', async () => {
  const open = (directory: string) => ({
    database: new EmbeddedDatabase(directory),
    blobs: new EmbeddedBlobStore(directory),
    name: directory,
  });
  const [from, to] = [open(data), open(join(folder, 'copy'))];
  const { rows, blobs } = await copyStores(from, to, observe);
  from.database.close();
  to.database.close();
  expect(rows).toBeGreaterThan(0);
  expect(blobs).toBe(3);
  expect(seen.get('copying rows')).toEqual([rows, rows]);
  expect(seen.get('copying blobs')).toEqual([3, 3]);
  expect([...seen.keys()].at(-1)).toBe('comparing tables');
});
