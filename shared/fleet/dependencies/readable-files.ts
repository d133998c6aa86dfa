import { SERVED_CODE_DIRECTORY, type Snapshot } from '../../puppet/environment/snapshot.ts';
import { snapshotTree } from '../../puppet/environment/snapshot-environment.ts';
import type { HieraCache } from '../../puppet/hiera/hiera-cache.ts';
import { dataStates } from '../../puppet/hiera/keyed-file.ts';
import type { BlobStore } from '../../store/ports/blob-store.ts';
import { ContentMissing, type OpenSnapshot, type SnapshotCache } from '../snapshots/snapshot-cache.ts';
import { readContent } from '../snapshots/stored-content.ts';
import type { PresentFiles } from './part-states.ts';

/** The files of a snapshot, with the contents of data files as they are needed. */
export interface ReadableFiles extends PresentFiles {
  /** Null when the environment is not deployed. */
  readonly codeId: string | null;
  /** Runs `work`, again each time that a content which it needs was fetched. */
  read<T>(work: (files: PresentFiles) => T): Promise<T>;
}

/** Limit of data files that are fetched one by one. */
const MOST_FETCHES = 10_000;

/** The files of an open snapshot; null when the environment is not deployed. */
export function openFiles(open: OpenSnapshot | null, snapshots: SnapshotCache): ReadableFiles {
  if (!open) return NO_FILES;
  const { codeId, tree } = open;
  const files = { tree, dataOf: dataStates(tree, SERVED_CODE_DIRECTORY, snapshots.parsed.data) };
  return {
    codeId,
    ...files,
    read: (work) =>
      fetchAsNeeded(
        () => work(files),
        (sha256) => snapshots.fetch(open, sha256),
      ),
  };
}

/** The files of a snapshot that is compared, and not compiled in; null for none. */
export function snapshotFiles(
  codeId: string | null,
  snapshot: Snapshot | null,
  blobs: BlobStore,
  cache: HieraCache,
): ReadableFiles {
  if (!snapshot) return NO_FILES;
  const contents = new Map<string, Uint8Array>();
  const tree = snapshotTree(snapshot, (sha256) => {
    const bytes = contents.get(sha256);
    if (!bytes) throw new ContentMissing(sha256);
    return bytes;
  });
  const files = { tree, dataOf: dataStates(tree, SERVED_CODE_DIRECTORY, cache) };
  const fetch = async (sha256: string) => {
    contents.set(sha256, await readContent(blobs, sha256));
  };
  const read = async <T>(work: (present: PresentFiles) => T): Promise<T> => {
    try {
      return await fetchAsNeeded(() => work(files), fetch);
    } finally {
      // The cache has what was parsed of them.
      contents.clear();
    }
  };
  return { codeId, ...files, read };
}

const NO_FILES: ReadableFiles = { codeId: null, tree: null, read: async (work) => work({ tree: null }) };

async function fetchAsNeeded<T>(work: () => T, fetch: (sha256: string) => Promise<void>): Promise<T> {
  for (let fetched = 0; fetched < MOST_FETCHES; fetched += 1) {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof ContentMissing)) throw error;
      await fetch(error.sha256);
    }
  }
  throw new Error('a comparison of files needs one more content each time');
}
