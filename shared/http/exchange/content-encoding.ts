import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { HttpContext } from '../endpoint.ts';
import { JSON_TYPE } from './answers.ts';

const VARY = 'Accept-Encoding, User-Agent';
/** Formats with equal bodies in JSON and in PSON. */
export const JSON_FORMATS: readonly string[] = ['application/json', 'text/pson'];
/** Compression does not pay below this size. */
const WORTH_COMPRESSING = 1024;

export const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Whether the client accepts gzip: by name or `*`, with a weight above 0. */
function acceptsGzip(context: HttpContext): boolean {
  const weights = new Map<string, number>();
  for (const entry of (context.req.header('Accept-Encoding') ?? '').toLowerCase().split(',')) {
    const [name = '', ...parameters] = entry.split(';').map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    weights.set(name, weight === undefined ? 1 : Number(weight));
  }
  return (weights.get('gzip') ?? weights.get('*') ?? 0) > 0;
}

/** Sends a gzipped body. A client without gzip gets `plain`; without that it is decompressed. */
export async function sendGzipped(
  context: HttpContext,
  gzipped: Uint8Array,
  contentType: string,
  plain: Uint8Array<ArrayBuffer> | null = null,
): Promise<Response> {
  const headers: Record<string, string> = { 'Content-Type': contentType, Vary: VARY };
  if (!acceptsGzip(context)) return send(plain ?? new Uint8Array(await decompress(gzipped)), headers);
  headers['Content-Encoding'] = 'gzip';
  return send(new Uint8Array(gzipped), headers);
}

/** The content type of one of `JSON_FORMATS`. */
export function jsonType(format: string): string {
  return format === 'application/json' ? JSON_TYPE : format;
}

/**
 * Sends a value as JSON, compressed if the client accepts it and the size justifies it; `format` is
 * one of `JSON_FORMATS`.
 */
export async function sendJson(context: HttpContext, value: unknown, format = 'application/json'): Promise<Response> {
  const body = new TextEncoder().encode(JSON.stringify(value));
  const headers: Record<string, string> = { 'Content-Type': jsonType(format), Vary: VARY };
  if (body.length < WORTH_COMPRESSING || !acceptsGzip(context)) return send(body, headers);
  headers['Content-Encoding'] = 'gzip';
  return send(new Uint8Array(await compress(body)), headers);
}

function send(body: Uint8Array<ArrayBuffer>, headers: Record<string, string>): Response {
  return new Response(body, { status: 200, headers: { ...headers, 'Content-Length': String(body.length) } });
}
