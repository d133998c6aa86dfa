import { expect, it } from 'vitest';
import { readCursor } from '../../../../shared/inventory/database/cursor.ts';
import type { DatabaseConnection } from '../../../../shared/inventory/database/inventory-database.ts';

/** How many rows each batch has, of `rows` rows of `size` characters. */
async function batchesOf(rows: number, size: number): Promise<readonly number[]> {
  let left = rows;
  const connection: DatabaseConnection = {
    run: async ({ text }) => {
      const count = Math.min(left, Number(/^fetch (\d+) /.exec(text)?.[1] ?? 0));
      left -= count;
      return Array.from({ length: count }, () => ['x'.repeat(size), null]);
    },
  };
  const found: number[] = [];
  const limits = { timeMs: 1000, rows: 1_000_000 };
  for await (const batch of readCursor(connection, { text: 'select', values: [] }, limits)) found.push(batch.length);
  return found;
}

it.each<[string, number, number, readonly number[]]>([
  ['no row', 0, 1, []],
  ['a few rows', 3, 1, [3]],
  ['small rows', 500, 100, [20, 200, 200, 80]],
  ['rows of 100 kB', 60, 100_000, [20, 20, 20]],
  ['rows larger than a batch is to be', 23, 3_000_000, [20, 1, 1, 1]],
])('reads %s in batches of a bounded size', async (_, rows, size, expected) => {
  expect(await batchesOf(rows, size)).toEqual(expected);
});
