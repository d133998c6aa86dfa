import { expect, it } from 'vitest';
import { packId, printPack, readPack } from '../../../../shared/fleet/snapshots/pack-file.ts';
import { digestSha256 } from '../../../../shared/util/digest.ts';

const TEXTS = ['', 'one', 'two two', '\u00fcml\u00e4ut', 'x'.repeat(100_000)];
const contents = new Map(TEXTS.map((text) => [digestSha256(text), new TextEncoder().encode(text)] as const).sort());
const id = packId([...contents.keys()]);

it('reads what was packed', async () => {
  const bytes = await printPack(contents);
  expect(bytes.length).toBeLessThan(1000);
  expect(await readPack(bytes, id)).toEqual(contents);
});

it('reads a pack without contents', async () => {
  expect(await readPack(await printPack(new Map()), packId([]))).toEqual(new Map());
});

it('has a copy of each content, so that one does not keep the others in memory', async () => {
  for (const content of (await readPack(await printPack(contents), id))?.values() ?? []) {
    expect(content.buffer.byteLength).toBe(content.byteLength);
  }
});

it.each([
  ['nothing', () => new Uint8Array()],
  ['a pack that is cut short', (bytes: Buffer) => bytes.subarray(0, bytes.length - 5)],
  ['half a pack', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
  ['something else', () => Buffer.from('{}')],
])('refuses %s', async (_, change) => {
  expect(await readPack(change(await printPack(contents)), id)).toBeNull();
});

it('refuses a pack of other contents', async () => {
  expect(await readPack(await printPack(contents), packId([]))).toBeNull();
});

it('refuses a pack in which one content is not what its digest says', async () => {
  const changed = new Map(contents).set(digestSha256('one'), new TextEncoder().encode('eno'));
  expect(await readPack(await printPack(changed), id)).toBeNull();
});

it('refuses any changed byte', async () => {
  const bytes = await printPack(contents);
  for (let at = 0; at < bytes.length; at += 7) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 0x10;
    const read = await readPack(changed, id);
    if (read !== null) expect(read).toEqual(contents);
  }
});
