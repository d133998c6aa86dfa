import type { HttpContext } from '../endpoint.ts';
import { jsonRefusal } from './answers.ts';

/**
 * The token of a request: header `X-Authentication` or `Authorization: Bearer`, or parameter
 * `token`; null without one. A blank value is none: the official PuppetDB CLI always sends the
 * header. Refuses (400) a request with different tokens, of which each reader could take another
 * one.
 */
export function requestToken({ req }: HttpContext): string | null {
  const sent = [
    ...valuesOf(req.header('X-Authentication')),
    ...valuesOf(req.header('Authorization')).flatMap((value) => /^Bearer\s+(\S+)$/i.exec(value)?.[1] ?? []),
    ...(req.queries('token') ?? []).map((value) => value.trim()),
  ];
  return theOnly(sent, 'tokens');
}

/**
 * The only one of these values that is not blank, however often it is there; null without one.
 * Refuses (400) several; `name` is what they are.
 */
export function theOnly(values: readonly string[], name: string): string | null {
  const [value = null, ...others] = new Set(values.filter((one) => one !== ''));
  if (others.length === 0) return value;
  throw jsonRefusal(400, 'malformed-request', `The request has ${others.length + 1} different ${name}`);
}

/** The values of a header; Node joins those of several lines by commas. */
function valuesOf(header: string | undefined): readonly string[] {
  return (header ?? '').split(',').map((value) => value.trim());
}
