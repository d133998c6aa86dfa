import type { BlobStore } from '../../store/ports/blob-store.ts';

/** Key of a snapshot's manifest. */
export function snapshotBlob(codeId: string): string {
  return `snapshots/${codeId}`;
}

/** Key of a snapshot's resource types that Ruby described. */
export function typesBlob(codeId: string): string {
  return `${snapshotBlob(codeId)}.types`;
}

/** Key of a snapshot's listings that every agent requests. */
export function listingsBlob(codeId: string): string {
  return `${snapshotBlob(codeId)}.listings`;
}

/** Key of the mark of an unused snapshot; the mark's age is the time since then. */
export function getLeavingBlobKey(codeId: string): string {
  return `${snapshotBlob(codeId)}.leaving`;
}

/**
 * All blobs of a snapshot in deletion order: a reader that finds no mark must find the other blobs.
 */
export function blobsOfSnapshot(codeId: string): readonly string[] {
  return [snapshotBlob(codeId), typesBlob(codeId), listingsBlob(codeId), getLeavingBlobKey(codeId)];
}

/** Whether a snapshot exists and is not marked for deletion, so that a catalog may name it. */
export async function isLasting(blobs: BlobStore, codeId: string): Promise<boolean> {
  return !(await blobs.has(getLeavingBlobKey(codeId))) && blobs.has(snapshotBlob(codeId));
}
