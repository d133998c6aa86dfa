import { FairQueue } from '../../util/fair-queue.ts';
import type { HttpContext } from '../endpoint.ts';
import { type BodyKind, BodyRefused, tooLargeBody } from './body-kinds.ts';
import {
  type BodyJob,
  type BodyRead,
  type WorkArgument,
  type WorkName,
  type WorkResult,
  workOn,
} from './body-messages.ts';
import { BodyThreads } from './body-threads.ts';
import { SharedMemory, writeShared } from './shared-memory.ts';

/** A smaller body is read here: that takes less than a millisecond. */
const SMALL_BYTES = 64 * 1024;
/** A larger body waits for a place, and lies in memory that threads share from then on. */
const LARGE_BYTES = 1024 ** 2;
/** Bounds the memory of large bodies: no client has all places. */
const PLACES = { places: 8, mostOfClient: 3 };
/**
 * Bodies that are not small are taken in pieces: so many in a turn of the event loop
 * and one of a client: decrypting it takes time of that thread.
 */
const PIECES = { places: 2, mostOfClient: 1 };
/** While others wait for a place, a large body must come faster than this after a while. */
const SLOWEST = { bytesPerSecond: 64 * 1024, afterSeconds: 20 };

/** Work that refuses a body which is no JSON. */
const OF_JSON: readonly WorkName[] = [
  'checkQuery',
  'checkJson',
  'readMembers',
  'readReport',
  'readCommand',
  'readFacts',
];

const threads = new BodyThreads();
const memory = new SharedMemory();
const places = new FairQueue(PLACES);
const pieces = new FairQueue(PIECES);

/**
 * Reads the body of a request, and does some work on it: the only way to a body. Throws
 * BodyRefused before anything else is done with it.
 */
export async function readBody<N extends WorkName>(
  context: HttpContext,
  kind: BodyKind,
  name: N,
  argument: WorkArgument<N>,
): Promise<WorkResult<N>> {
  const isZipped = checkEncoding(context, kind);
  if (Number(context.req.header('Content-Length') ?? 0) > kind.bytes) throw tooLargeBody(kind.bytes);
  const job: BodyJob = { name, argument, unzippedBytes: isZipped ? kind.bytes : null };
  const stream = context.req.raw.body;
  const body = new IncomingBody(clientOf(context), kind.bytes, isZipped, OF_JSON.includes(name));
  try {
    if (stream !== null) await body.collect(stream);
    if (body.startsWithNul) context.env?.abandonBody?.();
    return (await body.perform(job)) as WorkResult<N>;
  } finally {
    body.close();
  }
}

/**
 * Opens the body of a request for a reader that takes it piece by piece. Beyond the bytes of its
 * kind it fails with BodyRefused. Null without a body.
 */
export function openBody(context: HttpContext, kind: BodyKind): ReadableStream<Uint8Array> | null {
  checkEncoding(context, kind);
  let size = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.byteLength;
      if (size > kind.bytes) throw tooLargeBody(kind.bytes);
      controller.enqueue(chunk);
    },
  });
  return context.req.raw.body?.pipeThrough(counter) ?? null;
}

/** Reads a body that is there as a whole; `given` is its encoding. */
export function readHeldBody(bytes: Uint8Array, given: string | undefined): BodyRead {
  return async (kind, name, argument) => {
    const isZipped = bytes.length > 0 && isCompressed(given, kind);
    if (bytes.length > kind.bytes) throw tooLargeBody(kind.bytes);
    const job: BodyJob = { name, argument, unzippedBytes: isZipped ? kind.bytes : null };
    return workOn(Buffer.from(bytes), job) as WorkResult<typeof name>;
  };
}

/** Refuses a body with an encoding that its kind does not know; whether it is compressed. */
export function checkEncoding({ req }: HttpContext, kind: Pick<BodyKind, 'isZipped'>): boolean {
  return req.raw.body !== null && isCompressed(req.header('Content-Encoding'), kind);
}

function isCompressed(given: string | undefined, { isZipped }: Pick<BodyKind, 'isZipped'>): boolean {
  const encoding = given?.trim().toLowerCase() ?? '';
  if (['', 'identity'].includes(encoding)) return false;
  if (encoding === 'gzip' && isZipped === true) return true;
  const known = isZipped === true ? 'gzip and identity are' : 'only identity is';
  const message = `Client sent a body with the Content-Encoding '${encoding}'; ${known} supported`;
  throw new BodyRefused('unsupported-encoding', message);
}

/** For whom places are shared out. */
function clientOf({ env }: HttpContext): string {
  return env?.client ?? '';
}

/** Reads a chunk. The error of a client that left is no fault of ours. */
function readNext(reader: ReadableStreamDefaultReader<Uint8Array>) {
  return reader.read().catch((cause: unknown) => {
    throw new BodyRefused('damaged', `The request body ended early: ${cause instanceof Error ? cause.message : cause}`);
  });
}

/** A body as it arrives. */
class IncomingBody {
  readonly #client: string;
  readonly #most: number;
  readonly #needsThread: boolean;
  readonly #isJson: boolean;
  #chunks: Uint8Array[] = [];
  #size = 0;
  /** Has the large body in place of chunks. */
  #shared: SharedArrayBuffer | null = null;
  #release = () => {};
  /** Since it has a place. */
  #seconds = 0;

  constructor(client: string, most: number, needsThread: boolean, isJson: boolean) {
    this.#client = client;
    this.#most = most;
    this.#needsThread = needsThread;
    this.#isJson = isJson;
  }

  /** Takes all chunks. Throws BodyRefused for too many bytes, and for a slow body. */
  async collect(stream: ReadableStream<Uint8Array>): Promise<void> {
    const slow = Promise.withResolvers<never>();
    slow.promise.catch(() => {});
    const timer = setInterval(() => this.#checkPace(slow.reject), 1000);
    const reader = stream.getReader();
    try {
      for (;;) {
        if (this.#size > SMALL_BYTES) await this.#waitForTurn();
        const { done, value } = await Promise.race([readNext(reader), slow.promise]);
        if (done) return;
        await this.#add(value);
        if (this.startsWithNul) return;
      }
    } finally {
      clearInterval(timer);
      reader.releaseLock();
    }
  }

  async #waitForTurn(): Promise<void> {
    const leave = await pieces.enter(this.#client);
    setImmediate(leave);
  }

  async #add(chunk: Uint8Array): Promise<void> {
    this.#size += chunk.byteLength;
    if (this.#size > this.#most) throw tooLargeBody(this.#most);
    if (this.#shared !== null) return writeShared(this.#shared, chunk, this.#size - chunk.byteLength);
    this.#chunks.push(chunk);
    if (this.#size <= LARGE_BYTES || !threads.exist) return;
    this.#release = await places.enter(this.#client);
    this.#shareAll();
  }

  /** Whether a plain JSON body starts with NUL. It is invalid, so the rest is not read. */
  get startsWithNul(): boolean {
    return this.#isJson && !this.#needsThread && this.#chunks[0]?.[0] === 0;
  }

  #shareAll(): SharedArrayBuffer {
    const shared = memory.take(this.#size);
    this.#shared = shared;
    let at = 0;
    for (const chunk of this.#chunks) {
      writeShared(shared, chunk, at);
      at += chunk.byteLength;
    }
    this.#chunks = [];
    return shared;
  }

  #checkPace(reject: (error: Error) => void): void {
    if (this.#shared === null) return;
    this.#seconds += 1;
    const isSlow = this.#seconds > SLOWEST.afterSeconds && this.#size < this.#seconds * SLOWEST.bytesPerSecond;
    if (isSlow && places.waiting > 0)
      reject(new BodyRefused('too-slow', 'The request body came too slowly, while others waited'));
  }

  async perform(job: BodyJob): Promise<unknown> {
    const isSmall = this.#size <= SMALL_BYTES && !this.#needsThread;
    const isHere = this.#shared === null && (isSmall || !threads.exist || this.startsWithNul);
    if (isHere) return workOn(Buffer.concat(this.#chunks), job);
    return threads.perform(this.#shared ?? this.#shareAll(), this.#size, job);
  }

  /** Call it when the work is done, or when there will be none. */
  close(): void {
    if (this.#shared !== null) memory.give(this.#shared);
    this.#release();
  }
}
