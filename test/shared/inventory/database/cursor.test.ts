import { expect, it } from 'vitest';
import { readCursor } from '../../../../shared/inventory/database/cursor.ts';
import { type DatabaseConnection, DatabaseError } from '../../../../shared/inventory/database/inventory-database.ts';

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
  const limits = { timeMs: 1000, rows: 1_000_000, megabytes: 16 };
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

const TOO_MUCH = 'The query needs more than its 16 MB of memory; ask for fewer columns or rows at once';

it('refuses a row that is larger than the memory of a query', async () => {
  await expect(batchesOf(1, 17 * 1024 * 1024)).rejects.toThrow(TOO_MUCH);
});

it.each(['53200', '53400'])("gives PostgreSQL's error %s as that of a query's memory", async (code) => {
  const connection = { run: () => Promise.reject(new DatabaseError('ERROR: temporary file size exceeds', code)) };
  const limits = { timeMs: 1000, rows: 1, megabytes: 16 };
  const rows = readCursor(connection, { text: 'select', values: [] }, limits);
  await expect(rows.next()).rejects.toThrow(TOO_MUCH);
});
