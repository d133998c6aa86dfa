import { AccessRefused } from '../../access/accounts/access-control.ts';
import type { AccessService, UsedToken } from '../../access/accounts/access-service.ts';
import type { Account } from '../../access/accounts/account.ts';
import type { ApiSchema } from '../../api/described-answers.ts';
import { formatIsoSeconds } from '../../util/iso-seconds.ts';
import type { HttpContext } from '../endpoint.ts';
import { sendJson } from '../exchange/content-encoding.ts';
import { FIELD, readJsonFields } from '../exchange/json-fields.ts';
import { theOnly } from '../exchange/request-token.ts';
import { demandPermission, describeAuthenticationFailure } from '../routes/access/access-endpoint.ts';

/** A session ends after a working day, and after an hour in which no page asks for anything. */
const SESSION_MS = 12 * 3600_000;
const IDLE_MS = 3600_000;

/**
 * `POST /console/session`: logs in, and sets the cookie with a new token. Whatever token the
 * browser had before ends.
 */
export async function postSession(context: HttpContext, access: AccessService): Promise<Response> {
  const { login, password } = await readJsonFields(context, { login: FIELD.text, password: FIELD.text });
  const account = await access.logIn(login, password);
  await demandPermission(access, account, 'console_page', 'view', '*');
  await endFormer(context, access);
  const token = await access.tokens.create(account, {
    lifetimeMs: SESSION_MS,
    timeoutMs: IDLE_MS,
    client: 'console',
    description: 'A session of the console',
  });
  access.audit({ event: 'change', login: account.login, outcome: 'granted', subject: 'console session created' });
  const stored = await access.tokens.find(token);
  if (stored === null) throw new Error('invariant: the token was created');
  const response = await sendSession(context, access, account, stored.expiresAt);
  response.headers.set('Set-Cookie', setCookie(token, SESSION_MS));
  return response;
}

/** `GET /console/session`: whose session it is. Without one: 401, and the cookie is deleted. */
export async function getSession(context: HttpContext, access: AccessService): Promise<Response> {
  const { account, token } = await demandSession(context, access);
  return sendSession(context, access, account, token.expiresAt);
}

/** `DELETE /console/session`: ends the token and deletes the cookie. Idempotent. */
export async function deleteSession(context: HttpContext, access: AccessService): Promise<Response> {
  await endFormer(context, access);
  return new Response(null, { status: 204, headers: { 'Set-Cookie': CLEARED_COOKIE } });
}

async function demandSession(context: HttpContext, access: AccessService): Promise<UsedToken> {
  const secret = cookieToken(context);
  if (secret === null) throw new AccessRefused('user-unauthenticated', 'There is no session: log in');
  const used = await access.useToken(secret);
  if (typeof used !== 'string') return used;
  throw new AccessRefused('user-unauthenticated', `${describeAuthenticationFailure(used)}: log in`, { reason: used });
}

async function endFormer(context: HttpContext, access: AccessService): Promise<void> {
  const secret = cookieToken(context);
  const token = secret === null ? null : await access.tokens.find(secret);
  if (token === null || token.revokedAt !== null) return;
  await access.tokens.revoke(token);
  access.audit({ event: 'change', login: token.login, outcome: 'granted', subject: 'console session ended' });
}

async function sendSession(
  context: HttpContext,
  access: AccessService,
  account: Account,
  expiresAt: number,
): Promise<Response> {
  const { id, login, displayName } = account;
  const permissions = await access.permissionsOf(account);
  return sendJson(context, {
    user: { id, login, display_name: displayName },
    permissions: permissions.map(({ objectType, action, instance }) => ({ object_type: objectType, action, instance })),
    expires: formatIsoSeconds(expiresAt),
    idle_seconds: IDLE_MS / 1000,
  } satisfies ApiSchema<'Session'>);
}

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
function setCookie(token: string, lifetimeMs: number): string {
  return `${NAME}=${token}; Max-Age=${Math.floor(lifetimeMs / 1000)}; ${ATTRIBUTES}`;
}

/** The `Set-Cookie` header that deletes the cookie. */
export const CLEARED_COOKIE = `${NAME}=; Max-Age=0; ${ATTRIBUTES}`;
