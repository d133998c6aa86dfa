import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readChecksumState } from '../../../../shared/inventory/database/checksum-state.ts';
import { findDamagedPages } from '../../../../shared/inventory/database/page-checksums.ts';
import { PgliteDatabase } from '../../../../shared/inventory/database/pglite-database.ts';
import { prepareSchema } from '../../../../shared/inventory/database/schema.ts';
import { openTestDatabase, type TestDatabase } from '../../../helpers/inventory-database.ts';

/** A folder with the first pages of one table, for what is found in a page alone. */
const small = mkdtempSync(join(tmpdir(), 'understudy-pages-'));
const PAGES = 2;
const PAGE = 8192;
let made: TestDatabase;
let table: string;
let sound: Buffer;

beforeAll(async () => {
  made = await openTestDatabase();
  const { database, folder } = made;
  expect(await readChecksumState(database)).toEqual({ isOn: true, failures: 0 });
  const [[path] = [null]] = await database.transaction((connection) =>
    connection.run({ text: "select pg_relation_filepath('pg_attribute')", values: [] }),
  );
  table = String(path);
  await database.close();
  sound = readFileSync(join(folder, table)).subarray(0, PAGES * PAGE);
  mkdirSync(join(small, 'global'));
  mkdirSync(join(small, dirname(table)), { recursive: true });
});
afterAll(async () => {
  rmSync(small, { recursive: true });
  await made?.remove();
});

async function findAll(folder: string) {
  const found = [];
  for await (const one of findDamagedPages(folder)) found.push(one);
  return found;
}

/** What is found when the table has these bytes. */
async function findIn(bytes: Buffer) {
  writeFileSync(join(small, table), bytes);
  return findAll(small);
}

it('computes the checksums that PostgreSQL wrote', async () => {
  expect(await findAll(made.folder)).toEqual([]);
  expect(await findIn(sound)).toEqual([]);
});

it.each(Array.from({ length: 24 }, (_, index) => (index * 2_654_435_761) % (PAGES * PAGE * 8)))(
  'finds bit %i flipped',
  async (bit) => {
    const bytes = Buffer.from(sound);
    bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(await findIn(bytes)).toEqual([{ file: table, pages: 1 }]);
  },
);

it('finds two pages that were exchanged, and a page that is cut short', async () => {
  const exchanged = Buffer.concat([sound.subarray(PAGE), sound.subarray(0, PAGE)]);
  expect(await findIn(exchanged)).toEqual([{ file: table, pages: 2 }]);
  expect(await findIn(sound.subarray(0, -100))).toEqual([{ file: table, pages: 1 }]);
});

it('finds damage among all files of a database', async () => {
  const path = join(made.folder, table);
  const bytes = readFileSync(path);
  writeFileSync(path, Buffer.from(bytes).fill(7, 40, 60));
  expect(await findAll(made.folder)).toEqual([{ file: table, pages: 1 }]);
  writeFileSync(path, bytes);
});

it('names folder and remedy when the database cannot be opened', async () => {
  const { folder } = made;
  const path = join(folder, 'global/pg_control');
  writeFileSync(path, readFileSync(path).fill(7, 40, 60));
  const database = new PgliteDatabase(folder);
  await expect(prepareSchema(database)).rejects.toThrow(
    `the inventory in '${folder}' cannot be used: PGlite failed to initialize properly: move that folder away and start again; what the server knows of its nodes is fed again, commands of others are not`,
  );
  await database.close();
});
