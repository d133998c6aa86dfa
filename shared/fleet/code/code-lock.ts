import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../store/ports/clock.ts';
import type { StoredDocument } from '../../store/ports/document-store.ts';
import { StoreUnavailable } from '../../store/ports/store-errors.ts';
import type { Stores } from '../../store/ports/stores.ts';

/**
 * Mutual exclusion of deploys and the pruning of code. A deploy does not upload content that
 * exists, and pruning deletes content that no snapshot names, so the two must not overlap. Each
 * takes its lease first, then looks for the other's: of two that start at a time, one sees the
 * other. A lease is renewed while its work lasts. The lease of a dead process expires soon, and at
 * once where the store knows the running processes (`Processes`). Pruning yields to deploys.
 */

const COLLECTION = 'code-work';
const PRUNING = 'pruning';
const UPLOAD_PREFIX = 'upload-';
/** No one waits for it to expire. It is longer than any deploy blocks its process. */
const UPLOAD_LEASE_MS = 5 * 60_000;
const UPLOAD_RENEWAL_MS = 60_000;
/** Deploys wait for it to expire. */
const PRUNING_LEASE_MS = 15_000;
/**
 * The lease is treated as lost this long before it expires, because a deletion in progress takes
 * time.
 */
const PRUNING_RESERVE_MS = 5000;
const PRUNING_RENEWAL_MS = 1000;
/** Lambda's limit, less a reserve to finish. */
const LONGEST_PRUNING_MS = 14 * 60_000;
const POLL_MS = 500;
/** Longer than the lease of a dead process, and shorter than the time-out of an HTTP request. */
const LONGEST_WAIT_MS = 20_000;
const MOST_UPLOADS = 1000;
const RELEASE_ATTEMPTS = 4;
const RELEASE_PAUSE_MS = 100;

export type LockPorts = Pick<Stores, 'documents' | 'clock' | 'processes'>;

/** Work that relies on stored code, or deletes it. */
type CodeWork = 'deploy' | 'backup' | 'pruning';

/**
 * Runs `work` once no pruning is in progress. `work` may rely on existing content while `isHeld` is
 * true. `kind` is what others see of it. Throws StoreUnavailable when the pruning does not end in
 * time.
 */
export async function withUploadLock<T>(
  ports: LockPorts,
  work: (isHeld: () => boolean) => Promise<T>,
  kind: Exclude<CodeWork, 'pruning'> = 'deploy',
): Promise<T> {
  const { documents, clock, processes } = ports;
  const key = UPLOAD_PREFIX + [clock.now(), clock.random(), clock.random()].map(shortText).join('-');
  let until = 0;
  const renew = async () => {
    const next = clock.now() + UPLOAD_LEASE_MS;
    await documents.put(COLLECTION, key, { until: next, holder: processes?.self ?? null, kind });
    until = next;
  };
  await renew();
  const stop = keepRenewing(renew, UPLOAD_RENEWAL_MS);
  try {
    await waitForPruning(ports);
    return await work(() => clock.now() < until);
  } finally {
    await stop();
    await insist(clock, () => documents.delete(COLLECTION, key));
  }
}

/**
 * Runs `work` until `isOver` is true: the time is up, a deploy waits, or the lease is lost. It
 * stays true. Null, without effect, while another process uploads or prunes code.
 */
export async function withPruneLock<T>(
  ports: LockPorts,
  work: (isOver: () => boolean) => Promise<T>,
): Promise<T | null> {
  const { documents, clock } = ports;
  const lease = await PruningLease.take(ports);
  if (!lease) return null;
  const stop = keepRenewing(() => lease.renew(), PRUNING_RENEWAL_MS);
  try {
    return (await isUploading(ports)) ? null : await work(() => lease.isOver());
  } finally {
    await stop();
    await insist(clock, () => documents.replace(COLLECTION, PRUNING, lease.document, { until: 0 }));
  }
}

/** The kinds of work that are under way, each once. */
export async function readCodeWork(ports: LockPorts): Promise<ReadonlySet<CodeWork>> {
  const found = await ports.documents.list(COLLECTION, '', MOST_UPLOADS);
  return new Set(
    found.flatMap(({ key, document }): readonly CodeWork[] => {
      const isLease = key === PRUNING || key.startsWith(UPLOAD_PREFIX);
      if (!isLease || !(remainingMs(document, ports) > 0)) return [];
      return [key === PRUNING ? 'pruning' : document.kind === 'backup' ? 'backup' : 'deploy'];
    }),
  );
}

/**
 * Deletes the leases of dead processes. Call it when the only server of a data directory starts;
 * commands that work beside the server keep their leases.
 */
export async function forgetDeadLeases({ documents, processes }: LockPorts): Promise<void> {
  for (const { key, document } of await documents.list(COLLECTION, '', MOST_UPLOADS)) {
    const { holder } = document;
    if (typeof holder === 'string' && processes?.hasEnded(holder)) await documents.delete(COLLECTION, key);
  }
}

class PruningLease {
  readonly #ports: LockPorts;
  readonly #end: number;
  readonly #by: number;
  #until = 0;
  #isOver = false;

  private constructor(ports: LockPorts) {
    this.#ports = ports;
    this.#end = ports.clock.now() + LONGEST_PRUNING_MS;
    this.#by = ports.clock.random();
  }

  /** Null when another process has it. */
  static async take(ports: LockPorts): Promise<PruningLease | null> {
    const lease = new PruningLease(ports);
    const before = await ports.documents.get(COLLECTION, PRUNING);
    if (remainingMs(before, ports) > 0) return null;
    return (await lease.#write(before)) ? lease : null;
  }

  /** The lease as stored. */
  get document(): StoredDocument {
    return { until: this.#until, by: this.#by, holder: this.#ports.processes?.self ?? null };
  }

  isOver(): boolean {
    const now = this.#ports.clock.now();
    this.#isOver ||= now >= this.#end || now >= this.#until - PRUNING_RESERVE_MS;
    return this.#isOver;
  }

  /** Renews the lease, and ends the pruning when a deploy waits. */
  async renew(): Promise<void> {
    const isKept = await this.#write(this.document);
    this.#isOver ||= !isKept || (await isUploading(this.#ports));
  }

  async #write(before: StoredDocument | null): Promise<boolean> {
    const { documents, clock } = this.#ports;
    const until = clock.now() + PRUNING_LEASE_MS;
    const next = { ...this.document, until };
    const isMine = before
      ? await documents.replace(COLLECTION, PRUNING, before, next)
      : await documents.create(COLLECTION, PRUNING, next);
    if (isMine) this.#until = until;
    return isMine;
  }
}

/** Whether an upload is in progress. Deletes the leases of dead processes. */
async function isUploading(ports: LockPorts): Promise<boolean> {
  const { documents } = ports;
  for (const { key, document } of await documents.list(COLLECTION, UPLOAD_PREFIX, MOST_UPLOADS)) {
    if (remainingMs(document, ports) > 0) return true;
    await documents.delete(COLLECTION, key);
  }
  return false;
}

async function waitForPruning(ports: LockPorts): Promise<void> {
  const { documents, clock } = ports;
  const deadline = clock.now() + LONGEST_WAIT_MS;
  for (;;) {
    const left = remainingMs(await documents.get(COLLECTION, PRUNING), ports);
    if (left <= 0) return;
    if (clock.now() >= deadline) {
      const seconds = Math.ceil(left / 1000);
      throw new StoreUnavailable(`deployed code is being pruned (the lease ends in ${seconds} s): deploy again later`);
    }
    await clock.sleep(Math.min(POLL_MS, left));
  }
}

/** Remaining milliseconds of a lease; 0 when its holder is known to have ended. */
function remainingMs(
  document: StoredDocument | null,
  { clock, processes }: Pick<LockPorts, 'clock' | 'processes'>,
): number {
  if (!document) return 0;
  const { until, holder } = document;
  if (typeof holder === 'string' && processes?.hasEnded(holder)) return 0;
  return Math.max(0, Number(until) - clock.now());
}

/**
 * Renews periodically until the returned function is called. It uses real time: a test's clock that
 * jumps would renew endlessly. A failed renewal is retried at the next interval; if all fail, the
 * lease expires.
 */
function keepRenewing(renew: () => Promise<void>, everyMs: number): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const renewing = (async () => {
    while (!signal.aborted) {
      await pause(everyMs, null, { signal, ref: false }).catch(() => null);
      if (!signal.aborted) await renew().catch(() => null);
    }
  })();
  return () => {
    stopping.abort();
    return renewing;
  };
}

/** Retries a release several times. If the store stays unavailable, the lease expires. */
async function insist(clock: Clock, release: () => Promise<unknown>): Promise<void> {
  for (let attempt = 0; attempt < RELEASE_ATTEMPTS; attempt += 1) {
    try {
      await release();
      return;
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      await clock.sleep(RELEASE_PAUSE_MS * 2 ** attempt);
    }
  }
}

function shortText(part: number): string {
  return part.toString(36).slice(-12);
}
