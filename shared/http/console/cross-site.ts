import type { HttpContext } from '../endpoint.ts';

/** The header that the console's client sends. No form can send it, and no foreign page may. */
const CONSOLE_HEADER = 'X-Understudy-Console';

const READING = new Set(['GET', 'HEAD']);

/**
 * Why a request that browsers would send with the cookie is refused: a page of another origin may
 * have made it. Null for a request of the console itself. What reads needs no header of its own,
 * because no other origin sees the answer.
 */
export function describeForeignRequest({ req }: HttpContext): string | null {
  const isReading = READING.has(req.method);
  const site = req.header('Sec-Fetch-Site');
  const isOwnSite = site === undefined || site === 'same-origin' || (isReading && site === 'none');
  if (!isOwnSite) return `The request comes from another site (Sec-Fetch-Site: ${site})`;
  const origin = req.header('Origin');
  const own = `https://${req.header('Host') ?? new URL(req.url).host}`;
  if (origin !== undefined && origin !== own) return `The request comes from ${origin}, and the console is ${own}`;
  if (isReading || req.header(CONSOLE_HEADER) === '1') return null;
  return `A request with the cookie that is not GET or HEAD needs the header ${CONSOLE_HEADER}: 1`;
}
