import { beforeAll, expect, it } from 'vitest';
import type { BlobStore } from '../../../shared/store/ports.ts';
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

  it('writes over with put, and does not with putIfAbsent', async () => {
    await blobs.put('facts/a', bytes('one'));
    await blobs.put('facts/a', bytes('two'));
    await blobs.putIfAbsent('facts/a', bytes('three'));
    expect(textOf(await blobs.get('facts/a'))).toBe('two');
    await blobs.putIfAbsent('facts/b', bytes('four'));
    expect(textOf(await blobs.get('facts/b'))).toBe('four');
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
