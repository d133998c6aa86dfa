import { Hono } from 'hono';
import type { AccessService } from '../../access/accounts/access-service.ts';
import { SamlLogIns } from '../../access/saml/saml-log-ins.ts';
import type { Clock } from '../../store/ports/clock.ts';
import { answerAccessFault, patternOfRoute, sendAccessError } from '../access-fault.ts';
import { annotateRequest, recordAccesses } from '../access-log.ts';
import type { Bindings, HttpContext } from '../endpoint.ts';
import { refusePath } from '../exchange/request-path.ts';
import { requestToken } from '../exchange/request-token.ts';
import type { FetchApp } from '../listener/node-listener.ts';
import type { RequestLog } from '../services.ts';
import { ConsoleFiles, type FindAsset, type LoadAssets } from './console-files.ts';
import { CLEARED_COOKIE, cookieToken, deleteSession, getSession, postSession } from './console-session.ts';
import { answerSamlLogOut, getLogIns, getSamlLogIn, getSamlMetadata, postSamlAnswer } from './saml-log-in.ts';

/** An API at the console's origin. Its app logs its own requests. */
export interface MountedApi {
  /** Common prefix of its paths: `/orchestrator/v1`. */
  readonly prefix: string;
  /** Null: the server runs without it, and requests get 404 with `absence`. */
  readonly app: FetchApp | null;
  readonly absence?: string;
}

interface ConsoleServices {
  readonly access: AccessService;
  readonly apis: readonly MountedApi[];
  readonly loadAssets: LoadAssets;
  /** Finds files that are not among these. */
  readonly findAsset?: FindAsset | undefined;
  readonly clock: Clock;
  readonly log: RequestLog;
}

/** No certificate counts at this door: browsers choose one without asking their users. */
const NOBODY: Bindings = { peer: null };

/**
 * The application of the console: its files below `/console/`, sessions at `/console/session`, and
 * beside them the APIs, which take the session's cookie for a token. Only requests of the console's
 * own pages may change something with the cookie (see `describeForeignRequest`); a token of
 * another form works as at the APIs' own ports, and then the cookie does not count.
 */
export function createConsoleApp(services: ConsoleServices): Hono<{ Bindings: Bindings }> {
  const { access, loadAssets, findAsset, clock, log } = services;
  const saml = new SamlLogIns(access.saml);
  const files = new ConsoleFiles(loadAssets, findAsset);
  const app = new Hono<{ Bindings: Bindings }>();
  app.use(async (context, next) => {
    const refused = refusePath(new URL(context.req.url).pathname);
    if (refused !== null) return guardData(refused);
    await next();
  });
  for (const { prefix, app: api, absence = 'This server runs without this API' } of services.apis) {
    const serve = (context: HttpContext) =>
      api === null ? guardData(sendAccessError(404, 'not-found', absence)) : forward(context, api);
    app.all(prefix, serve);
    app.all(`${prefix}/*`, serve);
  }
  app.use(recordAccesses(log.access, clock, patternOfRoute));
  app.post('/console/session', (context) => answerSession(context, () => postSession(context, access)));
  app.get('/console/session', (context) => answerSession(context, () => getSession(context, access)));
  app.delete('/console/session', (context) => answerSession(context, () => deleteSession(context, access, saml)));
  app.get('/console/log-ins', async (context) => guardData(await getLogIns(context, access)));
  app.get('/saml/v1/meta', async () => guardData(await getSamlMetadata(saml)));
  app.get('/saml/v1/login', async (context) => guardData(await getSamlLogIn(context, access, saml)));
  // A page of the provider sends it: the request id in its cookie says that this browser asked.
  app.post('/saml/v1/acs', async (context) => guardData(await postSamlAnswer(context, access, saml)));
  app.on(['GET', 'POST'], '/saml/v1/slo', async () => guardData(await answerSamlLogOut()));
  app.get('/console/*', async (context) => guardPage(await files.answer(context)));
  for (const path of ['/', '/console']) app.get(path, () => guardPage(redirectHome()));
  app.notFound((context) => guardData(sendAccessError(404, 'not-found', `There is nothing at ${context.req.path}`)));
  app.onError((error, context) => {
    const response = guardData(answerAccessFault(error, context, log));
    const isOver = response.status === 401 && cookieToken(context) !== null;
    if (isOver) response.headers.append('Set-Cookie', CLEARED_COOKIE);
    return response;
  });
  return app;
}

function redirectHome(): Response {
  return new Response(null, { status: 302, headers: { Location: '/console/', 'Content-Length': '0' } });
}

async function answerSession(context: HttpContext, work: () => Promise<Response>): Promise<Response> {
  return guardData(refuseForeign(context) ?? (await work()));
}

/** Lets the API answer, with the cookie's token in place of the cookie. */
async function forward(context: HttpContext, api: FetchApp): Promise<Response> {
  const { raw } = context.req;
  const headers = new Headers(raw.headers);
  headers.delete('Cookie');
  // Only another front door may say for whom it asks, and none asks here.
  headers.delete('X-Client-Cert');
  const token = requestToken(context) === null ? cookieToken(context) : null;
  if (token !== null) {
    const refused = refuseForeign(context);
    if (refused !== null) return guardData(refused);
    headers.set('X-Authentication', token);
  }
  const { reportProgress } = context.env;
  const bindings = reportProgress === undefined ? NOBODY : { ...NOBODY, reportProgress };
  return guardData(await api.fetch(new Request(raw, { headers }), bindings));
}

function refuseForeign(context: HttpContext): Response | null {
  const fault = describeForeignRequest(context);
  if (fault === null) return null;
  annotateRequest(context, { reason: 'cross-site-request' });
  return sendAccessError(403, 'cross-site-request', fault);
}

/** Only what this origin serves as files is run, shown or asked. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** An answer of an API is data: opened as a page, it may load and run nothing. */
const DATA_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox";

const COMMON: Readonly<Record<string, string>> = {
  // Browsers heed it only where they trust the certificate.
  'Strict-Transport-Security': 'max-age=31536000',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** Adds the headers of a file of the console. */
function guardPage(response: Response): Response {
  return addHeaders(response, { ...COMMON, 'Content-Security-Policy': PAGE_POLICY });
}

/** Adds the headers of an API's answer, which no cache keeps. */
function guardData(response: Response): Response {
  if (!response.headers.has('Cache-Control')) response.headers.set('Cache-Control', 'no-store');
  return addHeaders(response, { ...COMMON, 'Content-Security-Policy': DATA_POLICY });
}

function addHeaders(response: Response, headers: Readonly<Record<string, string>>): Response {
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}

/** The header that the console's client sends. No form can send it, and no foreign page may. */
const CONSOLE_HEADER = 'X-Understudy-Console';

const READING = new Set(['GET', 'HEAD']);

/**
 * Why a request that browsers would send with the cookie is refused: a page of another origin may
 * have made it. Null for a request of the console itself. What reads needs no header of its own,
 * because no other origin sees the answer.
 */
function describeForeignRequest({ req }: HttpContext): string | null {
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
