import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { checkDatabase } from '../../../shared/store/embedded/damage/database-check.ts';
import { SCHEMA, SCHEMA_VERSION } from '../../../shared/store/embedded/schema.ts';
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
  ['an older', SCHEMA_VERSION - 2, ' only: start with an empty data directory'],
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

it('tables of the version before are brought to this one, with all that is in them', async () => {
  writeFileSync(file, gunzipSync(readFileSync(join(import.meta.dirname, '../../fixtures/stores/understudy-3.db.gz'))));
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
  writeFileSync(file, gunzipSync(readFileSync(join(import.meta.dirname, '../../fixtures/stores/understudy-3.db.gz'))));
  const lock = new ServerLock(folder);
  expect(() => openEmbeddedStores(folder)).toThrow('is already served by another process');
  lock.release();
  expect(readVersion()).toBe(3);
});
