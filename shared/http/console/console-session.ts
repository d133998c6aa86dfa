import { AccessRefused } from '../../access/accounts/access-control.ts';
import type { AccessService, UsedToken } from '../../access/accounts/access-service.ts';
import type { Account } from '../../access/accounts/account.ts';
import type { AccessToken } from '../../access/accounts/token-store.ts';
import type { SamlLogIns } from '../../access/saml/saml-log-ins.ts';
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
  const { token, cookie } = await openSession(context, access, account, null);
  const response = await sendSession(context, access, account, token.expiresAt);
  response.headers.set('Set-Cookie', cookie);
  return response;
}

/**
 * Creates a session in place of that of the browser, if it sent one; it ends at `until`
 * (milliseconds since 1970) at the latest. Returns its token, and the `Set-Cookie` header.
 */
export async function openSession(
  context: HttpContext,
  access: AccessService,
  account: Account,
  until: number | null,
): Promise<{ readonly token: AccessToken; readonly cookie: string }> {
  await endFormer(context, access);
  const secret = await access.tokens.create(account, {
    lifetimeMs: SESSION_MS,
    ...(until === null ? {} : { until }),
    timeoutMs: IDLE_MS,
    client: 'console',
    description: 'A session of the console',
  });
  access.audit({ event: 'change', login: account.login, outcome: 'granted', subject: 'console session created' });
  const token = await access.tokens.find(secret);
  if (token === null) throw new Error('invariant: the token was created');
  return { token, cookie: setCookie(secret, token.expiresAt - token.createdAt) };
}

/** `GET /console/session`: whose session it is. Without one: 401, and the cookie is deleted. */
export async function getSession(context: HttpContext, access: AccessService): Promise<Response> {
  const { account, token } = await demandSession(context, access);
  return sendSession(context, access, account, token.expiresAt);
}

/**
 * `DELETE /console/session`: ends the token and deletes the cookie. Idempotent. Of a session that
 * an identity provider began, the answer has the address where it ends there.
 */
export async function deleteSession(context: HttpContext, access: AccessService, saml: SamlLogIns): Promise<Response> {
  const ended = await endFormer(context, access);
  const session = ended === null ? null : await access.samlSessions.take(ended.digest);
  const url = session === null ? null : await saml.beginLogOut(session);
  const response =
    url === null
      ? new Response(null, { status: 204 })
      : await sendJson(context, { log_out_url: url } satisfies ApiSchema<'LogOut'>);
  response.headers.set('Set-Cookie', CLEARED_COOKIE);
  return response;
}

async function demandSession(context: HttpContext, access: AccessService): Promise<UsedToken> {
  const secret = cookieToken(context);
  if (secret === null) throw new AccessRefused('user-unauthenticated', 'There is no session: log in');
  const used = await access.useToken(secret);
  if (typeof used !== 'string') return used;
  throw new AccessRefused('user-unauthenticated', `${describeAuthenticationFailure(used)}: log in`, { reason: used });
}

/** Ends the session of the browser. Returns its token; null without one that is active. */
export async function endFormer(context: HttpContext, access: AccessService): Promise<AccessToken | null> {
  const secret = cookieToken(context);
  const token = secret === null ? null : await access.tokens.find(secret);
  if (token === null || token.revokedAt !== null) return null;
  await access.tokens.revoke(token);
  access.audit({ event: 'change', login: token.login, outcome: 'granted', subject: 'console session ended' });
  return token;
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
  const value = cookieValue(context, NAME);
  return value !== null && TOKEN.test(value) ? value : null;
}

/** The value of a cookie; null without one. Refuses (400) different ones. */
export function cookieValue(context: HttpContext, name: string): string | null {
  const sent = (context.req.header('Cookie') ?? '').split(/[;,]/).flatMap((part) => {
    const at = part.indexOf('=');
    return part.slice(0, at).trim() === name ? [part.slice(at + 1).trim()] : [];
  });
  return theOnly(sent, 'tokens in its cookies');
}

/** The `Set-Cookie` header that keeps a token for so long. */
function setCookie(token: string, lifetimeMs: number): string {
  return `${NAME}=${token}; Max-Age=${Math.floor(lifetimeMs / 1000)}; ${ATTRIBUTES}`;
}

/** The `Set-Cookie` header that deletes the cookie. */
export const CLEARED_COOKIE = `${NAME}=; Max-Age=0; ${ATTRIBUTES}`;
