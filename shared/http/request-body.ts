import { tooLarge } from './answers.ts';
import type { HttpContext } from './endpoint.ts';

/** The request's body; refuses one of more than `limit` bytes without reading on. */
export async function readBody(context: HttpContext, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  if (Number(context.req.header('Content-Length') ?? 0) > limit) throw tooLarge(limit);
  const stream = context.req.raw.body;
  if (stream === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream.values({ preventCancel: true })) {
    size += chunk.byteLength;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return Uint8Array.from(Buffer.concat(chunks, size));
}

/** The same as text (UTF-8). */
export async function readTextBody(context: HttpContext, limit: number): Promise<string> {
  return new TextDecoder().decode(await readBody(context, limit));
}
