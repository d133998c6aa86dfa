import { AccessRefused } from '../../access/accounts/access-control.ts';
import type { AccessService } from '../../access/accounts/access-service.ts';
import { REQUEST_MS, type SamlLogIns } from '../../access/saml/saml-log-ins.ts';
import { SamlRefused } from '../../access/saml/saml-refused.ts';
import type { ApiSchema } from '../../api/described-answers.ts';
import { annotateRequest } from '../access-log.ts';
import { BODIES } from '../body/body-kinds.ts';
import type { HttpContext } from '../endpoint.ts';
import { sendJson } from '../exchange/content-encoding.ts';
import { readTextBody } from '../exchange/request-body.ts';
import { demandPermission } from '../routes/access/access-endpoint.ts';
import { cookieValue, endFormer, openSession } from './console-session.ts';

/** Providers send the answer from a page of theirs, where browsers keep stricter cookies back. */
const NAME = '__Host-understudy-saml';
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=None';
const CLEARED = `${NAME}=; Max-Age=0; ${ATTRIBUTES}`;
const HOME = '/console/';
/** SAML lets a relay state have so many bytes. */
const LONGEST_RELAY = 80;
/** A reason may repeat a part of an answer that nobody signed. */
const LONGEST_REASON = 300;

/** `GET /console/log-ins`: the ways to log in beside a password. */
export async function getLogIns(context: HttpContext, access: AccessService): Promise<Response> {
  const settings = await access.saml.read();
  return sendJson(context, {
    saml: settings === null ? null : { display_name: settings.display_name },
  } satisfies ApiSchema<'LogIns'>);
}

/** `GET /saml/v1/meta`: our metadata, which is public. 404 without a provider. */
export async function getSamlMetadata(saml: SamlLogIns): Promise<Response> {
  const metadata = await saml.createMetadata();
  return new Response(metadata, { headers: { 'Content-Type': 'application/samlmetadata+xml' } });
}

/**
 * `GET /saml/v1/login`: sends the browser to the provider, to come back to the page in `return`.
 * 404 without a provider.
 */
export async function getSamlLogIn(context: HttpContext, access: AccessService, saml: SamlLogIns): Promise<Response> {
  const page = readPage(context.req.query('return') ?? '');
  const relayState = Buffer.byteLength(page) > LONGEST_RELAY ? HOME : page;
  const { url, secret } = await saml.beginLogIn(relayState);
  await endFormer(context, access);
  const response = redirect(302, url);
  response.headers.append('Set-Cookie', `${NAME}=${secret}; Max-Age=${REQUEST_MS / 1000}; ${ATTRIBUTES}`);
  return response;
}

/**
 * `POST /saml/v1/acs`: the answer of the provider, which a browser brings. Opens a session and
 * leads to the page in the relay state, if that is one of the console's; leads to the log-in page,
 * with a word for the reason, when it does not count. 404 without a provider.
 */
export async function postSamlAnswer(context: HttpContext, access: AccessService, saml: SamlLogIns): Promise<Response> {
  const form = new URLSearchParams(await readTextBody(context, BODIES.samlAnswer));
  return answerBy(form, context, access, saml).catch((error: unknown) => {
    const word = wordFor(error);
    if (word === null) throw error;
    const message = error instanceof Error ? error.message.slice(0, LONGEST_REASON) : '';
    annotateRequest(context, { reason: `saml-${word}: ${message}` });
    return redirect(303, `${HOME}login?next=%2F&saml=${word}`);
  });
}

async function answerBy(form: URLSearchParams, context: HttpContext, access: AccessService, saml: SamlLogIns) {
  const [[answer = '', ...others], states] = [form.getAll('SAMLResponse'), form.getAll('RelayState')];
  if (others.length > 0 || states.length > 1) throw new SamlRefused('refused', 'It has several answers');
  const user = await saml.accept(answer, cookieValue(context, NAME));
  const account = await access.logInBySaml(user);
  await demandPermission(access, account, 'console_page', 'view', '*');
  const { cookie, token } = await openSession(context, access, account, user.sessionEndsAt);
  if (user.session !== null) await access.samlSessions.keep(user.session, token.digest, token.expiresAt);
  const response = redirect(303, readPage(states[0] ?? ''));
  response.headers.append('Set-Cookie', cookie);
  // Only now: a page of somebody else must not end a log-in that has begun.
  response.headers.append('Set-Cookie', CLEARED);
  return response;
}

/** `GET` and `POST /saml/v1/slo`: after a log-out at the provider, or for one that begins there. */
export async function answerSamlLogOut(): Promise<Response> {
  // The session ended before the browser went there: whatever the provider says changes nothing.
  return redirect(303, HOME);
}

/** The word for the log-in page; null for an error that is none of the log-in. */
function wordFor(error: unknown): string | null {
  if (error instanceof SamlRefused) return error.fault;
  if (!(error instanceof AccessRefused)) return null;
  if (error.kind === 'user-revoked') return 'revoked';
  if (error.kind === 'permission-denied') return 'forbidden';
  return ['conflict', 'schema-violation'].includes(error.kind) ? 'taken' : null;
}

/** A page of the console; its first page for any other address. */
function readPage(text: string): string {
  const base = 'https://console.invalid';
  if (!text.startsWith(HOME) || !URL.canParse(text, base)) return HOME;
  const { origin, pathname, search } = new URL(text, base);
  return origin === base && pathname.startsWith(HOME) ? `${pathname}${search}` : HOME;
}

function redirect(status: 302 | 303, location: string): Response {
  return new Response(null, { status, headers: { Location: location, 'Content-Length': '0' } });
}
