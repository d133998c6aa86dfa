import type { Snapshot } from '../../puppet/environment/snapshot.ts';
import type { BlobStore } from '../../store/ports/blob-store.ts';
import { inParallel } from '../../util/in-parallel.ts';
import { packBlob, printPack } from './pack-file.ts';
import { type PackPlan, planPacks } from './pack-plan.ts';

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
