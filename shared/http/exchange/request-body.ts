import type { Semaphore } from '../../util/semaphore.ts';
import type { HttpContext } from '../endpoint.ts';
import { BODY_LIMITS } from '../services.ts';
import { jsonRefusal, tooLargeError, unsupportedMediaTypeError } from './answers.ts';

/** The request's body; refuses one of more than `limit` bytes without reading on. */
export async function readBody(context: HttpContext, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  if (Number(context.req.header('Content-Length') ?? 0) > limit) throw tooLargeError(limit);
  const stream = context.req.raw.body;
  if (stream === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream.values({ preventCancel: true })) {
    size += chunk.byteLength;
    if (size > limit) throw tooLargeError(limit);
    chunks.push(chunk);
  }
  return Uint8Array.from(Buffer.concat(chunks, size));
}

/** Bodies up to this many bytes are read whoever else is being read. */
const SMALL_BODY = 1024 * 1024;

/**
 * Does `work`, which reads a body that may be large and lets go of it, in a place of the turnstile:
 * so that many large bodies at a time take the memory of a few. Small ones, as their length says,
 * need no place.
 */
export async function withPlaceForBody<T>(
  context: HttpContext,
  semaphore: Semaphore,
  work: () => Promise<T>,
): Promise<T> {
  const announced = Number(context.req.header('Content-Length') ?? Number.POSITIVE_INFINITY);
  if (announced <= SMALL_BODY) return work();
  const leave = await semaphore.acquire();
  try {
    return await work();
  } finally {
    leave();
  }
}

/** The same as text (UTF-8). */
export async function readTextBody(context: HttpContext, limit: number): Promise<string> {
  return new TextDecoder().decode(await readBody(context, limit));
}

/** The body as a JSON object; refuses anything else with `kind`. */
export async function readJsonObject(context: HttpContext, kind: string): Promise<Readonly<Record<string, unknown>>> {
  const text = await readTextBody(context, BODY_LIMITS.command);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw jsonRefusal(400, kind, `The body is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return { ...parsed };
  throw jsonRefusal(400, kind, 'The body must be a JSON object');
}

/**
 * Refuses (415) a body that is said to be in another format than these; a client that says nothing
 * is believed.
 */
export function demandFormat(context: HttpContext, formats: readonly string[]): void {
  const type = context.req.header('Content-Type');
  if (type === undefined) return;
  if (!formats.includes(type.split(';')[0]?.trim().toLowerCase() ?? '')) throw unsupportedMediaTypeError(type);
}
