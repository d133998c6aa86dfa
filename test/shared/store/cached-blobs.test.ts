import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CachedBlobs } from '../../../shared/store/cached-blobs.ts';
import { EmbeddedBlobStore } from '../../../shared/store/embedded/blob-store.ts';
import { LargeFolderCache } from '../../../shared/store/embedded/folder-cache.ts';
import { openPostgresStores } from '../../../shared/store/postgres/stores.ts';
import { digestSha256 } from '../../../shared/util/digest.ts';
import { canSharePostgres, createTestDatabase } from '../../helpers/shared-postgres.ts';
import { StatementCounts } from '../../helpers/statement-counts.ts';

const MEGABYTE = 2 ** 20;
const small = Buffer.from('a manifest');
const large = Buffer.alloc(2.5 * MEGABYTE, 'abcdefghijk');
const keyOf = (bytes: Uint8Array) => `files/${digestSha256(bytes)}`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'understudy-cached-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const cacheFolder = () => join(folder, 'cache');
const keptFiles = () =>
  readdirSync(cacheFolder(), { recursive: true, encoding: 'utf8' })
    .map((name) => join(cacheFolder(), name))
    .filter((path) => statSync(path).isFile());

async function openCached(limit = 64 * MEGABYTE, place = cacheFolder()) {
  const store = new EmbeddedBlobStore(join(folder, 'store'));
  await store.put(keyOf(small), small);
  await store.put(keyOf(large), large);
  const reads = [vi.spyOn(store, 'get'), vi.spyOn(store, 'stream')];
  const countReads = () => reads.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  return { store, blobs: new CachedBlobs(store, new LargeFolderCache(place, limit)), countReads };
}

type Blobs = Awaited<ReturnType<typeof openCached>>['blobs'];

/** The digest of what is read: long buffers are compared slowly. */
async function get(blobs: Blobs, key: string): Promise<string | null> {
  const bytes = await blobs.get(key);
  return bytes && digestSha256(bytes);
}

async function stream(blobs: Blobs, key: string, start: number, end: number): Promise<string> {
  const opened = await blobs.stream(key, { start, end });
  return digestSha256(new Uint8Array(await new Response(opened?.body).arrayBuffer()));
}

describe.each([
  ['small', small, 1],
  ['large', large, 3],
])('a %s blob that its content names', (_, bytes, parts) => {
  it('is read from the store once', async () => {
    const { blobs, countReads } = await openCached();
    for (let read = 0; read < 3; read += 1) expect(await get(blobs, keyOf(bytes))).toBe(digestSha256(bytes));
    expect(countReads()).toBe(1);
    expect(keptFiles()).toHaveLength(parts);
    expect(await stream(blobs, keyOf(bytes), 3, bytes.length - 1)).toBe(digestSha256(bytes.subarray(3, -1)));
    expect(countReads()).toBe(1);
  });

  it('is streamed from the store once', async () => {
    const { blobs, countReads } = await openCached();
    expect(await stream(blobs, keyOf(bytes), 0, bytes.length)).toBe(digestSha256(bytes));
    expect(countReads()).toBe(parts);
    expect(await stream(blobs, keyOf(bytes), 0, bytes.length)).toBe(digestSha256(bytes));
    expect(await get(blobs, keyOf(bytes))).toBe(digestSha256(bytes));
    expect(countReads()).toBe(parts);
    expect((await blobs.stream(keyOf(bytes), { start: 0, end: 1 }))?.size).toBe(bytes.length);
  });

  it('is read once for all who ask at the same time', async () => {
    const { blobs, countReads } = await openCached();
    const asked = await Promise.all(Array.from({ length: 20 }, () => get(blobs, keyOf(bytes))));
    for (const answer of asked) expect(answer).toBe(digestSha256(bytes));
    expect(countReads()).toBe(1);
  });

  it.each([
    ['a flipped bit', (sealed: Buffer) => sealed.fill((sealed.at(-1) ?? 0) ^ 1, sealed.length - 1)],
    ['another size', (sealed: Buffer) => sealed.fill(7, 36, 38)],
    ['its end cut off', (sealed: Buffer) => sealed.subarray(0, -1)],
    ['nothing left', () => Buffer.alloc(0)],
  ])('is read again when its copy has %s', async (_damage, change) => {
    const { blobs, countReads } = await openCached();
    await get(blobs, keyOf(bytes));
    for (const path of keptFiles()) writeFileSync(path, change(readFileSync(path)));
    expect(await get(blobs, keyOf(bytes))).toBe(digestSha256(bytes));
    expect(countReads()).toBe(2);
    expect(await get(blobs, keyOf(bytes))).toBe(digestSha256(bytes));
    expect(countReads()).toBe(2);
  });

  it('is read from the store each time while the cache cannot be written', async () => {
    writeFileSync(join(folder, 'file'), '');
    const { blobs, countReads } = await openCached(MEGABYTE, join(folder, 'file', 'below'));
    expect(await get(blobs, keyOf(bytes))).toBe(digestSha256(bytes));
    expect(await get(blobs, keyOf(bytes))).toBe(digestSha256(bytes));
    expect(countReads()).toBe(2);
    expect(await stream(blobs, keyOf(bytes), 0, bytes.length)).toBe(digestSha256(bytes));
  });
});

it('takes no more room than it may', async () => {
  const { blobs, store } = await openCached(20 * MEGABYTE);
  for (let number = 0; number < 60; number += 1) {
    const bytes = Buffer.alloc(MEGABYTE, `${number}.`);
    await store.put(keyOf(bytes), bytes);
    await blobs.get(keyOf(bytes));
  }
  const used = keptFiles().reduce((sum, path) => sum + statSync(path).size, 0);
  expect(used).toBeLessThanOrEqual(20 * MEGABYTE);
  expect(used).toBeGreaterThan(10 * MEGABYTE);
});

it('asks the store for what may change, and forgets what is written, deleted or reported damaged', async () => {
  const { blobs, store, countReads } = await openCached();
  const key = keyOf(small);
  await store.put('catalogs/a', small);
  for (const _ of [1, 2]) expect(await get(blobs, 'catalogs/a')).toBe(digestSha256(small));
  expect(countReads()).toBe(2);
  const forgets = [
    () => blobs.put(key, small),
    () => blobs.putIfAbsent(`damaged/${digestSha256(small)}`, new Uint8Array()),
    () => blobs.delete(key),
  ];
  for (const forget of forgets) {
    await get(blobs, key);
    const before = countReads();
    await forget();
    await get(blobs, key);
    expect(countReads()).toBe(before + 1);
  }
  expect(await get(blobs, key)).toBeNull();
  expect(await blobs.stream(key)).toBeNull();
});

it.skipIf(!canSharePostgres())('costs a server over PostgreSQL no statement for the second read', async () => {
  const url = await createTestDatabase();
  const counts = await StatementCounts.open(url);
  const stores = await openPostgresStores(url, { directory: folder, connections: 2, cacheBytes: 64 * MEGABYTE });
  await stores.blobs.put(keyOf(large), large);
  expect((await counts.during(() => stores.blobs.get(keyOf(large)))).size).toBeGreaterThan(0);
  expect([...(await counts.during(() => stores.blobs.get(keyOf(large))))]).toEqual([]);
  await stores.close();
  await counts.close();
});
