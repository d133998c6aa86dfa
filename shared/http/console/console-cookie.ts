import type { HttpContext } from '../endpoint.ts';

/** The prefix makes browsers take it only with `Secure`, without `Domain`, for the whole host. */
const NAME = '__Host-understudy';
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Strict';
const TOKEN = /^[\w-]{20,200}$/;

/** The token in the console's cookie; null without one. Of several, the first counts. */
export function cookieToken(context: HttpContext): string | null {
  for (const part of (context.req.header('Cookie') ?? '').split(';')) {
    const at = part.indexOf('=');
    if (part.slice(0, at).trim() !== NAME) continue;
    const value = part.slice(at + 1).trim();
    return TOKEN.test(value) ? value : null;
  }
  return null;
}

/** The `Set-Cookie` header that keeps a token for so long. */
export function setCookie(token: string, lifetimeMs: number): string {
  return `${NAME}=${token}; Max-Age=${Math.floor(lifetimeMs / 1000)}; ${ATTRIBUTES}`;
}

/** The `Set-Cookie` header that deletes the cookie. */
export const CLEARED_COOKIE = `${NAME}=; Max-Age=0; ${ATTRIBUTES}`;
