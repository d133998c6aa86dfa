import type { Stores } from '../../store/ports/stores.ts';

/**
 * Deletes jobs that expired, with their blobs. For stores that do not delete by themselves; returns
 * how many were deleted.
 */
export async function pruneJobs({ jobs, blobs, clock }: Pick<Stores, 'jobs' | 'blobs' | 'clock'>): Promise<number> {
  const expired = await jobs.expire(clock.now());
  for (const number of expired) {
    for (let after: string | undefined; ; ) {
      const { entries, next } = await blobs.list(`jobs/${number}/`, after);
      for (const { key } of entries) await blobs.delete(key);
      if (next === null) break;
      after = next;
    }
  }
  return expired.length;
}
