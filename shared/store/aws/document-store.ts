import { crc32 } from 'node:zlib';
import { DOCUMENT_EXPIRY } from '../../config/deployment.ts';
import { canonicalJson } from '../../util/digest.ts';
import type { DocumentStore, StoredDocument } from '../ports/document-store.ts';
import { damagedError, readJson, readText } from './attributes.ts';
import { allOf, attributeNotExists, beginsWith, compareTo } from './expressions.ts';
import type { Item, Table } from './table.ts';

/** Stores one item per document, with the document as canonical JSON. */
export class AwsDocumentStore implements DocumentStore {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  async put(collection: string, key: string, document: StoredDocument, expiresAt?: number): Promise<void> {
    const expires = expiresAt === undefined ? {} : { [DOCUMENT_EXPIRY]: Math.ceil(expiresAt / 1000) };
    await this.#table.put({ ...printItem(collection, key, document), ...expires });
  }

  async count(collection: string, key: string, document: StoredDocument): Promise<void> {
    const { document: text, digest } = printItem(collection, key, document);
    await this.#table.update({ collection, key }, { set: { document: text, digest }, count: { count: 1 } });
  }

  create(collection: string, key: string, document: StoredDocument): Promise<boolean> {
    return this.#table.put(printItem(collection, key, document), attributeNotExists('key'));
  }

  replace(collection: string, key: string, expected: StoredDocument, document: StoredDocument): Promise<boolean> {
    return this.#table.put(printItem(collection, key, document), compareTo('document', '=', canonicalJson(expected)));
  }

  async get(collection: string, key: string): Promise<StoredDocument | null> {
    const item = await this.#table.get({ collection, key });
    return item && readDocument(item);
  }

  async list(
    collection: string,
    prefix: string,
    limit: number,
    after = '',
  ): Promise<readonly { readonly key: string; readonly document: StoredDocument }[]> {
    const items = await this.#table.query({
      where: allOf(compareTo('collection', '=', collection), prefix === '' ? undefined : beginsWith('key', prefix)),
      limit,
      // DynamoDB refuses an empty key, which stands for the first page.
      ...(after === '' ? {} : { after: { collection, key: after } }),
    });
    return items.map((item) => ({
      key: readText(item, 'key'),
      document: readDocument(item) ?? {},
    }));
  }

  countKeys(collection: string, most: number): Promise<number> {
    return this.#table.count({ where: compareTo('collection', '=', collection), limit: most });
  }

  async delete(collection: string, key: string): Promise<void> {
    await this.#table.delete({ collection, key });
  }

  remove(collection: string, key: string, expected: StoredDocument): Promise<boolean> {
    return this.#table.delete({ collection, key }, compareTo('document', '=', canonicalJson(expected)));
  }
}

/** Converts a document to an item. Its digest reveals a changed document, or one of another key. */
function printItem(collection: string, key: string, document: StoredDocument) {
  const text = canonicalJson(document);
  return { collection, key, document: text, digest: digestOf(collection, key, text) };
}

function digestOf(collection: string, key: string, text: string): number {
  return crc32(JSON.stringify([collection, key, text]));
}

function readDocument(item: Item): StoredDocument | null {
  const [collection = '', key = '', text = ''] = ['collection', 'key', 'document'].map((name) => readText(item, name));
  if (Number(item.digest) !== digestOf(collection, key, text)) throw damagedError(item, 'document');
  const document = readJson<StoredDocument>(item, 'document');
  return document && item.count !== undefined ? { ...document, count: Number(item.count) } : document;
}
