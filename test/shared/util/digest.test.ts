import { expect, it } from 'vitest';
import { digestLarge, digestSha256 } from '../../../shared/util/digest.ts';

it.each([0, 1, 256 * 1024, 256 * 1024 + 1, 3_000_000])('digests %d characters as at once', async (length) => {
  const text = 'é'.repeat(length);
  expect(await digestLarge(text)).toBe(digestSha256(text));
  const bytes = Buffer.from(text);
  expect(await digestLarge(bytes)).toBe(digestSha256(bytes));
});

it('keeps the halves of a character together', async () => {
  const text = `x${'😀'.repeat(200_000)}`;
  expect(await digestLarge(text)).toBe(digestSha256(text));
});

it('leaves the event loop free for a large text', async () => {
  let isFree = false;
  setImmediate(() => {
    isFree = true;
  });
  await digestLarge('x'.repeat(3_000_000));
  expect(isFree).toBe(true);
});
