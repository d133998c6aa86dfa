import { notAcceptable } from './answers.ts';
import type { HttpContext } from './endpoint.ts';

/**
 * The first of the client's formats that is among `offered` (in the client's order); the first offered one for a client
 * that names none. Refuses with 406 when there is none in common.
 */
export function acceptedFormat(context: HttpContext, offered: readonly string[]): string {
  const [preferred = ''] = offered;
  const accept = context.req.header('Accept');
  if (accept === undefined || accept.trim() === '') return preferred;
  for (const entry of accept.split(',')) {
    const format = entry.split(';')[0]?.trim().toLowerCase() ?? '';
    if (format === '*/*') return preferred;
    if (offered.includes(format)) return format;
  }
  throw notAcceptable(accept);
}
