import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { StoreRefused } from '../../../../shared/store/ports/store-errors.ts';
import { PostgresConnection } from '../../../../shared/store/postgres/connection.ts';
import { Heartbeat } from '../../../../shared/store/postgres/instances.ts';
import { readDatabasePlace } from '../../../../shared/store/postgres/place.ts';
import {
  bringTables,
  MIGRATIONS,
  type Migration,
  POSTGRES_VERSION,
  prepareTables,
  requireTables,
} from '../../../../shared/store/postgres/schema.ts';
import { openPostgresStores, type PostgresStores } from '../../../../shared/store/postgres/stores.ts';
import { canSharePostgres, createTestDatabase } from '../../../helpers/shared-postgres.ts';

const folder = mkdtempSync(join(tmpdir(), 'understudy-migrations-'));
const closers: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closers.toReversed()) await close();
  rmSync(folder, { recursive: true });
});

/** The next release expands the tables; the one after it removes what servers of this one use. */
const next: Migration = {
  version: POSTGRES_VERSION + 1,
  oldest: POSTGRES_VERSION,
  sql: `ALTER TABLE nodes ADD COLUMN colour TEXT NOT NULL DEFAULT 'blue';
CREATE TABLE colours (name TEXT PRIMARY KEY);
CREATE INDEX documents_size ON documents (length(document));`,
};
const later: Migration = {
  version: POSTGRES_VERSION + 2,
  oldest: POSTGRES_VERSION + 1,
  sql: 'ALTER TABLE nodes DROP COLUMN version;',
};
const [nextRelease, laterRelease] = [
  [...MIGRATIONS, next],
  [...MIGRATIONS, next, later],
];

function connect(url: string): PostgresConnection {
  const database = new PostgresConnection(readDatabasePlace(url), { connections: 2, name: 'test' });
  closers.push(() => database.close());
  return database;
}

async function open(url: string, instance: string): Promise<PostgresStores> {
  const stores = await openPostgresStores(url, { directory: folder, connections: 4, instance, mayMigrate: true });
  closers.push(() => stores.close());
  return stores;
}

async function beat(stores: PostgresStores, name: string, tables: number): Promise<Heartbeat> {
  const detail = { host: 'a', release: '0', process: 1, tables };
  const reportFault = (error: unknown) => {
    throw error;
  };
  return Heartbeat.start(stores.database, stores.clock, { name, detail, reportFault });
}

describe.skipIf(!canSharePostgres())('tables of another release', () => {
  let url: string;
  let database: PostgresConnection;
  beforeEach(async () => {
    url = await createTestDatabase();
    database = connect(url);
  });

  it('go on being used by servers of the release before, while one of the next brings them forward', async () => {
    const [old, other] = [await open(url, 'old'), await open(url, 'other')];
    const hearts = [await beat(old, 'old', POSTGRES_VERSION), await beat(other, 'other', POSTGRES_VERSION)];
    const stop = new AbortController();
    let rounds = 0;
    const work = async (stores: PostgresStores, name: string) => {
      for (let round = 0; !stop.signal.aborted; round += 1) {
        const certname = `${name}${round % 7}.example.com`;
        await stores.nodes.markSeen(certname, 'production', round);
        await stores.nodes.want(certname, 'asked', round, { asked: true });
        await stores.queue.send('express', [{ certname, generation: 1, reason: 'asked', at: round }]);
        for (const job of await stores.queue.receive(1, 0)) await stores.queue.acknowledge(job);
        await stores.documents.put('things', certname, { round });
        await stores.blobs.put(`facts/${certname}`, Buffer.from(`${round}`));
        expect((await stores.nodes.get(certname))?.wanted).toBeGreaterThan(0);
        rounds += 1;
      }
    };
    const working = [work(old, 'a'), work(other, 'b'), work(old, 'c')];
    await expect.poll(() => rounds).toBeGreaterThan(10);
    // Several servers of the next release start at the same time.
    const before = rounds;
    await Promise.all([1, 2, 3].map(() => bringTables(database, nextRelease)));
    await expect.poll(() => rounds).toBeGreaterThan(before + 30);
    stop.abort();
    await Promise.all(working);
    // A worker or a server of the release before that starts again.
    const again = await open(url, 'again');
    expect((await again.nodes.get('a0.example.com'))?.lastSeen).toBeGreaterThanOrEqual(0);
    expect(await database.get('SELECT colour FROM nodes LIMIT 1')).toEqual({ colour: 'blue' });

    // A step that servers of that release cannot bear waits for their end.
    const contract = () => bringTables(database, laterRelease);
    await expect(contract()).rejects.toThrow(
      new StoreRefused(
        'the tables of this release would break servers of an older one that run: old, other. Upgrade them to the release before this one first, or stop them',
      ),
    );
    await requireTables(database, nextRelease);
    for (const heart of hearts) await heart.stop();
    const upgraded = await beat(other, 'other', POSTGRES_VERSION + 1);
    await contract();
    await upgraded.stop();
    await expect(open(url, 'late')).rejects.toThrow(
      `the database has the tables of a newer release: version ${POSTGRES_VERSION + 2}, and this release knows ${POSTGRES_VERSION}`,
    );
  });

  it('are refused by commands of a newer release, and by servers when there are none', async () => {
    await expect(requireTables(database, nextRelease)).rejects.toThrow(
      `the database has the tables of an older release (${POSTGRES_VERSION}): run 'understudy database prepare'`,
    );
    await database.run('DELETE FROM schema_version');
    await expect(bringTables(database)).rejects.toThrow('the database has no tables of Understudy');
  });

  it('are brought forward completely or not at all', async () => {
    const broken = { ...next, sql: `${next.sql}\nALTER TABLE absent ADD COLUMN colour TEXT;` };
    await expect(bringTables(database, [...MIGRATIONS, broken])).rejects.toThrow('absent');
    await requireTables(database);
    expect(await prepareTables(database, nextRelease)).toBe(POSTGRES_VERSION);
    expect(await prepareTables(database, nextRelease)).toBe(POSTGRES_VERSION + 1);
  });

  it('of each released version become those of this one', async () => {
    const shapeOf = async (one: PostgresConnection) => ({
      columns: await one.selectAll(
        `SELECT table_name, column_name, data_type, column_default, is_nullable, collation_name
         FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> 'schema_version' ORDER BY 1, 2`,
      ),
      indexes: await one.selectAll("SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1"),
      storage: await one.selectAll(
        "SELECT relname, reloptions::text FROM pg_class WHERE reloptions IS NOT NULL AND relkind = 'r' ORDER BY 1",
      ),
    });
    const expected = await shapeOf(database);
    expect(expected.columns.length).toBeGreaterThan(50);
    for (let version = 1; version <= POSTGRES_VERSION; version += 1) {
      const older = connect(await createTestDatabase());
      await older.run('DROP SCHEMA public CASCADE');
      await older.run('CREATE SCHEMA public');
      const sql = readFileSync(`test/fixtures/postgres-tables/version-${version}.sql`, 'utf8');
      await prepareTables(older, [{ version, sql, oldest: 1 }]);
      await bringTables(older);
      expect(await shapeOf(older)).toEqual(expected);
    }
  });
});
