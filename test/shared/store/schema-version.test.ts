import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ADDED_COLUMNS, REPLACED_TABLES, SCHEMA, SCHEMA_VERSION } from '../../../shared/store/embedded/schema.ts';
import { openEmbeddedStores } from '../../../shared/store/embedded/stores.ts';
import { StoreRefused } from '../../../shared/store/ports/store-errors.ts';
import { digestSha256 } from '../../../shared/util/digest.ts';

/** The digest of the schema of each version, from 2 on. A changed schema is a line more. */
const SCHEMAS: ReadonlyMap<number, string> = new Map([
  [2, '9cb0e2dce454860a0eb2dffe0d16c8f262edafc16be829b4c4e98b3b3f650a78'],
]);

it('another schema has another version', () => {
  const text = JSON.stringify([SCHEMA, ADDED_COLUMNS, REPLACED_TABLES]).replace(/(\\n|\s)+/g, ' ');
  expect(digestSha256(text), `raise SCHEMA_VERSION from ${SCHEMA_VERSION}, and add the digest here`).toBe(
    SCHEMAS.get(SCHEMA_VERSION),
  );
});

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'understudy-schema-'));
  file = join(folder, 'understudy.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

function withDatabase<T>(work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(file);
  try {
    return work(database);
  } finally {
    database.close();
  }
}

const readVersion = () => withDatabase((database) => database.prepare('PRAGMA user_version').get()?.user_version);

it('a new data directory has the version of the schema, and a directory without one gets it', async () => {
  openEmbeddedStores(folder).close();
  expect(readVersion()).toBe(SCHEMA_VERSION);
  withDatabase((database) => database.exec('PRAGMA user_version = 0'));
  const stores = openEmbeddedStores(folder);
  await stores.documents.put('x', 'y', { z: 1 });
  stores.close();
  expect(readVersion()).toBe(SCHEMA_VERSION);
});

it('a data directory of a newer release is refused with its version, and stays as it is', () => {
  openEmbeddedStores(folder).close();
  withDatabase((database) => database.exec(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`));
  const before = readFileSync(file);
  expect(() => openEmbeddedStores(folder)).toThrow(
    new StoreRefused(
      `data directory '${folder}' was written by a newer release: its schema has version ${SCHEMA_VERSION + 1}, and this release knows ${SCHEMA_VERSION}`,
    ),
  );
  expect(readFileSync(file)).toEqual(before);
});
