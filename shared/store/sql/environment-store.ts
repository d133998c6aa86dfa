import type { EnvironmentRecord, EnvironmentStore } from '../ports/environment-store.ts';
import { jsonOfColumn, type Row, type SqlConnection } from './connection.ts';

const RECORD = 'SELECT record FROM environments WHERE name = ?';

/** Stores one row per environment: its revision for conditions, and the record as JSON. */
export class SqlEnvironmentStore implements EnvironmentStore {
  readonly #database: SqlConnection;

  constructor(database: SqlConnection) {
    this.#database = database;
  }

  async get(name: string): Promise<EnvironmentRecord | null> {
    const row = await this.#database.get(RECORD, name);
    return row && recordOf(row);
  }

  async list(): Promise<readonly EnvironmentRecord[]> {
    const rows = await this.#database.selectAll('SELECT record FROM environments ORDER BY name');
    return rows.flatMap((row) => recordOf(row) ?? []);
  }

  async replace(record: EnvironmentRecord, expected: number | null): Promise<boolean> {
    const { name, revision } = record;
    const sql =
      expected === null
        ? 'INSERT INTO environments (revision, record, name) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'
        : 'UPDATE environments SET revision = ?, record = ? WHERE name = ? AND revision = ?';
    const expectation = expected === null ? [] : [expected];
    return (await this.#database.run(sql, revision, JSON.stringify(record), name, ...expectation)) === 1;
  }

  async settle(name: string, revision: number): Promise<void> {
    await this.#database.runInTransaction(async (on) => {
      const row = await on.get(`${RECORD}${on.dialect.locked}`, name);
      const record = row && recordOf(row);
      if (record?.revision !== revision) return;
      const settled: EnvironmentRecord = { ...record, settled: revision };
      await on.run('UPDATE environments SET record = ? WHERE name = ?', JSON.stringify(settled), name);
    });
  }

  async delete(name: string): Promise<void> {
    await this.#database.run('DELETE FROM environments WHERE name = ?', name);
  }
}

function recordOf(row: Row): EnvironmentRecord | null {
  return jsonOfColumn<EnvironmentRecord>(row, 'record');
}
