import type { Semaphore } from '../../util/semaphore.ts';
import type { HttpContext } from '../endpoint.ts';
import { BODY_LIMITS } from '../services.ts';
import {
  createUnsupportedEncodingError,
  createUnsupportedMediaTypeError,
  jsonRefusal,
  tooLargeError,
} from './answers.ts';

/**
 * Refuses (415) a compressed body. Puppet Server decodes none, and would take it for a form without
 * parameters.
 */
export function refuseEncodedBody({ req }: HttpContext): void {
  const encoding = req.header('Content-Encoding')?.trim().toLowerCase() ?? '';
  if (!['', 'identity'].includes(encoding) && req.raw.body !== null) throw createUnsupportedEncodingError(encoding);
}

/** Reads the request's body; aborts when it exceeds `limit` bytes. */
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

/** Bodies up to this size are read without the semaphore. */
const SMALL_BODY = 1024 * 1024;

/**
 * Runs `work`, which reads and releases a possibly large body, under a semaphore: it bounds the
 * memory of concurrent large bodies. Small bodies, by their Content-Length, bypass it.
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

/** Reads the body as text (UTF-8). */
export async function readTextBody(context: HttpContext, limit: number): Promise<string> {
  return new TextDecoder().decode(await readBody(context, limit));
}

/** Reads the body as a JSON object; refuses anything else with `kind`. */
export async function readJsonObject(context: HttpContext, kind: string): Promise<Readonly<Record<string, unknown>>> {
  const text = await readTextBody(context, BODY_LIMITS.command);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw jsonRefusal(400, kind, `The body is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return { ...parsed };
  throw jsonRefusal(400, kind, 'The body must be a JSON object');
}

/** Refuses (415) a body with another Content-Type than these; a missing one is accepted. */
export function demandFormat(context: HttpContext, formats: readonly string[]): void {
  const type = context.req.header('Content-Type');
  if (type === undefined) return;
  if (!formats.includes(type.split(';')[0]?.trim().toLowerCase() ?? '')) throw createUnsupportedMediaTypeError(type);
}
