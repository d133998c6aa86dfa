import { listPages } from '../../store/list-pages.ts';
import type { Stores } from '../../store/ports/stores.ts';

/**
 * Deletes jobs that expired, with their blobs. For stores that do not delete by themselves; returns
 * how many were deleted.
 */
export async function pruneJobs({ jobs, blobs, clock }: Pick<Stores, 'jobs' | 'blobs' | 'clock'>): Promise<number> {
  const expired = await jobs.expire(clock.now());
  for (const number of expired) {
    for await (const entries of listPages(blobs, `jobs/${number}/`)) {
      for (const { key } of entries) await blobs.delete(key);
    }
  }
  return expired.length;
}
