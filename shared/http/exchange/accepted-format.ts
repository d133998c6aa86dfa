import type { HttpContext } from '../endpoint.ts';
import { notAcceptableError } from './answers.ts';

/**
 * The best of the client's formats (by their weight, then in its order) that is among `offered`;
 * the first offered one for a client that names none. Refuses with 406 when there is none in
 * common.
 */
// Differs from Puppet: a client that sends no Accept header is served, and not refused with 400.
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
