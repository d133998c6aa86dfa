import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { checkDatabase } from '../../../shared/store/embedded/damage/database-check.ts';
import { SCHEMA, SCHEMA_VERSION } from '../../../shared/store/embedded/schema.ts';
import { openEmbeddedStores } from '../../../shared/store/embedded/stores.ts';
import { StoreRefused } from '../../../shared/store/ports/store-errors.ts';
import { digestSha256 } from '../../../shared/util/digest.ts';

/** The digest of the schema of each version. A changed schema is a line more. */
const SCHEMAS: ReadonlyMap<number, string> = new Map([
  [2, '73ffbb706e38524772197c2109557c365e46d6c84b99f9dd1f335ed45ade8fd0'],
  [3, 'ee968391d94b13de8408abdc3e05f753c25bd79c0fc421cb380c1abfd85c242f'],
  [4, '59e2bcbed444db545b0663229bf22e406b6c3ca30ac62b3870ea27ecabc2ca23'],
]);

it('another schema has another version', () => {
  const text = SCHEMA.replace(/\s+/g, ' ');
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

it('a new data directory has the version of the schema', () => {
  openEmbeddedStores(folder).close();
  expect(readVersion()).toBe(SCHEMA_VERSION);
});

it.each([
  ['a newer', SCHEMA_VERSION + 1, ''],
  ['an older', SCHEMA_VERSION - 1, ' only: start with an empty data directory'],
  ['an older', 0, ' only: start with an empty data directory'],
])('a data directory of %s release is refused with its version %i, and stays as it is', (release, version, advice) => {
  openEmbeddedStores(folder).close();
  withDatabase((database) => database.exec(`PRAGMA user_version = ${version}`));
  const before = readFileSync(file);
  const refusal = new StoreRefused(
    `data directory '${folder}' was written by ${release} release: its schema has version ${version}, and this release knows ${SCHEMA_VERSION}${advice}`,
  );
  expect(() => openEmbeddedStores(folder)).toThrow(refusal);
  expect(() => checkDatabase(folder)).toThrow(refusal);
  expect(readFileSync(file)).toEqual(before);
});
