import type { BlobStore } from '../../store/ports/blob-store.ts';

/** The manifest of a snapshot. */
export function snapshotBlob(codeId: string): string {
  return `snapshots/${codeId}`;
}

/** The types of a snapshot that Ruby described. */
export function typesBlob(codeId: string): string {
  return `${snapshotBlob(codeId)}.types`;
}

/** The listings of a snapshot that every agent asks for. */
export function listingsBlob(codeId: string): string {
  return `${snapshotBlob(codeId)}.listings`;
}

/** Says that nothing needs the snapshot, since it was put. */
export function getLeavingBlobKey(codeId: string): string {
  return `${snapshotBlob(codeId)}.leaving`;
}

/**
 * All that is kept of a snapshot, in the order in which it goes: who finds no mark must find the
 * rest.
 */
export function blobsOfSnapshot(codeId: string): readonly string[] {
  return [snapshotBlob(codeId), typesBlob(codeId), listingsBlob(codeId), getLeavingBlobKey(codeId)];
}

/** Whether a snapshot is there for good as things are: a catalog may name it. */
export async function isLasting(blobs: BlobStore, codeId: string): Promise<boolean> {
  return !(await blobs.has(getLeavingBlobKey(codeId))) && blobs.has(snapshotBlob(codeId));
}
