import type { BodyKind } from './body-kinds.ts';
import { type BodyFault, BodyRefused, type JsonFault } from './body-refused.ts';
import { BODY_WORK } from './body-work.ts';
import { unzipBody } from './unzip-body.ts';

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
