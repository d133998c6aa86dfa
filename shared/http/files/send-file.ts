import type { ByteRange } from '../../store/ports/blob-store.ts';
import type { HttpContext } from '../endpoint.ts';
import { readByteRange } from '../exchange/byte-range.ts';

/** A file to send; its digest and size are known before it is read. */
export interface FileToSend {
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
  open(range: ByteRange): Promise<ReadableStream<Uint8Array<ArrayBuffer>>>;
}

/**
 * Answers `GET` and `HEAD` of a file: streams it or a requested range (206, 416); 304 when the
 * client has it.
 */
// Differs from Puppet: it supports neither ranges nor ETags. Clients that use neither see only
// additional headers.
export async function sendFile(context: HttpContext, { sha256, size, open }: FileToSend): Promise<Response> {
  const etag = `"${sha256}"`;
  const common = { ETag: etag, 'Accept-Ranges': 'bytes' };
  if (hasTag(context.req.header('If-None-Match'), etag)) return new Response(null, { status: 304, headers: common });
  const range = rangeOf(context, etag, size);
  if (range === 'unsatisfiable') {
    const headers = { ...common, 'Content-Range': `bytes */${size}`, 'Content-Length': '0' };
    return new Response(null, { status: 416, headers });
  }
  const { start, end } = range ?? { start: 0, end: size };
  const headers: Record<string, string> = {
    ...common,
    'Content-Type': 'application/octet-stream',
    'Content-Length': String(end - start),
  };
  if (range) headers['Content-Range'] = `bytes ${start}-${end - 1}/${size}`;
  const body = context.req.method === 'HEAD' || start === end ? null : await open({ start, end });
  return new Response(body, { status: range ? 206 : 200, headers });
}

/**
 * The requested range. A file that changed since the client's first part is sent whole, since mixed
 * parts would corrupt it.
 */
function rangeOf(context: HttpContext, etag: string, size: number): ByteRange | 'unsatisfiable' | null {
  const condition = context.req.header('If-Range');
  if (condition !== undefined && condition.trim() !== etag) return null;
  return readByteRange(context.req.header('Range'), size);
}

function hasTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag);
}
