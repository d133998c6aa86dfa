import { beforeAll, expect, it } from 'vitest';
import type { BlobEntry, BlobStore } from '../../../shared/store/ports/blob-store.ts';
import { describeStores } from '../../helpers/store-implementations.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const textOf = (blob: Uint8Array | null) => blob && new TextDecoder().decode(blob);

describeStores('BlobStore', (open) => {
  let blobs: BlobStore;
  beforeAll(async () => {
    blobs = (await open()).blobs;
  });

  it('gives back what was put', async () => {
    const all = Uint8Array.from({ length: 256 }, (_, index) => index);
    await blobs.put('files/all', all);
    expect(Buffer.from((await blobs.get('files/all')) ?? [])).toEqual(Buffer.from(all));
    expect(await blobs.has('files/all')).toBe(true);
  });

  it('has nothing under other keys', async () => {
    expect(await blobs.get('files/none')).toBeNull();
    expect(await blobs.has('files/none')).toBe(false);
  });

  it.each([
    [undefined, 0, 200_000],
    [{ start: 0, end: 1 }, 0, 1],
    [{ start: 70_000, end: 200_000 }, 70_000, 200_000],
    [{ start: 131_072, end: 131_074 }, 131_072, 131_074],
  ])('streams %j', async (range, start, end) => {
    const all = Uint8Array.from({ length: 200_000 }, (_, index) => index % 251);
    await blobs.put('files/streamed', all);
    const stream = await blobs.stream('files/streamed', range);
    expect(stream?.size).toBe(200_000);
    const read = new Uint8Array(await new Response(stream?.body).arrayBuffer());
    expect(Buffer.from(read).equals(Buffer.from(all.subarray(start, end)))).toBe(true);
  });

  it('streams an empty blob, and nothing under other keys', async () => {
    await blobs.put('files/empty', new Uint8Array());
    const stream = await blobs.stream('files/empty');
    expect([stream?.size, await new Response(stream?.body).text()]).toEqual([0, '']);
    expect(await blobs.stream('files/none')).toBeNull();
  });

  it('lets a stream be given up', async () => {
    await blobs.put('files/given-up', new Uint8Array(500_000));
    const stream = await blobs.stream('files/given-up');
    const reader = stream?.body.getReader();
    expect((await reader?.read())?.done).toBe(false);
    await reader?.cancel();
  });

  it('writes over with put, and does not with putIfAbsent', async () => {
    await blobs.put('facts/a', bytes('one'));
    await blobs.put('facts/a', bytes('two'));
    await blobs.putIfAbsent('facts/a', bytes('three'));
    expect(textOf(await blobs.get('facts/a'))).toBe('two');
    await blobs.putIfAbsent('facts/b', bytes('four'));
    expect(textOf(await blobs.get('facts/b'))).toBe('four');
  });

  it('lists what is below a prefix, with sizes and times', async () => {
    const keys = Array.from({ length: 12 }, (_, index) => `listed/${index % 3}/a b%${index}`);
    const before = Date.now();
    for (const key of [...keys, 'listed/..', 'listed-not/x']) await blobs.put(key, bytes('four'));
    const found: BlobEntry[] = [];
    let after: string | undefined;
    for (;;) {
      const { entries, next } = await blobs.list('listed/', after);
      found.push(...entries);
      if (next === null) break;
      after = next;
    }
    expect(found.map(({ key }) => key).sort()).toEqual([...keys, 'listed/..'].sort());
    for (const { size, putAt } of found) {
      expect(size).toBe(4);
      // S3 gives seconds; the clock of files runs some milliseconds behind.
      expect(putAt).toBeGreaterThanOrEqual(before - 1000);
      expect(putAt).toBeLessThanOrEqual(Date.now() + 1000);
    }
  });

  it('lists one key, and nothing below others', async () => {
    await blobs.put('listed-one/key', bytes('x'));
    await blobs.put('listed-one/key-two', bytes('x'));
    expect((await blobs.list('listed-one/key')).entries.map(({ key }) => key)).toEqual(['listed-one/key']);
    expect(await blobs.list('listed-one/none')).toEqual({ entries: [], next: null });
    expect(await blobs.list('nowhere/')).toEqual({ entries: [], next: null });
  });

  it('tells when a blob was put again', async () => {
    await blobs.put('listed-again', bytes('x'));
    const [first] = (await blobs.list('listed-again')).entries;
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await blobs.put('listed-again', bytes('x'));
    const [second] = (await blobs.list('listed-again')).entries;
    expect(second?.putAt).toBeGreaterThan(first?.putAt ?? 0);
  });

  it('deletes, also what is not there', async () => {
    await blobs.put('facts/gone', bytes('x'));
    await blobs.delete('facts/gone');
    await blobs.delete('facts/gone');
    expect(await blobs.get('facts/gone')).toBeNull();
  });

  it.each(['other/../escape', 'facts/..', 'facts/a b%2e', 'facts/ünï', 'facts/.'])(
    'takes %j for a name',
    async (key) => {
      await blobs.put(key, bytes(key));
      expect(textOf(await blobs.get(key))).toBe(key);
    },
  );

  it('shows a blob complete or not at all while it is written', async () => {
    const long = (fill: number) => new Uint8Array(200_000).fill(fill);
    await blobs.put('files/long', long(1));
    const reads: Promise<Uint8Array | null>[] = [];
    for (let round = 2; round < 8; round += 1) {
      const writing = blobs.put('files/long', long(round));
      reads.push(blobs.get('files/long'), blobs.get('files/long'));
      await writing;
    }
    for (const blob of await Promise.all(reads)) {
      expect(blob?.length).toBe(200_000);
      expect(new Set(blob).size).toBe(1);
    }
  });
});
