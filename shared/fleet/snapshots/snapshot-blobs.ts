import type { Snapshot } from '../../puppet/environment/snapshot.ts';
import type { BlobStore } from '../../store/ports/blob-store.ts';
import { inParallel } from '../../util/in-parallel.ts';
import { packBlob, printPack } from './pack-file.ts';
import { type PackPlan, planPacks } from './pack-plan.ts';

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

const PACKS_AT_ONCE = 4;

/**
 * Stores the packs of a snapshot that the store does not have. `readFile` returns content by its
 * sha256. Returns all packs of the snapshot.
 */
export async function storePacks(
  snapshot: Snapshot,
  readFile: (sha256: string) => Promise<Uint8Array>,
  blobs: BlobStore,
): Promise<readonly PackPlan[]> {
  const packs = planPacks(snapshot);
  await inParallel(PACKS_AT_ONCE, packs, async ({ id, contents }) => {
    if (await blobs.has(packBlob(id))) return;
    const read = new Map<string, Uint8Array>();
    for (const sha256 of contents) read.set(sha256, await readFile(sha256));
    await blobs.put(packBlob(id), await printPack(read));
  });
  return packs;
}
