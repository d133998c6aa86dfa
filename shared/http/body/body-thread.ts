/** A thread that works on bodies: see `BodyThreads`. */
import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { type BodyAnswer, type BodyOrder, performWork } from './body-messages.ts';

/** Nice: the thread that answers requests comes first where processors are short. */
const NICE = 5;

const port = parentPort;
if (port === null) throw new Error('body-thread.ts runs in a worker thread only');
yieldProcessor();

port.on('message', (order: BodyOrder) => {
  const answer = performWork(order);
  port.postMessage(answer, buffersOf(answer));
});

/** The buffers of bytes in an answer: they change hands, and are not copied. */
function buffersOf(answer: BodyAnswer): ArrayBuffer[] {
  const { result } = answer;
  const values =
    result instanceof Uint8Array ? [result] : typeof result === 'object' ? Object.values(result ?? {}) : [];
  // A pool of Node's may not be given away.
  return values.flatMap((value: unknown) => {
    const buffer = value instanceof Uint8Array ? value.buffer : null;
    return buffer instanceof ArrayBuffer && buffer.byteLength > Buffer.poolSize ? [buffer] : [];
  });
}

function yieldProcessor(): void {
  try {
    const thread = /\/task\/(\d+)$/.exec(readlinkSync('/proc/thread-self'))?.[1];
    if (thread !== undefined) setPriority(Number(thread), NICE);
  } catch {
    // Elsewhere than on Linux all threads have the same priority.
  }
}
