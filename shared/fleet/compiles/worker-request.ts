import type { BlobStore } from '../../store/ports/blob-store.ts';
import type { CompileJob } from '../../store/ports/compile-queue.ts';
import type { Stores } from '../../store/ports/stores.ts';

const FIRST_POLL_MS = 20;
const LONGEST_POLL_MS = 500;

/** A request that a worker answers while its caller waits. */
interface WorkerRequest {
  /** Begins the request's id, by which workers know its kind. */
  readonly kind: string;
  readonly question: Uint8Array;
  readonly job: Pick<CompileJob, 'certname' | 'reason'>;
}

/**
 * Sends a job with priority over jobs without a waiting node, and waits for its answer. Null when
 * `holdMs` ended or `signal` aborted.
 */
export async function askWorker(
  { kind, question, job }: WorkerRequest,
  { blobs, queue, clock }: Pick<Stores, 'blobs' | 'queue' | 'clock'>,
  holdMs: number,
  signal?: AbortSignal,
): Promise<Uint8Array | null> {
  const at = clock.now();
  const id = `${kind}${at.toString(36)}-${[1, 2, 3].map(() => clock.random().toString(36).slice(2, 12)).join('')}`;
  await blobs.put(questionKey(id), question);
  await queue.send('waiting', [{ ...job, generation: 0, at, request: id }]);
  try {
    for (let pause = FIRST_POLL_MS; ; pause = Math.min(pause * 1.5, LONGEST_POLL_MS)) {
      const bytes = await blobs.get(answerKey(id));
      const left = at + holdMs - clock.now();
      if (bytes) return bytes;
      if (left <= 0 || signal?.aborted) return null;
      await clock.sleep(Math.min(pause, left), signal);
    }
  } finally {
    await blobs.delete(questionKey(id));
    await blobs.delete(answerKey(id));
  }
}

/** The question of a request; null when its caller no longer waits. */
export function loadQuestion(blobs: BlobStore, id: string): Promise<Uint8Array | null> {
  return blobs.get(questionKey(id));
}

/** Stores the answer, unless the caller no longer waits: then no one would delete it. */
export async function storeAnswer(blobs: BlobStore, id: string, answer: Uint8Array): Promise<void> {
  if (await blobs.has(questionKey(id))) await blobs.put(answerKey(id), answer);
}

function questionKey(id: string): string {
  return `requests/${id}-question`;
}

function answerKey(id: string): string {
  return `requests/${id}-answer`;
}
