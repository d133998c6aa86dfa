import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packTar, readTar } from '../../../shared/util/tar-stream.ts';

const LIMIT = 10_000;
const AT = Date.UTC(2026, 10, 20);
const LONG = `puppetdb-bak/reports/${'n'.repeat(230)}.example.com-1.json`;
const FILES: readonly (readonly [name: string, text: string])[] = [
  ['puppetdb-bak/facts/a.json', '{"a":1}'],
  ['puppetdb-bak/facts/empty.json', ''],
  ['puppetdb-bak/facts/block.json', 'x'.repeat(512)],
  ['puppetdb-bak/facts/ü.json', 'ü'.repeat(300)],
  [LONG, 'y'.repeat(1025)],
  [`${'d'.repeat(99)}/${'e'.repeat(90)}`, 'z'],
];

/** An archive in pieces of so many bytes. */
async function* cut(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function list(bytes: Buffer, size = 700) {
  const found: [string, string][] = [];
  for await (const { name, bytes: content } of readTar(cut(bytes, size), LIMIT)) found.push([name, content.toString()]);
  return found;
}

async function pack(files: readonly (readonly [name: string, content: string | Buffer])[]): Promise<Buffer> {
  const entries = files.map(([name, content]) => ({ name, bytes: Buffer.from(content) }));
  return buffer(packTar(cutEntries(entries), () => AT));
}

async function* cutEntries<T>(entries: readonly T[]) {
  yield* entries;
}

const packed = () => pack(FILES);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tar-'));
  for (const [name, text] of FILES) {
    mkdirSync(dirname(join(folder, 'in', name)), { recursive: true });
    writeFileSync(join(folder, 'in', name), text);
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('archives', () => {
  it.each([1, 511, 512, 4096])('are read as they were written, in pieces of %i bytes', async (size) => {
    expect(await list(await packed(), size)).toEqual(FILES);
  });

  it('are read by tar', async () => {
    mkdirSync(join(folder, 'out'));
    const { status } = spawnSync('tar', ['-x', '-C', join(folder, 'out')], { input: await packed() });
    expect(status).toBe(0);
    for (const [name, text] of FILES) expect(readFileSync(join(folder, 'out', name), 'utf8')).toBe(text);
  });

  it.each(['gnu', 'pax', 'posix'])('are read as tar writes them: %s', async (format) => {
    const names = FILES.map(([name]) => name);
    const { stdout } = spawnSync('tar', ['-c', `--format=${format}`, '-C', join(folder, 'in'), ...names]);
    expect(await list(stdout)).toEqual(FILES);
  });

  it('may lack their end', async () => {
    expect(await list((await packed()).subarray(0, -1024))).toEqual(FILES);
    expect(await list(Buffer.alloc(0))).toEqual([]);
  });

  it.each([
    [
      'a changed header',
      async () => (await packed()).fill('x', 3, 5),
      'The body is no tar archive, compressed with gzip',
    ],
    ['an end within a file', async () => (await packed()).subarray(0, 515), 'The archive ends within an entry'],
    [
      'a file that is too large',
      () => pack([['a', Buffer.alloc(LIMIT + 1)]]),
      `The entry 'a' of the archive has more than ${LIMIT} bytes`,
    ],
    [
      'a name that is too large',
      () => pack([['n'.repeat(9 * 2 ** 20), 'x']]),
      'The body is no tar archive, compressed with gzip',
    ],
  ])('are refused with %s', async (_, make, message) => {
    await expect(list(await make(), 2 ** 16)).rejects.toThrow(message);
  });
});
