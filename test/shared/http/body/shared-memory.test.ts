import { expect, it } from 'vitest';
import { SharedMemory, writeShared } from '../../../../shared/http/body/shared-memory.ts';

const MB = 1024 ** 2;

it('grows with what is written, and keeps what was', () => {
  const memory = new SharedMemory().take(10);
  writeShared(memory, Buffer.from('0123456789'), 0);
  writeShared(memory, Buffer.alloc(3 * MB, 'x'), 10);
  writeShared(memory, Buffer.from('end'), 3 * MB + 10);
  const bytes = Buffer.from(new Uint8Array(memory, 0, 3 * MB + 13));
  expect([bytes.toString('latin1', 0, 12), bytes.toString('latin1', 3 * MB + 8)]).toEqual(['0123456789xx', 'xxend']);
});

it('uses memory again, a few pieces of a moderate size', () => {
  const pool = new SharedMemory();
  const given = [MB, 2 * MB, 20 * MB, MB, MB, MB].map((bytes) => pool.take(bytes));
  for (const memory of given) pool.give(memory);
  const again = Array.from({ length: 6 }, () => pool.take(3 * MB));
  const reused = again.filter((memory) => given.includes(memory));
  expect(reused).toHaveLength(4);
  expect(reused.every((memory) => memory !== given[2] && memory.byteLength >= 3 * MB)).toBe(true);
});
