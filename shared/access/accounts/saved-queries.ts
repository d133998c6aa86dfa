import { changeDocument } from '../../store/change-document.ts';
import type { DocumentStore, StoredDocument } from '../../store/ports/document-store.ts';
import { isJsonObject } from '../../util/json-object.ts';
import { AccessRefused } from './access-control.ts';
import type { Author } from './account.ts';

/** Who sees a saved query: its user alone, or all who may query. */
export const QUERY_SCOPES = ['own', 'shared'] as const;
export type QueryScope = (typeof QUERY_SCOPES)[number];

/** A query of the inventory with a name. */
interface SavedQuery {
  readonly name: string;
  /** PQL. */
  readonly query: string;
  /** When it was saved, in ms since 1970. */
  readonly at: number;
  /** Who saved it. */
  readonly by: Pick<Author, 'id' | 'login'>;
}

const COLLECTION = 'saved-queries';
const SHARED = 'shared';
const MOST_QUERIES = 100;
const LONGEST_NAME = 80;
const LONGEST_QUERY = 8_000;
/** Stores take documents below 300 KB. */
const MOST_BYTES = 250_000;

/** Key of the document with the queries that only a user sees. */
function keyOfUser(id: string): string {
  return `users/${id}`;
}

/**
 * Stores the queries that users save: one document for each user, and one for those of all. A list
 * thus costs two reads, and the bounds hold for writers at the same time.
 */
export class SavedQueries {
  readonly #documents: DocumentStore;

  constructor(documents: DocumentStore) {
    this.#documents = documents;
  }

  /** The queries of a user and those of all, each by name. */
  async list(userId: string): Promise<Readonly<Record<QueryScope, readonly SavedQuery[]>>> {
    const read = async (key: string) => readQueries(await this.#documents.get(COLLECTION, key));
    const [own, shared] = await Promise.all([read(keyOfUser(userId)), read(SHARED)]);
    return { own, shared };
  }

  /** Finds a query of all; null when there is none of the name. */
  async findShared(name: string): Promise<SavedQuery | null> {
    const queries = readQueries(await this.#documents.get(COLLECTION, SHARED));
    return queries.find((one) => one.name === name) ?? null;
  }

  /**
   * Creates or replaces a query. Rejects with AccessRefused `schema-violation` for a name or a text
   * that is too long, and for more than 100 queries or 250,000 bytes of them.
   */
  async put(scope: QueryScope, saved: SavedQuery): Promise<void> {
    checkQuery(saved);
    await changeDocument(this.#documents, COLLECTION, keyOf(scope, saved.by.id), (stored) => {
      const others = readQueries(stored).filter(({ name }) => name !== saved.name);
      const queries = [...others, saved].toSorted((a, b) => (a.name < b.name ? -1 : 1));
      if (queries.length > MOST_QUERIES)
        throw refuse(`No more than ${MOST_QUERIES} queries are kept: delete one first`);
      const document = { queries };
      if (Buffer.byteLength(JSON.stringify(document)) > MOST_BYTES) {
        throw refuse(`Saved queries have no more than ${MOST_BYTES} bytes together: delete one first`);
      }
      return document;
    });
  }

  /** Deletes a query; false when there is none of the name. */
  async remove(scope: QueryScope, userId: string, name: string): Promise<boolean> {
    let isFound = false;
    await changeDocument(this.#documents, COLLECTION, keyOf(scope, userId), (stored) => {
      const before = readQueries(stored);
      const queries = before.filter((one) => one.name !== name);
      isFound = queries.length < before.length;
      return isFound ? { queries } : null;
    });
    return isFound;
  }

  /** Deletes all that only this user sees. */
  async forgetUser(id: string): Promise<void> {
    await this.#documents.delete(COLLECTION, keyOfUser(id));
  }
}

function keyOf(scope: QueryScope, userId: string): string {
  return scope === 'shared' ? SHARED : keyOfUser(userId);
}

function checkQuery({ name, query }: SavedQuery): void {
  // A name is a part of an address, where `.` and `..` have another meaning.
  const isAddress = !/[\p{Cc}/\\]/u.test(name) && !/^\.{1,2}$/.test(name);
  if (name.trim() !== name || name === '' || [...name].length > LONGEST_NAME || !isAddress) {
    throw refuse(`A name has 1 to ${LONGEST_NAME} characters, no blank at its ends, no slash and no control character`);
  }
  if (query.trim() === '' || query.length > LONGEST_QUERY) {
    throw refuse(`A saved query has 1 to ${LONGEST_QUERY} characters`);
  }
}

function refuse(message: string): AccessRefused {
  return new AccessRefused('schema-violation', message);
}

function readQueries(stored: StoredDocument | null): readonly SavedQuery[] {
  return Array.isArray(stored?.queries) ? stored.queries.flatMap(readQuery) : [];
}

function readQuery(stored: unknown): readonly SavedQuery[] {
  const { name, query, at, by } = isJsonObject(stored) ? stored : {};
  const { id, login } = isJsonObject(by) ? by : {};
  if (typeof name !== 'string' || typeof query !== 'string') return [];
  return [{ name, query, at: Number(at), by: { id: String(id), login: String(login) } }];
}
