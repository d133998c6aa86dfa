import type { EnvironmentRecord, EnvironmentStore } from '../ports.ts';
import { json } from './attributes.ts';
import type { Item, Table } from './table.ts';

/** One item an environment: `codeId` for conditions, the record as JSON. */
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

  replace(record: EnvironmentRecord, expected: string | null): Promise<boolean> {
    const condition =
      expected === null
        ? { text: 'attribute_not_exists(#name)' }
        : { text: '#codeId = :expected', values: { ':expected': expected } };
    return this.#table.put(itemOf(record), condition);
  }

  async settle(name: string, codeId: string): Promise<void> {
    const record = await this.get(name);
    if (record?.codeId !== codeId) return;
    const condition = { text: '#codeId = :codeId', values: { ':codeId': codeId } };
    await this.#table.put(itemOf({ ...record, settled: codeId }), condition);
  }

  async delete(name: string): Promise<void> {
    await this.#table.delete({ name });
  }
}

function itemOf(record: EnvironmentRecord): Item {
  return { name: record.name, codeId: record.codeId, record: JSON.stringify(record) };
}

function recordOf(item: Item): EnvironmentRecord | null {
  return json<EnvironmentRecord>(item, 'record');
}
