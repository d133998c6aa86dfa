import type { HttpContext } from '../endpoint.ts';
import { notAcceptableError } from './answers.ts';

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
