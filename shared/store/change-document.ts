import type { DocumentStore, StoredDocument } from './ports/document-store.ts';
import { StoreUnavailable } from './ports/store-errors.ts';

/** Bounded retry: 20 lost races in a row do not occur in practice. */
const MOST_RACES = 20;

/**
 * Changes a document by compare-and-swap. `change` gets the stored one, or null, and returns the
 * next one; null leaves things as they are. Returns what is stored then. Rejects with
 * StoreUnavailable after 20 lost races.
 */
export async function changeDocument(
  documents: Pick<DocumentStore, 'get' | 'create' | 'replace'>,
  collection: string,
  key: string,
  change: (stored: StoredDocument | null) => StoredDocument | null,
): Promise<StoredDocument | null> {
  const { value } = await repeatUntilWritten(`the document ${collection}/${key}`, async () => {
    const stored = await documents.get(collection, key);
    const next = change(stored);
    if (next === null) return { value: stored };
    const isWritten =
      stored === null
        ? await documents.create(collection, key, next)
        : await documents.replace(collection, key, stored, next);
    return isWritten ? { value: next } : null;
  });
  return value;
}

/**
 * Repeats a read and a conditional write until the write succeeds; `attempt` returns null after a
 * lost race. Rejects with StoreUnavailable after 20 lost races.
 */
export async function repeatUntilWritten<T>(what: string, attempt: () => Promise<T | null>): Promise<T> {
  for (let race = 0; race < MOST_RACES; race += 1) {
    const done = await attempt();
    if (done !== null) return done;
  }
  throw new StoreUnavailable(`${what} changes too often`);
}
