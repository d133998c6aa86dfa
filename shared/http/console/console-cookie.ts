import type { HttpContext } from '../endpoint.ts';
import { theOnly } from '../exchange/request-token.ts';

/** The prefix makes browsers take it only with `Secure`, without `Domain`, for the whole host. */
const NAME = '__Host-understudy';
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Strict';
const TOKEN = /^[\w-]{20,200}$/;

/** The token in the console's cookie; null without one. Refuses (400) different ones. */
export function cookieToken(context: HttpContext): string | null {
  const sent = (context.req.header('Cookie') ?? '').split(/[;,]/).flatMap((part) => {
    const at = part.indexOf('=');
    return part.slice(0, at).trim() === NAME ? [part.slice(at + 1).trim()] : [];
  });
  const value = theOnly(sent, 'tokens in its cookies');
  return value !== null && TOKEN.test(value) ? value : null;
}

/** The `Set-Cookie` header that keeps a token for so long. */
export function setCookie(token: string, lifetimeMs: number): string {
  return `${NAME}=${token}; Max-Age=${Math.floor(lifetimeMs / 1000)}; ${ATTRIBUTES}`;
}

/** The `Set-Cookie` header that deletes the cookie. */
export const CLEARED_COOKIE = `${NAME}=; Max-Age=0; ${ATTRIBUTES}`;
