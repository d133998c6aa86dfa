import { mkdtempSync, rmSync } from 'node:fs';
import type * as FileSystem from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

let directory: string;
let events: string[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'understudy-durable-'));
  events = [];
  vi.resetModules();
  vi.doMock('node:fs/promises', async (load) => {
    const original = await load<typeof FileSystem>();
    const open: typeof original.open = async (path, ...more) => {
      const file = await original.open(path, ...more);
      const sync = file.sync.bind(file);
      file.sync = () => {
        events.push(`sync ${relative(directory, String(path)).replace(/[0-9a-f]{24}/, '*')}`);
        return sync();
      };
      return file;
    };
    const rename: typeof original.rename = (from, to) => {
      events.push(`rename to ${relative(directory, String(to))}`);
      return original.rename(from, to);
    };
    return { ...original, open, rename };
  });
});
afterEach(() => {
  vi.doUnmock('node:fs/promises');
  vi.resetModules();
  rmSync(directory, { recursive: true });
});

it('a blob and the folders that lead to it are on disk when its write ends', async () => {
  const { EmbeddedBlobStore } = await import('../../../shared/store/embedded/blob-store.ts');
  const blobs = new EmbeddedBlobStore(directory);
  await blobs.put('reports/a/b', new Uint8Array(1));
  const first = [
    'sync unfinished/*',
    'rename to blobs/reports/a/b@1',
    'sync blobs/reports/a',
    'sync blobs/reports',
    'sync blobs',
  ];
  expect(events).toEqual(first);
  await blobs.put('reports/a/c', new Uint8Array(1));
  expect(events.slice(first.length)).toEqual([
    'sync unfinished/*',
    'rename to blobs/reports/a/c@1',
    'sync blobs/reports/a',
  ]);
});
