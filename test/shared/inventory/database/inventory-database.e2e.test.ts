import { threadId } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readChecksumState } from '../../../../shared/inventory/database/checksum-state.ts';
import {
  type DatabaseRow,
  type InventoryDatabase,
  StatementTimedOut,
} from '../../../../shared/inventory/database/inventory-database.ts';
import { PgliteDatabase } from '../../../../shared/inventory/database/pglite-database.ts';
import { PostgresServer } from '../../../../shared/inventory/database/postgres-server.ts';
import { prepareSchema } from '../../../../shared/inventory/database/schema.ts';
import { bind, sql } from '../../../../shared/inventory/database/sql.ts';
import { systemClock } from '../../../../shared/store/system-clock.ts';
import { ADD_NODE } from '../../../helpers/database-task.ts';
import { openTestDatabase, type TestDatabase } from '../../../helpers/inventory-database.ts';

const LIMITS = { timeMs: 30_000, rows: 1_000_000, megabytes: 64 };

async function readRows(database: InventoryDatabase, text: string, limits = LIMITS): Promise<readonly DatabaseRow[]> {
  const rows: DatabaseRow[] = [];
  for await (const batch of database.read({ text, values: [] }, limits)) rows.push(...batch);
  return rows;
}

/** The contract of InventoryDatabase. */
function describeDatabase(name: string, open: () => Promise<{ database: InventoryDatabase; remove(): Promise<void> }>) {
  describe(name, () => {
    let opened: { database: InventoryDatabase; remove(): Promise<void> };
    beforeAll(async () => {
      opened = await open();
      await prepareSchema(opened.database);
    });
    afterAll(() => opened.remove());

    it('prepares a schema once', async () => {
      await prepareSchema(opened.database);
      expect(await readRows(opened.database, 'select max(version) from schema_version')).toEqual([['6']]);
    });

    it('refuses a schema of another version', async () => {
      const setVersion = (version: number) =>
        opened.database.transaction((connection) =>
          connection.run({ text: `update schema_version set version = ${version}`, values: [] }),
        );
      for (const other of [5, 7]) {
        await setVersion(other);
        await expect(prepareSchema(opened.database)).rejects.toThrow(
          `the inventory has schema ${other}, and this release knows 6 only: begin with an empty inventory`,
        );
      }
      await setVersion(6);
    });

    it('says whether it checks its pages', async () => {
      expect(await readChecksumState(opened.database)).toEqual({ isOn: expect.any(Boolean), failures: 0 });
    });

    it('gives values as text of PostgreSQL', async () => {
      const columns =
        "null, true, 1.50, array['a b', null], '{\"a\": 1.0}'::jsonb, timestamptz '2026-01-02 03:04:05.6+02'";
      expect(await readRows(opened.database, `select ${columns}`)).toEqual([
        [null, 't', '1.50', '{"a b",NULL}', '{"a": 1.0}', '2026-01-02 01:04:05.6+00'],
      ]);
    });

    it('never takes a value for SQL', async () => {
      const value = "'; drop table certnames; -- $1";
      const rows: DatabaseRow[] = [];
      const statement = sql`select ${bind(value)}, ${bind('7', 'int')} + 1, ${bind(null, 'uuid')}`.render();
      for await (const batch of opened.database.read(statement, LIMITS)) rows.push(...batch);
      expect(rows).toEqual([[value, '8', null]]);
    });

    it('commits what a transaction did, and nothing of one that throws', async () => {
      const insert = (certname: string) => sql`insert into certnames (certname) values (${bind(certname)})`.render();
      await opened.database.transaction((connection) => connection.run(insert('kept')));
      const failed = opened.database.transaction(async (connection) => {
        await connection.run(insert('lost'));
        throw new Error('no');
      });
      await expect(failed).rejects.toThrow('no');
      expect(
        await readRows(opened.database, "select certname from certnames where certname in ('kept', 'lost')"),
      ).toEqual([['kept']]);
    });

    it('runs transactions that were started together', async () => {
      const one = (number: number) =>
        opened.database.transaction((connection) => connection.run({ text: `select ${number}`, values: [] }));
      expect(await Promise.all([one(1), one(2), one(3)])).toEqual([[['1']], [['2']], [['3']]]);
    });

    it('does tasks in another thread, in one transaction', async () => {
      const { database } = opened;
      expect(await database.perform(ADD_NODE, { certname: 'done' })).not.toBe(threadId);
      await expect(database.perform(ADD_NODE, { certname: 'undone', failure: 'error' })).rejects.toThrow(
        'failed by itself',
      );
      await expect(database.perform(ADD_NODE, { certname: 'undone', failure: 'database' })).rejects.toMatchObject({
        name: 'DatabaseError',
        code: '42703',
      });
      expect(await readRows(database, "select certname from certnames where certname like '%done'")).toEqual([
        ['done'],
      ]);
    });

    it('reads in batches, and stops when the reader does', async () => {
      let count = 0;
      const statement = { text: 'select generate_series(1, 100000)', values: [] };
      for await (const batch of opened.database.read(statement, LIMITS)) {
        count += batch.length;
        if (count > 300) break;
      }
      expect(count).toBeGreaterThan(300);
      expect(count).toBeLessThan(1000);
      expect(await readRows(opened.database, 'select 1')).toEqual([['1']]);
    });

    it('serves others while readers wait, who then get their other rows', async () => {
      const read = async (rows: number) => {
        const statement = { text: `select generate_series(1, ${rows})`, values: [] };
        const reading = opened.database.read(statement, LIMITS)[Symbol.asyncIterator]();
        const first = await reading.next();
        return { reading, count: first.value.length };
      };
      const readers = await Promise.all([read(1000), read(2000), read(3000)]);
      expect(await readRows(opened.database, 'select 1')).toEqual([['1']]);
      await readers[0].reading.return?.();
      for (const one of readers.slice(1)) {
        for await (const batch of { [Symbol.asyncIterator]: () => one.reading }) one.count += batch.length;
      }
      expect(readers.map(({ count }) => count)).toEqual([20, 2000, 3000]);
    });

    it('takes the rows from a reader that waits too long', async () => {
      const statement = { text: 'select generate_series(1, 100000)', values: [] };
      const limits = { timeMs: 500, rows: 1_000_000, megabytes: 64 };
      const reading = opened.database.read(statement, limits)[Symbol.asyncIterator]();
      await reading.next();
      await systemClock.sleep(600);
      expect(await readRows(opened.database, 'select 1')).toEqual([['1']]);
      await expect(reading.next()).rejects.toThrow();
      const kept = opened.database.transaction((connection) =>
        connection.run({ text: "select name from pg_cursors where name <> ''", values: [] }),
      );
      expect(await kept).toEqual([]);
    });

    it('refuses more rows than allowed', async () => {
      const reading = readRows(opened.database, 'select generate_series(1, 1000)', {
        timeMs: 30_000,
        rows: 500,
        megabytes: 64,
      });
      await expect(reading).rejects.toThrow(
        'The query has more than 500 rows; ask for fewer with limit and offset, or a projection with group by',
      );
      expect(await readRows(opened.database, 'select 1')).toEqual([['1']]);
    });

    it('gives errors of PostgreSQL with their code and hint', async () => {
      await expect(readRows(opened.database, "select 'a' ~ '('")).rejects.toMatchObject({
        name: 'DatabaseError',
        code: '2201B',
        message: 'ERROR: invalid regular expression: parentheses () not balanced',
      });
      await expect(readRows(opened.database, "select avg('x'::text)")).rejects.toThrow(
        /^ERROR: function avg\(text\) does not exist\n {2}Hint: /,
      );
      expect(await readRows(opened.database, 'select 1')).toEqual([['1']]);
    });

    it('cancels a statement beyond its limit, and keeps what was committed', async () => {
      const text = 'select count(*) from generate_series(1, 1000000000)';
      const slow = readRows(opened.database, text, { timeMs: 300, rows: 10, megabytes: 64 });
      await expect(slow).rejects.toThrow(StatementTimedOut);
      expect(await readRows(opened.database, "select certname from certnames where certname = 'kept'")).toEqual([
        ['kept'],
      ]);
    });
  });
}

describeDatabase('PGlite', (): Promise<TestDatabase> => openTestDatabase());

const url = process.env.TEST_INVENTORY_POSTGRES;
/** A PostgreSQL server with an empty database, where one is given. */
describe.skipIf(url === undefined)('with a server', () => {
  describeDatabase('PostgreSQL', async () => {
    const database = new PostgresServer(url ?? '');
    const reset = (connection: { run(statement: { text: string; values: [] }): Promise<unknown> }) =>
      connection.run({ text: 'drop schema public cascade', values: [] });
    await database.transaction(async (connection) => {
      await reset(connection);
      await connection.run({ text: 'create schema public', values: [] });
    });
    return { database, remove: () => database.close() };
  });
});

describe('an inventory that is new', () => {
  const read = (database: PgliteDatabase) =>
    database.transaction((connection) => connection.run({ text: 'select 1', values: [] }));

  it('is made in a time that bounds no statement', async () => {
    const began = performance.now();
    // A statement has its limit from when the database is open.
    const database = new PgliteDatabase(null, undefined, { writeMs: 60_000, openMs: 3_600_000 });
    expect(await read(database)).toEqual([['1']]);
    const openMs = performance.now() - began;
    await database.close();
    const quick = new PgliteDatabase(null, undefined, { writeMs: openMs / 2, openMs: 3_600_000 });
    expect(await read(quick)).toEqual([['1']]);
    await quick.close();
  });

  it('is named when it cannot be opened in time, and opened with the next try', async () => {
    const limits = { writeMs: 60_000, openMs: 1 };
    const database = new PgliteDatabase(null, undefined, limits);
    await expect(read(database)).rejects.toThrow('the inventory in memory was not opened in 0.001 s: start again');
    limits.openMs = 3_600_000;
    expect(await read(database)).toEqual([['1']]);
    await database.close();
  });
});
