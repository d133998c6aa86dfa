import { canonicalJson } from '../../util/digest.ts';
import type { DocumentStore, StoredDocument } from '../ports/document-store.ts';
import { type EmbeddedDatabase, jsonOfColumn, textOfColumn } from './database.ts';

/** Sorts after every character allowed in a key. */
const BEHIND_ALL = '\u{10ffff}';

export class EmbeddedDocumentStore implements DocumentStore {
  readonly #database: EmbeddedDatabase;

  constructor(database: EmbeddedDatabase) {
    this.#database = database;
  }

  async put(collection: string, key: string, document: StoredDocument): Promise<void> {
    this.#database.run(
      'INSERT OR REPLACE INTO documents (collection, key, document) VALUES (?, ?, ?)',
      collection,
      key,
      canonicalJson(document),
    );
  }

  async create(collection: string, key: string, document: StoredDocument): Promise<boolean> {
    const changed = this.#database.run(
      'INSERT OR IGNORE INTO documents (collection, key, document) VALUES (?, ?, ?)',
      collection,
      key,
      canonicalJson(document),
    );
    return changed === 1;
  }

  async replace(collection: string, key: string, expected: StoredDocument, document: StoredDocument): Promise<boolean> {
    const changed = this.#database.run(
      'UPDATE documents SET document = ? WHERE collection = ? AND key = ? AND document = ?',
      canonicalJson(document),
      collection,
      key,
      canonicalJson(expected),
    );
    return changed === 1;
  }

  async get(collection: string, key: string): Promise<StoredDocument | null> {
    const row = this.#database.get('SELECT document FROM documents WHERE collection = ? AND key = ?', collection, key);
    return row && jsonOfColumn<StoredDocument>(row, 'document');
  }

  async list(
    collection: string,
    prefix: string,
    limit: number,
    after = '',
  ): Promise<readonly { readonly key: string; readonly document: StoredDocument }[]> {
    const rows = this.#database.selectAll(
      `SELECT key, document FROM documents WHERE collection = ? AND key >= ? AND key <= ? AND key > ? ORDER BY key LIMIT ?`,
      collection,
      prefix,
      prefix + BEHIND_ALL,
      after,
      limit,
    );
    return rows.map((row) => ({
      key: textOfColumn(row, 'key'),
      document: jsonOfColumn<StoredDocument>(row, 'document') ?? {},
    }));
  }

  async delete(collection: string, key: string): Promise<void> {
    this.#database.run('DELETE FROM documents WHERE collection = ? AND key = ?', collection, key);
  }

  async remove(collection: string, key: string, expected: StoredDocument): Promise<boolean> {
    const changed = this.#database.run(
      'DELETE FROM documents WHERE collection = ? AND key = ? AND document = ?',
      collection,
      key,
      canonicalJson(expected),
    );
    return changed === 1;
  }
}
