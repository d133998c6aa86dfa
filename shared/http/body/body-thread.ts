/** A thread that collects bodies, and works on them: see `BodyThreads`. */
import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { type BodyAnswer, type BodyMessage, performWork } from './body-messages.ts';

/** Nice: the thread that answers requests comes first where processors are short. */
const NICE = 5;

const port = parentPort;
if (port === null) throw new Error('body-thread.ts runs in a worker thread only');
yieldProcessor();
const bodies = new Map<number, Uint8Array[]>();

port.on('message', (message: BodyMessage) => {
  const chunks = bodies.get(message.id) ?? [];
  if (message.kind === 'chunk') {
    chunks.push(message.chunk);
    bodies.set(message.id, chunks);
    return;
  }
  bodies.delete(message.id);
  if (message.kind === 'drop') return;
  const answer = performWork(Buffer.concat(chunks), message);
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
