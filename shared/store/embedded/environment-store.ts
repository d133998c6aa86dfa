import type { EnvironmentRecord, EnvironmentStore } from '../ports.ts';
import { type EmbeddedDatabase, json, type Row } from './database.ts';

export class EmbeddedEnvironmentStore implements EnvironmentStore {
  readonly #database: EmbeddedDatabase;

  constructor(database: EmbeddedDatabase) {
    this.#database = database;
  }

  async get(name: string): Promise<EnvironmentRecord | null> {
    return this.#get(name);
  }

  async list(): Promise<readonly EnvironmentRecord[]> {
    return this.#database.all('SELECT record FROM environments ORDER BY name').flatMap((row) => recordOf(row) ?? []);
  }

  async replace(record: EnvironmentRecord, expected: string | null): Promise<boolean> {
    const { name, codeId } = record;
    const body = JSON.stringify(record);
    const changed =
      expected === null
        ? this.#database.run(
            'INSERT OR IGNORE INTO environments (name, code_id, record) VALUES (?, ?, ?)',
            name,
            codeId,
            body,
          )
        : this.#database.run(
            'UPDATE environments SET code_id = ?, record = ? WHERE name = ? AND code_id = ?',
            codeId,
            body,
            name,
            expected,
          );
    return changed === 1;
  }

  async settle(name: string, codeId: string): Promise<void> {
    this.#database.transaction(() => {
      const record = this.#get(name);
      if (record?.codeId !== codeId) return;
      const settled: EnvironmentRecord = { ...record, settled: codeId };
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
  return json<EnvironmentRecord>(row, 'record');
}
