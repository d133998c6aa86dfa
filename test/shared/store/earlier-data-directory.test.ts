/**
 * A data directory that a release without versions wrote: two nodes with catalogs, one that exports
 * for the other, one that fails, and a CA. Its own stores made it.
 */
import { X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { brotliDecompressSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CertificateAuthority } from '../../../shared/access/ca/authority.ts';
import { verifyStores } from '../../../shared/fleet/code/verify-stores.ts';
import { SCHEMA_VERSION } from '../../../shared/store/embedded/schema.ts';
import { makeRequest } from '../../helpers/certificate-request.ts';
import { CompileWorld, catalogOf, checkIn } from '../../helpers/compile-world.ts';
import { makeFolderOnDisk } from '../../helpers/temporary-folder.ts';

interface EarlierDirectory {
  readonly schema: readonly string[];
  readonly rows: Readonly<Record<string, readonly Readonly<Record<string, SQLInputValue>>[]>>;
  /** In base64, by their paths. */
  readonly blobs: Readonly<Record<string, string>>;
}

const FIXTURE = join(import.meta.dirname, '../../fixtures/data-directories/without-version.json.br');
const [WEB, MON, BAD] = ['web01.example.com', 'mon01.example.com', 'bad01.example.com'] as const;
const FACTS = { os: { family: 'Debian' }, role: 'web' };
const folder = makeFolderOnDisk('earlier');
const data = join(folder, 'data');
let world: CompileWorld;

beforeEach(() => {
  const { schema, rows, blobs }: EarlierDirectory = JSON.parse(brotliDecompressSync(readFileSync(FIXTURE)).toString());
  for (const [path, text] of Object.entries(blobs)) {
    mkdirSync(dirname(join(data, path)), { recursive: true });
    writeFileSync(join(data, path), Buffer.from(text, 'base64'));
  }
  const database = new DatabaseSync(join(data, 'understudy.db'));
  for (const sql of schema) database.exec(sql);
  database.exec('BEGIN');
  for (const [table, all] of Object.entries(rows)) {
    for (const row of all) {
      const names = Object.keys(row);
      const places = names.map(() => '?').join(', ');
      database.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${places})`).run(...Object.values(row));
    }
  }
  database.exec('COMMIT');
  database.close();
  world = new CompileWorld(undefined, undefined, data);
});
afterEach(() => {
  world.close();
  rmSync(folder, { recursive: true });
});

async function find(certname: string) {
  const node = await world.stores.nodes.get(certname);
  if (node === null) throw new Error(`there is no node ${certname}`);
  return node;
}

it('is brought forward with all of its nodes, and nothing of it is lost', async () => {
  const database = new DatabaseSync(join(data, 'understudy.db'), { readOnly: true });
  expect(database.prepare('PRAGMA user_version').get()?.user_version).toBe(SCHEMA_VERSION);
  database.close();
  expect((await verifyStores(world.stores, false)).findings).toEqual([]);
  expect((await find(WEB)).catalog).toMatchObject({ hash: expect.stringMatching(/^84158e5f/) });
  expect((await find(BAD)).failure).toMatchObject({ message: expect.stringContaining('no such class') });
});

it('goes on: nodes get catalogs, exports of others, and what a deploy changes', async () => {
  expect(catalogOf(await world.run(checkIn(WEB, FACTS)))).toMatchObject({ 'data/common.yaml': 'motto: one\n' });
  expect(catalogOf(await world.run(checkIn(MON, FACTS)))).toMatchObject({
    'Notify null': [expect.objectContaining({ title: 'from web01' })],
  });
  world.addScript(WEB, { facts: [['os', 'family']], files: ['data/common.yaml'] });
  world.addScript(MON, { collects: [{ type: 'Notify', query: null }] });
  world.write({ 'environments/production/data/common.yaml': 'motto: two\n' });
  await world.deploy();
  await world.runJobs();
  expect(catalogOf(await world.run(checkIn(WEB, FACTS)))).toMatchObject({ 'data/common.yaml': 'motto: two\n' });
  expect(catalogOf(await world.run(checkIn(MON, FACTS)))).toMatchObject({ 'Notify null': [] });
});

it('has a deploy compile the nodes that were compiled before, without a check-in', async () => {
  const before = (await find(WEB)).compiles;
  world.addScript(WEB, { facts: [['os', 'family']], files: ['data/common.yaml'] });
  world.write({ 'environments/production/data/common.yaml': 'motto: two\n' });
  await world.deploy();
  await world.runJobs();
  expect((await find(WEB)).compiles).toBe(before + 1);
});

it('keeps its CA: certificates, revocations and the next number', async () => {
  const { documents, clock } = world.stores;
  const authority = await CertificateAuthority.openExisting(documents, clock);
  const kept = await Promise.all([WEB, 'gone.example.com'].map((name) => authority.findCertificate(name)));
  const serials = kept.map((pem) => new X509Certificate(pem ?? '').serialNumber);
  expect(await Promise.all(serials.map((serial) => authority.revocations.isRevoked(serial)))).toEqual([false, true]);
  await authority.submit('new.example.com', (await makeRequest('new.example.com')).request);
  const { serialNumber } = new X509Certificate((await authority.sign('new.example.com')) ?? '');
  expect(serials.map((serial) => Number.parseInt(serial, 16))).not.toContain(Number.parseInt(serialNumber, 16));
});
