import type { BlobEntry, BlobStore } from './ports/blob-store.ts';

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
