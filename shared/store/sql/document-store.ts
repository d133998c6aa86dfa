import { canonicalJson } from '../../util/digest.ts';
import { reportChange } from '../node-changes.ts';
import type { DocumentStore, StoredDocument } from '../ports/document-store.ts';
import { jsonOfColumn, numberOfColumn, type Row, type SqlConnection, textOfColumn } from './connection.ts';
import type { SqlNodeChangeLog } from './node-change-log.ts';

/** Sorts after every character allowed in a key. */
const BEHIND_ALL = '\u{10ffff}';

/** Stores one row per document, with the document as canonical JSON. */
export class SqlDocumentStore implements DocumentStore {
  readonly #database: SqlConnection;
  readonly #changes: SqlNodeChangeLog;

  constructor(database: SqlConnection, changes: SqlNodeChangeLog) {
    this.#database = database;
    this.#changes = changes;
  }

  // The embedded store deletes nothing by itself: pruning does.
  async put(collection: string, key: string, document: StoredDocument): Promise<void> {
    await this.#write(
      `INSERT INTO documents (collection, key, document) VALUES (?, ?, ?)
       ON CONFLICT (collection, key) DO UPDATE SET document = excluded.document, count = NULL`,
      collection,
      key,
      document,
    );
  }

  async count(collection: string, key: string, document: StoredDocument): Promise<void> {
    await this.#write(
      `INSERT INTO documents (collection, key, document, count) VALUES (?, ?, ?, 1)
       ON CONFLICT (collection, key)
       DO UPDATE SET document = excluded.document, count = coalesce(documents.count, 0) + 1`,
      collection,
      key,
      document,
    );
  }

  async #write(sql: string, collection: string, key: string, document: StoredDocument): Promise<void> {
    const change = reportChange(collection, document, this.#changes.now());
    const body = canonicalJson(document);
    if (change === null) await this.#database.run(sql, collection, key, body);
    else await this.#changes.runWith(change, sql, collection, key, body);
  }

  async create(collection: string, key: string, document: StoredDocument): Promise<boolean> {
    const changed = await this.#database.run(
      'INSERT INTO documents (collection, key, document) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
      collection,
      key,
      canonicalJson(document),
    );
    return changed === 1;
  }

  async replace(collection: string, key: string, expected: StoredDocument, document: StoredDocument): Promise<boolean> {
    const changed = await this.#database.run(
      'UPDATE documents SET document = ? WHERE collection = ? AND key = ? AND document = ?',
      canonicalJson(document),
      collection,
      key,
      canonicalJson(expected),
    );
    return changed === 1;
  }

  async get(collection: string, key: string): Promise<StoredDocument | null> {
    const row = await this.#database.get(
      'SELECT document, count FROM documents WHERE collection = ? AND key = ?',
      collection,
      key,
    );
    return row && readDocument(row);
  }

  async list(
    collection: string,
    prefix: string,
    limit: number,
    after = '',
  ): Promise<readonly { readonly key: string; readonly document: StoredDocument }[]> {
    const rows = await this.#database.selectAll(
      `SELECT key, document, count FROM documents WHERE collection = ? AND key >= ? AND key <= ? AND key > ? ORDER BY key LIMIT ?`,
      collection,
      prefix,
      prefix + BEHIND_ALL,
      after,
      limit,
    );
    return rows.map((row) => ({
      key: textOfColumn(row, 'key'),
      document: readDocument(row) ?? {},
    }));
  }

  async countKeys(collection: string, most: number): Promise<number> {
    const row = await this.#database.get(
      'SELECT count(*) AS number FROM (SELECT 1 AS one FROM documents WHERE collection = ? LIMIT ?) AS found',
      collection,
      most,
    );
    return row === null ? 0 : numberOfColumn(row, 'number');
  }

  async delete(collection: string, key: string): Promise<void> {
    await this.#database.run('DELETE FROM documents WHERE collection = ? AND key = ?', collection, key);
  }

  async remove(collection: string, key: string, expected: StoredDocument): Promise<boolean> {
    const changed = await this.#database.run(
      'DELETE FROM documents WHERE collection = ? AND key = ? AND document = ?',
      collection,
      key,
      canonicalJson(expected),
    );
    return changed === 1;
  }
}

function readDocument(row: Row): StoredDocument | null {
  const document = jsonOfColumn<StoredDocument>(row, 'document');
  return document && row.count !== null ? { ...document, count: Number(row.count) } : document;
}
