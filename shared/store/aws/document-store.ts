import { canonicalJson } from '../../util/digest.ts';
import type { DocumentStore, StoredDocument } from '../ports/document-store.ts';
import { readJson, readText } from './attributes.ts';
import type { Table } from './table.ts';

export class AwsDocumentStore implements DocumentStore {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  async put(collection: string, key: string, document: StoredDocument): Promise<void> {
    await this.#table.put({ collection, key, document: canonicalJson(document) });
  }

  create(collection: string, key: string, document: StoredDocument): Promise<boolean> {
    const item = { collection, key, document: canonicalJson(document) };
    return this.#table.put(item, { text: 'attribute_not_exists(#key)' });
  }

  replace(collection: string, key: string, expected: StoredDocument, document: StoredDocument): Promise<boolean> {
    const item = { collection, key, document: canonicalJson(document) };
    return this.#table.put(item, { text: '#document = :expected', values: { ':expected': canonicalJson(expected) } });
  }

  async get(collection: string, key: string): Promise<StoredDocument | null> {
    const item = await this.#table.get({ collection, key });
    return item && readJson<StoredDocument>(item, 'document');
  }

  async list(
    collection: string,
    prefix: string,
    limit: number,
    after?: string,
  ): Promise<readonly { readonly key: string; readonly document: StoredDocument }[]> {
    const inPrefix = prefix === '' ? '' : ' AND begins_with(#key, :prefix)';
    const items = await this.#table.query({
      text: `#collection = :collection${inPrefix}`,
      values: { ':collection': collection, ...(prefix === '' ? {} : { ':prefix': prefix }) },
      limit,
      ...(after === undefined ? {} : { after: { collection, key: after } }),
    });
    return items.map((item) => ({
      key: readText(item, 'key'),
      document: readJson<StoredDocument>(item, 'document') ?? {},
    }));
  }

  async delete(collection: string, key: string): Promise<void> {
    await this.#table.delete({ collection, key });
  }

  remove(collection: string, key: string, expected: StoredDocument): Promise<boolean> {
    const values = { ':expected': canonicalJson(expected) };
    return this.#table.delete({ collection, key }, { text: '#document = :expected', values });
  }
}
