import type { HttpContext } from '../endpoint.ts';

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
