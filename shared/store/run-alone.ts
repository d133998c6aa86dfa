import type { Stores } from './ports/stores.ts';

const COLLECTION = 'leases';

/**
 * Runs `work` unless another process runs the work of this name; then returns null. The lease of a
 * process that died expires after `limitMs`, which therefore is the longest time that a process may
 * work.
 */
export async function runAlone<T>(
  { documents, clock }: Pick<Stores, 'documents' | 'clock'>,
  name: string,
  limitMs: number,
  work: () => Promise<T>,
): Promise<T | null> {
  const now = clock.now();
  // The random number distinguishes holders that take the lease in the same millisecond.
  const lease = { until: now + limitMs, holder: clock.random() };
  if (!(await documents.create(COLLECTION, name, lease))) {
    const held = await documents.get(COLLECTION, name);
    if (held === null || Number(held.until) > now) return null;
    if (!(await documents.replace(COLLECTION, name, held, lease))) return null;
  }
  try {
    return await work();
  } finally {
    await documents.remove(COLLECTION, name, lease);
  }
}
