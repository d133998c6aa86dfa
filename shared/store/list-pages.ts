import type { BlobEntry, BlobStore } from './ports/blob-store.ts';
import type { DocumentStore, StoredDocument } from './ports/document-store.ts';
import type { NodeRecord } from './ports/node-record.ts';
import type { NodeStore } from './ports/node-store.ts';

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

const PAGE = 100;

/** Yields all nodes, reading one page at a time. */
export async function* allNodes(nodes: Pick<NodeStore, 'list'>): AsyncGenerator<readonly NodeRecord[]> {
  let after: string | null = null;
  for (;;) {
    const page: readonly NodeRecord[] = await nodes.list(after, PAGE);
    yield page;
    after = page.at(-1)?.certname ?? null;
    if (after === null || page.length < PAGE) return;
  }
}

/** Lists all blobs below a prefix, page by page. */
export async function* listPages(blobs: BlobStore, prefix: string): AsyncGenerator<readonly BlobEntry[]> {
  let after: string | undefined;
  for (;;) {
    const { entries, next } = await blobs.list(prefix, after);
    yield entries;
    if (next === null) return;
    after = next;
  }
}
