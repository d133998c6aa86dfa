import { digestSha256 } from '../../util/digest.ts';
import type { HttpContext } from '../endpoint.ts';
import { sendJson } from './content-encoding.ts';

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
