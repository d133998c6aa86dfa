import type { EnvironmentRecord, EnvironmentStore } from '../ports/environment-store.ts';
import { printAttribute, readJson } from './attributes.ts';
import { attributeNotExists, compareTo } from './expressions.ts';
import type { Item, Table } from './table.ts';

/** Stores one item per environment: `revision` for conditions, the record as JSON. */
export class AwsEnvironmentStore implements EnvironmentStore {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  async get(name: string): Promise<EnvironmentRecord | null> {
    const item = await this.#table.get({ name });
    return item && recordOf(item);
  }

  async list(): Promise<readonly EnvironmentRecord[]> {
    const records = (await this.#table.scan(undefined, undefined)).flatMap((item) => recordOf(item) ?? []);
    return records.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  replace(record: EnvironmentRecord, expected: number | null): Promise<boolean> {
    const condition = expected === null ? attributeNotExists('name') : compareTo('revision', '=', expected);
    return this.#table.put(itemOf(record), condition);
  }

  async settle(name: string, revision: number): Promise<void> {
    const record = await this.get(name);
    if (record?.revision !== revision) return;
    await this.#table.put(itemOf({ ...record, settled: revision }), compareTo('revision', '=', revision));
  }

  async delete(name: string): Promise<void> {
    await this.#table.delete({ name });
  }
}

function itemOf(record: EnvironmentRecord): Item {
  return { name: record.name, revision: record.revision, record: printAttribute('record', record) };
}

function recordOf(item: Item): EnvironmentRecord | null {
  return readJson<EnvironmentRecord>(item, 'record');
}
