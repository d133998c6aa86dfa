import type { DocumentStore, StoredDocument } from './ports/document-store.ts';

/** The documents to read. */
interface Selection {
  /** Only keys that begin with this text; default: all. */
  readonly prefix?: string;
  /** Only keys behind this one; default: from the first. */
  readonly after?: string;
  /** Number of documents that one request to the store reads; default 500. */
  readonly pageSize?: number;
}

/**
 * Yields the documents of a collection by key, reading one page at a time. Documents may be deleted
 * meanwhile.
 */
export async function* allDocuments(
  documents: Pick<DocumentStore, 'list'>,
  collection: string,
  { prefix = '', after, pageSize = 500 }: Selection = {},
): AsyncGenerator<{ readonly key: string; readonly document: StoredDocument }> {
  for (let last = after; ; ) {
    const page: Awaited<ReturnType<DocumentStore['list']>> = await documents.list(collection, prefix, pageSize, last);
    yield* page;
    last = page.at(-1)?.key;
    if (page.length < pageSize) return;
  }
}
