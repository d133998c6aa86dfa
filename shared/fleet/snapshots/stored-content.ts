import { warnOfDamage } from '../../store/damaged-blob.ts';
import type { BlobStore } from '../../store/ports/blob-store.ts';
import { StoreRefused, StoreUnavailable } from '../../store/ports/store-errors.ts';
import { digestSha256 } from '../../util/digest.ts';

/** Keys of contents that a reader found missing or damaged; the next deploy heals them. */
const DAMAGED = 'damaged/';

/** Key of a deployed file's content. */
export function contentBlob(sha256: string): string {
  return `files/${sha256}`;
}

/**
 * Reads a deployed file's content. Throws StoreUnavailable when it is missing or damaged: its
 * digest is not its name. The next deploy of an environment with that file uploads it again.
 */
export async function readContent(blobs: BlobStore, sha256: string): Promise<Uint8Array> {
  const bytes = await blobs.get(contentBlob(sha256));
  if (bytes && digestSha256(bytes) === sha256) return bytes;
  throw await markDamaged(blobs, sha256, bytes === null);
}

/** Notes that a content must be uploaded again. Returns the error for its reader. */
export async function markDamaged(blobs: BlobStore, sha256: string, isMissing: boolean): Promise<StoreUnavailable> {
  const key = contentBlob(sha256);
  if (!isMissing) warnOfDamage(key);
  try {
    await blobs.putIfAbsent(DAMAGED + sha256, new Uint8Array());
  } catch (error) {
    // The reader's own error matters more; the next reader notes it.
    if (!(error instanceof StoreUnavailable || error instanceof StoreRefused)) throw error;
  }
  return new StoreUnavailable(`blob ${key} is ${isMissing ? 'missing' : 'damaged'}: deploy its environment again`);
}

/** The sha256 of contents that readers found missing or damaged. */
export async function listDamaged(blobs: BlobStore): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  let after: string | undefined;
  for (;;) {
    const { entries, next } = await blobs.list(DAMAGED, after);
    for (const { key } of entries) found.add(key.slice(DAMAGED.length));
    if (next === null) return found;
    after = next;
  }
}

/** Deletes the note on a content that is sound again, or that nothing needs. */
export async function unmarkDamaged(blobs: BlobStore, sha256: string): Promise<void> {
  await blobs.delete(DAMAGED + sha256);
}
