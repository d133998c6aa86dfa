import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { backUpDirectory, restoreDirectory } from '../../../shared/store/embedded/backup.ts';
import { checkDatabase } from '../../../shared/store/embedded/damage/database-check.ts';
import { OLDEST_VERSION } from '../../../shared/store/embedded/migrate-schema.ts';
import { registerDigests } from '../../../shared/store/embedded/row-digests.ts';
import { DIGESTED_TABLES, SCHEMA, SCHEMA_VERSION } from '../../../shared/store/embedded/schema.ts';
import { ServerLock } from '../../../shared/store/embedded/server-lock.ts';
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
  ['an older', OLDEST_VERSION - 1, ' only: start with an empty data directory'],
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

/** Puts a database with tables of version 3 in place. */
function placeVersion3(): void {
  writeFileSync(file, gunzipSync(readFileSync(join(import.meta.dirname, '../../fixtures/stores/understudy-3.db.gz'))));
}

/** Makes its tables those of version 2, which 0.1.0 had. */
function placeVersion2(): void {
  placeVersion3();
  withDatabase((database) => {
    registerDigests(database, folder, DIGESTED_TABLES);
    database.exec(`ALTER TABLE nodes RENAME COLUMN invalidated_for TO told; PRAGMA user_version = 2;
      UPDATE nodes SET told = 'r1';
      INSERT INTO documents (collection, key, document)
        VALUES ('notify-told/07', 'a.example.com', '{"job":3}'), ('told/07', 'b', '{}')`);
  });
}

it('the tables of 0.1.0 become those of this release, and so does what is in them', async () => {
  placeVersion2();
  const stores = openEmbeddedStores(folder);
  expect(readVersion()).toBe(SCHEMA_VERSION);
  expect(checkDatabase(folder)).toEqual({ faults: [], rows: [] });
  expect(await stores.nodes.get('a.example.com')).toMatchObject({ built: 1, compiles: 1 });
  expect(await stores.documents.get('notify-notified/07', 'a.example.com')).toEqual({ job: 3 });
  expect(await stores.documents.get('notify-told/07', 'a.example.com')).toBeNull();
  expect(await stores.documents.get('told/07', 'b')).toEqual({});
  stores.close();
  expect(withDatabase((database) => database.prepare('SELECT invalidated_for FROM nodes').all())).toContainEqual({
    invalidated_for: 'r1',
  });
});

it('tables with a damaged row are not brought to another version, and stay as they are', () => {
  placeVersion2();
  const bytes = readFileSync(file);
  const at = bytes.indexOf('it failed');
  expect(at).toBeGreaterThan(0);
  bytes.write('x', at);
  writeFileSync(file, bytes);
  expect(() => openEmbeddedStores(folder)).toThrow(
    "a row of table nodes cannot be trusted, its checksum is another one: run 'understudy verify --repair'",
  );
  expect(readVersion()).toBe(2);
});

it('a backup of an earlier release is restored with the tables of this one', async () => {
  placeVersion2();
  const [backup, restored] = [join(folder, 'backup.tar.gz'), join(folder, 'restored')];
  mkdirSync(join(folder, 'blobs'));
  await backUpDirectory(folder, backup, 7);
  await restoreDirectory(backup, restored);
  expect(checkDatabase(restored)).toEqual({ faults: [], rows: [] });
  const stores = openEmbeddedStores(restored);
  expect(await stores.documents.get('notify-notified/07', 'a.example.com')).toEqual({ job: 3 });
  stores.close();
});

it('tables of the version before are brought to this one, with all that is in them', async () => {
  placeVersion3();
  expect(() => checkDatabase(folder)).toThrow('was written by an older release: start the server once');
  const stores = openEmbeddedStores(folder);
  expect(readVersion()).toBe(SCHEMA_VERSION);
  expect(checkDatabase(folder)).toEqual({ faults: [], rows: [] });
  expect(await stores.nodes.listSummaries(null, 10)).toMatchObject([
    { certname: 'a.example.com', built: 1, compiledAt: 12, failure: 'it failed', isVolatile: true },
  ]);
  expect(await stores.queue.receive(5, 0, undefined, ['waiting', 'express'])).toMatchObject([
    { job: { certname: 'b.example.com', request: { kind: 'types' } } },
    { job: { certname: 'a.example.com', generation: 2 } },
  ]);
  const title = `/srv/${'long/'.repeat(150)}end`;
  const query = ['title', '==', title];
  expect(await stores.exports.collect([{ type: 'File', query }], 'b')).toMatchObject([{ title }]);
  const { collectors } = await stores.exports.listCollectors('File', [`title=${title}`], null);
  expect(collectors.map((one) => one.query)).toContainEqual(query);
  expect(await stores.dependencies.findOwners('production', [title])).toEqual(['a.example.com']);
  expect(await stores.documents.get('reports', 'a')).toEqual({ x: 1, count: 1 });
  expect(await stores.jobs.takeNumbers('ledgers', 1)).toBe(1);
  expect((await stores.nodeChanges.read('feed', 10)).changes).not.toEqual([]);
  stores.close();
});

it('tables of the version before stay as they are while their server runs', () => {
  placeVersion3();
  const lock = new ServerLock(folder);
  expect(() => openEmbeddedStores(folder)).toThrow('is already served by another process');
  lock.release();
  expect(readVersion()).toBe(3);
});
