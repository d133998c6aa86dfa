import { allDocuments } from '../../store/list-pages.ts';
import type { DocumentStore, StoredDocument } from '../../store/ports/document-store.ts';

/** The collection of documents. The key of one is its environment, a slash, and its name. */
export const KEPT_VALUES = 'kept-values';

/** A value that code of modules keeps, as listed: without its text. */
export interface KeptValueEntry {
  readonly environment: string;
  readonly name: string;
  /** Identifies this state of the value; says nothing of its text. */
  readonly version: string;
  /** Milliseconds since 1970. */
  readonly changedAt: number;
  /** The node whose compile wrote it, or who set it. */
  readonly by: string;
}

/** The key of a value's document. */
export function keptValueKey(environment: string, name: string): string {
  return `${environment}/${name}`;
}

/** Lists the values of an environment, or of all (null), by environment and name. */
export async function* listKeptValues(
  documents: DocumentStore,
  environment: string | null,
): AsyncGenerator<KeptValueEntry> {
  const prefix = environment === null ? '' : `${environment}/`;
  for await (const { document } of allDocuments(documents, KEPT_VALUES, { prefix })) yield entryOf(document);
}

/**
 * Removes a value, so that the next compile that needs it creates another. False when there is
 * none, or it was changed meanwhile.
 */
export async function removeKeptValue(documents: DocumentStore, environment: string, name: string): Promise<boolean> {
  const key = keptValueKey(environment, name);
  const known = await documents.get(KEPT_VALUES, key);
  return known !== null && documents.remove(KEPT_VALUES, key, known);
}

/** The document was written by `KeptValueRecords` only. */
function entryOf(document: StoredDocument): KeptValueEntry {
  const { environment, name, version, changedAt, by } = document as StoredDocument & KeptValueEntry;
  return { environment, name, version, changedAt, by };
}
