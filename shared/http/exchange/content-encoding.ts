import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { digestSha256 } from '../../util/digest.ts';
import type { HttpContext } from '../endpoint.ts';
import { JSON_TYPE, notAcceptableError } from './answers.ts';

/**
 * Content negotiation: the client's best format (by weight, then by its order) among `offered`; the
 * first offered one without an Accept header. Refuses with 406 without a common format.
 */
// Differs from Puppet: a client without an Accept header is served instead of refused with 400.
export function negotiateFormat(context: HttpContext, offered: readonly string[]): string {
  const [preferred = ''] = offered;
  const accept = context.req.header('Accept');
  if (accept === undefined || accept.trim() === '') return preferred;
  for (const format of sortByWeight(accept)) {
    if (format === '*/*') return preferred;
    if (offered.includes(format)) return format;
  }
  throw notAcceptableError(accept);
}

function sortByWeight(accept: string): readonly string[] {
  const entries = accept.split(',').map((entry) => {
    const [format = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase());
    const weight = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1);
    return { format, weight: Number.isNaN(weight) ? 0 : weight };
  });
  return entries
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ format }) => format);
}

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

/**
 * Sends a value as JSON with an ETag like Puppet Server's cached information: without quotes, and
 * with the suffix `--gzip` for a compressed body. Answers 304 when the client sends the tag, with
 * or without the suffix.
 */
export async function sendTaggedJson(context: HttpContext, value: unknown): Promise<Response> {
  const tag = digestSha256(JSON.stringify(value));
  const asked = context.req
    .header('If-None-Match')
    ?.trim()
    .replace(/^"?(.*?)(?:--gzip)?"?$/, '$1');
  if (asked === tag) return new Response(null, { status: 304, headers: { ETag: tag } });
  const response = await sendJson(context, value);
  response.headers.set('Content-Type', 'application/json');
  response.headers.set('ETag', response.headers.has('Content-Encoding') ? `${tag}--gzip` : tag);
  return response;
}

const TYPE = { 'Content-Type': 'text/plain' };

/**
 * A text that changed last at `changedAt`; 304 when the client has it, by its `If-Modified-Since`.
 * Null: not known, and the text is always sent.
 */
export function sendTextIfModified(context: HttpContext, text: string, changedAt: number | null): Response {
  if (changedAt === null) return new Response(text, { headers: TYPE });
  const since = Date.parse(context.req.header('If-Modified-Since') ?? '');
  // HTTP dates have whole seconds.
  if (Math.floor(changedAt / 1000) * 1000 <= since) return new Response(null, { status: 304, headers: TYPE });
  return new Response(text, { headers: { ...TYPE, 'Last-Modified': new Date(changedAt).toUTCString() } });
}
