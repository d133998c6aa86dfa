import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FolderCache } from '../../../shared/store/embedded/folder-cache.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'understudy-kept-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const bytes = (length: number) => new Uint8Array(length).fill(7);
const age = (name: string, days: number) => {
  const at = new Date(Date.now() - days * 86_400_000);
  utimesSync(join(folder, name), at, at);
};

it('keeps blobs for the next process', async () => {
  await new FolderCache(folder).put('a', bytes(3));
  const later = new FolderCache(folder);
  expect(Buffer.from((await later.get('a')) ?? [])).toEqual(Buffer.from(bytes(3)));
  expect(await later.get('b')).toBeNull();
});

it('creates its folder', async () => {
  const cache = new FolderCache(join(folder, 'deeper', 'still'));
  await cache.put('a', bytes(3));
  expect(await cache.get('a')).toHaveLength(3);
});

it('deletes the least recently used blobs when it is full', async () => {
  const cache = new FolderCache(folder, 10);
  for (const [name, days] of [
    ['a', 3],
    ['b', 2],
    ['c', 1],
  ] as const) {
    await cache.put(name, bytes(3));
    age(name, days);
  }
  await cache.get('a');
  await cache.put('d', bytes(6));
  expect(readdirSync(folder).sort()).toEqual(['a', 'd']);
});

it('does not keep what is larger than it may be', async () => {
  const cache = new FolderCache(folder, 10);
  await cache.put('a', bytes(3));
  await cache.put('b', bytes(11));
  expect(readdirSync(folder)).toEqual(['a']);
});

it('misses when its folder cannot be used', async () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const cache = new FolderCache(join(file, 'below'));
  await cache.put('a', bytes(3));
  expect(await cache.get('a')).toBeNull();
});
