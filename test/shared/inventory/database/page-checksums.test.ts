import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readChecksumState } from '../../../../shared/inventory/database/checksum-state.ts';
import { findDamagedPages } from '../../../../shared/inventory/database/page-checksums.ts';
import { PgliteDatabase } from '../../../../shared/inventory/database/pglite-database.ts';
import { prepareSchema } from '../../../../shared/inventory/database/schema.ts';

const parent = mkdtempSync(join(tmpdir(), 'understudy-pages-'));
const folder = join(parent, 'inventory');
let table: string;

beforeAll(async () => {
  const database = new PgliteDatabase(folder);
  await prepareSchema(database);
  expect(await readChecksumState(database)).toEqual({ isOn: true, failures: 0 });
  const [[path] = [null]] = await database.transaction((connection) =>
    connection.run({ text: "select pg_relation_filepath('pg_attribute')", values: [] }),
  );
  table = String(path);
  await database.close();
});
afterAll(() => rmSync(parent, { recursive: true }));

async function findAll() {
  const found = [];
  for await (const one of findDamagedPages(folder)) found.push(one);
  return found;
}

/** What is found after a change of the table's file, which is undone. */
async function findAfter(change: (bytes: Buffer) => void) {
  const path = join(folder, table);
  const sound = readFileSync(path);
  const bytes = Buffer.from(sound);
  change(bytes);
  writeFileSync(path, bytes);
  try {
    return await findAll();
  } finally {
    writeFileSync(path, sound);
  }
}

it('computes the checksums that PostgreSQL wrote', async () => {
  expect(await findAll()).toEqual([]);
});

it.each(Array.from({ length: 24 }, (_, index) => (index * 2_654_435_761) % (16_384 * 8)))(
  'finds bit %i flipped',
  async (bit) => {
    const found = await findAfter((bytes) => {
      bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    });
    expect(found).toEqual([{ file: table, pages: 1 }]);
  },
);

it('finds two pages that were exchanged, and a page that is cut short', async () => {
  const found = await findAfter((bytes) => {
    const first = Buffer.from(bytes.subarray(0, 8192));
    bytes.copyWithin(0, 8192, 16_384);
    first.copy(bytes, 8192);
  });
  expect(found).toEqual([{ file: table, pages: 2 }]);
  const path = join(folder, table);
  const sound = readFileSync(path);
  truncateSync(path, sound.length - 100);
  expect(await findAll()).toEqual([{ file: table, pages: 1 }]);
  writeFileSync(path, sound);
});

it('names folder and remedy when the database cannot be opened', async () => {
  const path = join(folder, 'global/pg_control');
  const sound = readFileSync(path);
  writeFileSync(path, Buffer.from(sound).fill(7, 40, 60));
  const database = new PgliteDatabase(folder);
  await expect(prepareSchema(database)).rejects.toThrow(
    `the inventory in '${folder}' cannot be used: PGlite failed to initialize properly: move that folder away and start again; what the server knows of its nodes is fed again, commands of others are not`,
  );
  await database.close();
  writeFileSync(path, sound);
});
