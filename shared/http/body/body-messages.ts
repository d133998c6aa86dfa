import { gunzipSync } from 'node:zlib';
import { type BodyFault, type BodyKind, BodyRefused, type JsonFault, tooLargeBody } from './body-kinds.ts';
import { BODY_WORK } from './body-work.ts';

export type WorkName = keyof typeof BODY_WORK;
/** The values that the work needs beside the body. */
export type WorkArgument<N extends WorkName> = Parameters<(typeof BODY_WORK)[N]> extends [unknown, infer A] ? A : null;
/** The result of the work; bytes lose their class on their way between threads. */
export type WorkResult<N extends WorkName> = Unbuffered<ReturnType<(typeof BODY_WORK)[N]>>;
type Unbuffered<T> = T extends Buffer
  ? Uint8Array
  : T extends { bytes: Buffer }
    ? Omit<T, 'bytes'> & { bytes: Uint8Array }
    : T;

/** Reads a body of this kind, and does the work on it. Throws BodyRefused. */
export type BodyRead = <N extends WorkName>(
  kind: BodyKind,
  name: N,
  argument: WorkArgument<N>,
) => Promise<WorkResult<N>>;

/** The work to do with a body. */
export interface BodyJob {
  readonly name: WorkName;
  readonly argument: unknown;
  /** Most bytes after decompression; null for a body that is not compressed. */
  readonly unzippedBytes: number | null;
}

/** A body for the thread, and the work on it. */
export interface BodyOrder extends BodyJob {
  readonly id: number;
  /** Memory of both threads, of which so many bytes are the body. */
  readonly shared: SharedArrayBuffer;
  readonly size: number;
}

/** The end of the work: a result, a refusal of the body, or an error of ours. */
export interface BodyAnswer {
  readonly id: number;
  readonly result?: unknown;
  readonly refused?: { readonly fault: BodyFault; readonly message: string; readonly json: JsonFault | null };
  readonly error?: string;
}

/** Does the work on a whole body. Throws BodyRefused. */
export function workOn(body: Buffer, { name, argument, unzippedBytes }: BodyJob): unknown {
  const bytes = unzippedBytes === null ? body : unzipBody(body, unzippedBytes);
  const work: (bytes: Buffer, argument: never) => unknown = BODY_WORK[name];
  return work(bytes, argument as never);
}

/** Does the work, in the thread. */
export function performWork({ id, shared, size, ...job }: BodyOrder): BodyAnswer {
  try {
    // Decoders take no shared memory.
    return { id, result: workOn(Buffer.from(new Uint8Array(shared, 0, size)), job) };
  } catch (error) {
    if (!(error instanceof BodyRefused)) return { id, error: String(error) };
    const { fault, message, json } = error;
    return { id, refused: { fault, message, json } };
  }
}

/** JSON of catalogs and facts shrinks to a tenth, rarely to a fiftieth; zeros to a thousandth. */
const MOST_RATIO = 200;
/** A small body may shrink to less. */
const SMALL_BYTES = 1024 ** 2;

/** Decompresses a body of at most `limit` bytes. Throws BodyRefused. */
function unzipBody(bytes: Uint8Array, limit: number): Buffer {
  const most = Math.min(limit, Math.max(SMALL_BYTES, MOST_RATIO * bytes.length));
  try {
    return gunzipSync(bytes, { maxOutputLength: most });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    if (code !== 'ERR_BUFFER_TOO_LARGE') {
      throw new BodyRefused('damaged', `The request body cannot be decompressed: ${code}`);
    }
    if (most === limit) throw tooLargeBody(limit);
    throw new BodyRefused('too-large', `The request body decompresses to more than ${MOST_RATIO} times its size`);
  }
}
