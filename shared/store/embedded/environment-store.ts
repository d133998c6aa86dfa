import type { EnvironmentRecord, EnvironmentStore } from '../ports/environment-store.ts';
import { type EmbeddedDatabase, jsonOfColumn, type Row } from './database.ts';

/** Stores one row per environment: its revision for conditions, and the record as JSON. */
export class EmbeddedEnvironmentStore implements EnvironmentStore {
  readonly #database: EmbeddedDatabase;

  constructor(database: EmbeddedDatabase) {
    this.#database = database;
  }

  async get(name: string): Promise<EnvironmentRecord | null> {
    return this.#get(name);
  }

  async list(): Promise<readonly EnvironmentRecord[]> {
    return this.#database
      .selectAll('SELECT record FROM environments ORDER BY name')
      .flatMap((row) => recordOf(row) ?? []);
  }

  async replace(record: EnvironmentRecord, expected: number | null): Promise<boolean> {
    const { name, revision } = record;
    const body = JSON.stringify(record);
    const changed =
      expected === null
        ? this.#database.run(
            'INSERT OR IGNORE INTO environments (name, revision, record) VALUES (?, ?, ?)',
            name,
            revision,
            body,
          )
        : this.#database.run(
            'UPDATE environments SET revision = ?, record = ? WHERE name = ? AND revision = ?',
            revision,
            body,
            name,
            expected,
          );
    return changed === 1;
  }

  async settle(name: string, revision: number): Promise<void> {
    this.#database.runInTransaction(() => {
      const record = this.#get(name);
      if (record?.revision !== revision) return;
      const settled: EnvironmentRecord = { ...record, settled: revision };
      this.#database.run('UPDATE environments SET record = ? WHERE name = ?', JSON.stringify(settled), name);
    });
  }

  async delete(name: string): Promise<void> {
    this.#database.run('DELETE FROM environments WHERE name = ?', name);
  }

  #get(name: string): EnvironmentRecord | null {
    const row = this.#database.get('SELECT record FROM environments WHERE name = ?', name);
    return row && recordOf(row);
  }
}

function recordOf(row: Row): EnvironmentRecord | null {
  return jsonOfColumn<EnvironmentRecord>(row, 'record');
}
