import type { Clock, DocumentStore } from '../store/ports.ts';

/**
 * Deploys and the pruning of code keep out of each other's way: a deploy does not write content that is there already, and
 * pruning takes away content that nothing names yet. Each first says that it is at work, then looks whether the other is: one
 * of two that begin at a time sees the other. What a process said that died counts no more after a while.
 */

const COLLECTION = 'code-work';
const PRUNING = 'pruning';
const UPLOAD_PREFIX = 'upload-';
/** Longer than any upload takes. */
const UPLOAD_MS = 6 * 3600_000;
/** What Lambda allows, less the time to end in. */
const PRUNING_MS = 14 * 60_000;
const POLL_MS = 500;
const MOST_UPLOADS = 1000;

export interface LockPorts {
  readonly documents: DocumentStore;
  readonly clock: Clock;
}

/** Runs `work`, which may count on content that it finds; waits before that until no code is pruned. */
export async function whileUploading<T>({ documents, clock }: LockPorts, work: () => Promise<T>): Promise<T> {
  const at = clock.now();
  const key =
    UPLOAD_PREFIX + [at, clock.random(), clock.random()].map((part) => part.toString(36).slice(-12)).join('-');
  await documents.put(COLLECTION, key, { until: at + UPLOAD_MS });
  try {
    for (;;) {
      const left = remaining(await documents.get(COLLECTION, PRUNING), clock);
      if (left <= 0) break;
      await clock.sleep(Math.min(POLL_MS, left));
    }
    return await work();
  } finally {
    await documents.delete(COLLECTION, key);
  }
}

/** Runs `work` until at most the time that it is given; null, and nothing is done, while code is uploaded or pruned by others. */
export async function whilePruning<T>(
  { documents, clock }: LockPorts,
  work: (until: number) => Promise<T>,
): Promise<T | null> {
  const before = await documents.get(COLLECTION, PRUNING);
  if (remaining(before, clock) > 0) return null;
  const mine = { until: clock.now() + PRUNING_MS, by: clock.random() };
  const isMine = before
    ? await documents.replace(COLLECTION, PRUNING, before, mine)
    : await documents.create(COLLECTION, PRUNING, mine);
  if (!isMine) return null;
  try {
    const uploads = await documents.list(COLLECTION, UPLOAD_PREFIX, MOST_UPLOADS);
    for (const { key, document } of uploads) {
      if (remaining(document, clock) > 0) return null;
      await documents.delete(COLLECTION, key);
    }
    return await work(mine.until);
  } finally {
    await documents.replace(COLLECTION, PRUNING, mine, { until: 0 });
  }
}

function remaining(document: Readonly<Record<string, unknown>> | null, clock: Clock): number {
  return Number(document?.until ?? 0) - clock.now();
}
