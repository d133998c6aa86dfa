import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { checkDatabase } from '../../../shared/store/embedded/damage/database-check.ts';
import { ROW_REMEDIES, repairDatabase } from '../../../shared/store/embedded/damage/repair-database.ts';
import { EmbeddedDatabase } from '../../../shared/store/embedded/database.ts';
import { DIGESTED_TABLES } from '../../../shared/store/embedded/schema.ts';
import { SqlCompileQueue } from '../../../shared/store/sql/compile-queue.ts';
import { SqlExportStore } from '../../../shared/store/sql/export-store.ts';
import { ManualClock } from '../../helpers/memory-stores.ts';

let directory: string;
let database: EmbeddedDatabase;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'understudy-rows-'));
  database = new EmbeddedDatabase(directory);
});
afterEach(() => {
  database.close();
  rmSync(directory, { recursive: true });
});

function insert(table: string, columns: readonly string[], value: number): void {
  const places = columns.map(() => '?').join(', ');
  const values = columns.map((column) => (column === 'job' ? `{"certname":"n${value}"}` : value));
  database.runNow(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`, ...values);
}

/** Changes a value as a flipped bit does: without its checksum. */
function damage(table: string, column: string, value: number): void {
  const plain = new DatabaseSync(join(directory, 'understudy.db'));
  const sql = String(plain.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').get(table)?.sql);
  const stored = sql.replace(/ AS \(.*?\)\) STORED/s, '');
  plain.enableDefensive(false);
  plain.exec('PRAGMA writable_schema = ON');
  plain.prepare('UPDATE sqlite_schema SET sql = ? WHERE name = ?').run(stored, table);
  plain.exec('PRAGMA writable_schema = RESET');
  plain.prepare(`UPDATE ${table} SET ${column} = ?`).run(value);
  plain.exec('PRAGMA writable_schema = ON');
  plain.prepare('UPDATE sqlite_schema SET sql = ? WHERE name = ?').run(sql, table);
  plain.exec('PRAGMA writable_schema = RESET');
  plain.close();
}

describe.each(DIGESTED_TABLES.map((table) => [table.name, table] as const))('a row of %s', (name, { columns, key }) => {
  it('is read by any condition, and none of another row counts as damaged', () => {
    for (const value of [1, 2, 3]) insert(name, columns, value);
    // SQLite puts constants in place of columns that they are compared with.
    for (const column of columns) {
      for (const other of columns) {
        expect(database.selectAllNow(`SELECT * FROM ${name} WHERE ${column} = 7 AND ${other} = 2`)).toEqual([]);
      }
    }
    expect(database.selectAllNow(`SELECT * FROM ${name}`)).toHaveLength(3);
    expect(checkDatabase(directory)).toEqual({ faults: [], rows: [] });
  });

  const others = columns.filter((column) => !key.includes(column) && column !== 'job');
  it.skipIf(others.length === 0)('is never read, changed or deleted when a value of it is another one', () => {
    insert(name, columns, 1);
    database.close();
    const column = others[0] ?? '';
    damage(name, column, 5);
    database = new EmbeddedDatabase(directory);
    const shown = `'${key.map((one) => database.getNow(`SELECT ${one} FROM main.${name}`)?.[one]).join(', ')}'`;
    const refused = `data directory '${directory}': the row ${shown} of table ${name} is damaged: see 'understudy verify'`;
    expect(() => database.selectAllNow(`SELECT * FROM ${name}`)).toThrow(refused);
    expect(() => database.runNow(`UPDATE ${name} SET ${column} = 6`)).toThrow(refused);
    expect(() => database.runNow(`DELETE FROM ${name}`)).toThrow(refused);
  });

  it('has a remedy', () => {
    expect(ROW_REMEDIES[name]?.text).toMatch(/^[a-z]/);
    insert(name, columns, 1);
    database.close();
    repairDatabase(directory);
    expect(checkDatabase(directory)).toEqual({ faults: [], rows: [] });
    database = new EmbeddedDatabase(directory);
    expect(database.selectAllNow(`SELECT * FROM ${name}`)).toHaveLength(1);
  });
});

it('a damaged job is deleted, and the others are received', async () => {
  const clock = new ManualClock(0);
  const queue = () => new SqlCompileQueue(database, clock, { visibilityMs: 1000, maxReceives: 3 });
  const jobOf = (certname: string) => ({ certname, generation: 1, reason: 'asked', at: 0 });
  await queue().send('waiting', [jobOf('a')]);
  database.close();
  damage('jobs', 'sent_at', 5);
  database = new EmbeddedDatabase(directory);
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  await queue().send('waiting', [jobOf('b')]);
  const received = await queue().receive(10, 0);
  expect(received.map(({ job }) => job.certname)).toEqual(['b']);
  expect(warn.mock.calls).toEqual([
    [
      `data directory '${directory}': the row '1' of table jobs is damaged: see 'understudy verify': deleted 1 such rows`,
    ],
  ]);
  warn.mockRestore();
  expect(checkDatabase(directory)).toEqual({ faults: [], rows: [] });
});

it('a damaged index of exports is made anew of them', async () => {
  const resource = { certname: 'a', type: 'Host', title: 'x', tags: ['web'], parameters: {} };
  const open = () => new SqlExportStore(database, new ManualClock(0));
  await open().replaceExports('a', 1, [resource]);
  database.close();
  damage('export_keys', 'title', 5);
  expect(checkDatabase(directory).rows).not.toEqual([]);
  expect(repairDatabase(directory)).toBe(false);
  database = new EmbeddedDatabase(directory);
  for (const query of [null, ['tag', '==', 'web'], ['title', '==', 'x']]) {
    expect(await open().collect([{ type: 'Host', query }], 'b')).toEqual([resource]);
  }
});
