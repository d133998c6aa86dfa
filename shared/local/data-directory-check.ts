import { statfs } from 'node:fs/promises';
import type { HealthCheck } from '../http/health.ts';
import type { Stores } from '../store/ports/stores.ts';

/** Below this a transaction, a catalog or a report may find no room. */
const LEAST_FREE_BYTES = 32 * 1024 * 1024;
const [COLLECTION, KEY] = ['health', 'write-probe'];

/** The free space of a file system. */
type ReadFreeSpace = (path: string) => Promise<{ readonly bavail: number; readonly bsize: number }>;

/**
 * A check that writes to the database, and looks at the free space of the disk: a full or read-only
 * disk still answers reads.
 */
export function createDataDirectoryCheck(
  { documents, clock }: Pick<Stores, 'documents' | 'clock'>,
  directory: string,
  readFreeSpace: ReadFreeSpace = statfs,
): HealthCheck {
  return async () => {
    const { bavail, bsize } = await readFreeSpace(directory);
    const free = bavail * bsize;
    if (free < LEAST_FREE_BYTES) {
      throw new Error(`the disk of '${directory}' is full: ${Math.floor(free / 1024 / 1024)} MB are free`);
    }
    await documents.put(COLLECTION, KEY, { at: clock.now() });
  };
}
