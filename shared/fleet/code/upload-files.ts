import type { BlobStore } from '../../store/ports/blob-store.ts';
import { digestSha256 } from '../../util/digest.ts';
import { inParallel } from '../../util/in-parallel.ts';
import { packBlob } from '../snapshots/pack-file.ts';
import { findManifest, type SnapshotManifest } from '../snapshots/snapshot-manifest.ts';
import { contentBlob, listDamaged, unmarkDamaged } from '../snapshots/stored-content.ts';
import { readSourceFile } from './read-source-file.ts';
import type { ScannedEnvironment } from './scan-environment.ts';

const UPLOADS_AT_ONCE = 16;

/** Whether a snapshot, its packs and, as far as their readers know, its files are in the store. */
export async function isStored(codeId: string, blobs: BlobStore): Promise<boolean> {
  const manifest = await findManifest(blobs, codeId);
  if (manifest === null) return false;
  const damaged = await listDamaged(blobs);
  if (Object.values(manifest.snapshot.files).some(({ sha256 }) => damaged.has(sha256))) return false;
  const found = await inParallel(UPLOADS_AT_ONCE, manifest.packs, ({ id }) => blobs.has(packBlob(id)));
  return !found.includes(false);
}

/**
 * Uploads the files that the store does not have, or that a reader found missing or damaged. Files
 * of the code in force are known to be there.
 */
export async function uploadFiles(
  scanned: ScannedEnvironment,
  old: SnapshotManifest | null,
  blobs: BlobStore,
): Promise<void> {
  const damaged = await listDamaged(blobs);
  const there = new Set(Object.values(old?.snapshot.files ?? {}).map((file) => file.sha256)).difference(damaged);
  const needed = new Set(Object.values(scanned.snapshot.files).map((file) => file.sha256));
  await inParallel(UPLOADS_AT_ONCE, needed.difference(there), async (digest) => {
    if (!damaged.has(digest) && (await blobs.has(contentBlob(digest)))) return;
    await blobs.put(contentBlob(digest), await readSource(scanned, digest));
    if (damaged.has(digest)) await unmarkDamaged(blobs, digest);
  });
}

/** Reads a file of the scan again. Throws when it has changed meanwhile. */
export async function readSource({ sources }: ScannedEnvironment, digest: string): Promise<Uint8Array> {
  const source = sources.get(digest);
  if (source === undefined) throw new Error(`invariant: the scan has a source of ${digest}`);
  const bytes = await readSourceFile(source);
  if (digestSha256(bytes) !== digest) throw new Error(`${source} changed while it was deployed`);
  return bytes;
}
