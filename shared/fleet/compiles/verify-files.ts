import type { FileInputs } from '../../puppet/environment/inputs.ts';
import { SERVED_CODE_DIRECTORY } from '../../puppet/environment/snapshot.ts';
import { fileStates, type InputChange, verifyInputs } from '../../puppet/environment/verify.ts';
import { dataStates } from '../../puppet/hiera/keyed-file.ts';
import { ContentMissing, type OpenSnapshot, type SnapshotCache } from '../snapshots/snapshot-cache.ts';

/** Limit of data files that are fetched one by one. */
const MOST_FETCHES = 1000;

/**
 * The recorded files, and keys of data files, that differ in a snapshot (null: the environment is
 * not deployed). Data files are fetched as needed; parsed ones are cached.
 */
export async function verifyFiles(
  inputs: FileInputs,
  open: OpenSnapshot | null,
  snapshots: SnapshotCache,
): Promise<readonly InputChange[]> {
  if (!open) return verifyInputs(inputs, { stateOf: () => null, dataOf: () => null });
  const present = {
    stateOf: fileStates(open.tree, SERVED_CODE_DIRECTORY),
    dataOf: dataStates(open.tree, SERVED_CODE_DIRECTORY, snapshots.parsed.data),
  };
  for (let fetched = 0; fetched < MOST_FETCHES; fetched += 1) {
    try {
      return verifyInputs(inputs, present);
    } catch (error) {
      if (!(error instanceof ContentMissing)) throw error;
      await snapshots.fetch(error.sha256);
    }
  }
  throw new Error('a verification needs one more file each time');
}
