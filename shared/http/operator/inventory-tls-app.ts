import { Hono } from 'hono';
import type { AccessControl } from '../../access/accounts/access-control.ts';
import type { Clock } from '../../store/ports/clock.ts';
import { digestSha256 } from '../../util/digest.ts';
import { FairQueue } from '../../util/fair-queue.ts';
import { annotateRequest, recordAccesses } from '../access-log.ts';
import type { Bindings, HttpContext, Peer } from '../endpoint.ts';
import { plainRefusal, Refusal } from '../exchange/answers.ts';
import { endPiecesWith, sendInventoryAnswer, toInventoryRequest } from '../exchange/inventory-event.ts';
import { type InventoryAnswer, type InventoryHttpRequest, textAnswer } from '../exchange/inventory-exchange.ts';
import { refusePath } from '../exchange/request-path.ts';
import { requestToken } from '../exchange/request-token.ts';
import { describeAuthenticationFailure } from '../routes/access/access-endpoint.ts';
import { isAdministrationPath, isArchivePath } from '../routes/inventory/inventory-administration-endpoint.ts';
import { isCommandPath } from '../routes/inventory/inventory-command-endpoint.ts';
import type { RequestLog } from '../services.ts';

export interface InventoryTlsServices {
  /** Answers a request of a sender who may send it. */
  readonly answer: (request: InventoryHttpRequest) => Promise<InventoryAnswer>;
  readonly clock: Clock;
  /** Receives faults that are no user's mistake. */
  readonly reportFault: (error: unknown) => void;
  readonly access: AccessControl;
  /** Whether the certificate of a client is revoked. */
  readonly isRevoked: (peer: Peer) => Promise<boolean>;
  /** Certnames that may use the API; null for all that the CA signed, as with PuppetDB. */
  readonly allowedCertnames: ReadonlySet<string> | null;
  readonly log: RequestLog;
}

/**
 * PuppetDB's API for clients of the network: with a certificate as PuppetDB asks for one, or with a
 * token of a user who may view (for commands: edit) the data of nodes.
 */
export function createInventoryTlsApp(services: InventoryTlsServices): Hono<{ Bindings: Bindings }> {
  const { clock, log } = services;
  const app = new Hono<{ Bindings: Bindings }>();
  app.use(recordAccesses(log.access, clock));
  app.use(async (context, next) => refusePath(new URL(context.req.url).pathname) ?? next());
  app.all('*', (context) => answerRequest(context, services));
  app.onError((error, context) => {
    if (error instanceof Refusal) return error.response();
    if (!context.req.raw.signal.aborted) services.reportFault(error);
    return new Response('Internal error; the server log has the details', { status: 500 });
  });
  return app;
}

async function answerRequest(context: HttpContext, services: InventoryTlsServices): Promise<Response> {
  const path = new URL(context.req.url).pathname;
  const refusal = await authorize(context, path, services);
  if (refusal !== null) {
    annotateRequest(context, { reason: 'forbidden' });
    return sendInventoryAnswer(refusal);
  }
  const request = readRequest(context);
  if (!path.startsWith('/pdb/query/')) return sendInventoryAnswer(await services.answer(request));
  return sendInventoryAnswer(await answerInTurn(clientOf(context), () => services.answer(request)));
}

/** Bounds the memory of answers that nobody reads. The database goes on with others meanwhile. */
const queries = new FairQueue({ places: 64, mostOfClient: 2 });

/** Answers a query when it is the client's turn, which lasts until its last row is sent. */
async function answerInTurn(client: string, answer: () => Promise<InventoryAnswer>): Promise<InventoryAnswer> {
  const leave = await queries.enter(client);
  try {
    const { body, ...others } = await answer();
    if (typeof body !== 'string') return { ...others, body: endPiecesWith(body, leave) };
    leave();
    return { ...others, body };
  } catch (error) {
    leave();
    throw error;
  }
}

function clientOf(context: HttpContext): string {
  const token = readToken(context);
  return `${context.env.client ?? ''} ${token === null ? '' : digestSha256(token)}`;
}

/** Null when the request is allowed. */
async function authorize(
  context: HttpContext,
  path: string,
  services: InventoryTlsServices,
): Promise<InventoryAnswer | null> {
  const secret = readToken(context);
  return secret === null
    ? authorizeCertificate(context.env.peer, path, services)
    : authorizeToken(secret, path, services);
}

/** Like `requestToken`; refuses in PuppetDB's form. */
function readToken(context: HttpContext): string | null {
  try {
    return requestToken(context);
  } catch (error) {
    if (error instanceof Refusal) throw plainRefusal(400, error.message);
    throw error;
  }
}

const NO_IDENTITY =
  'Permission denied: The request has neither a client certificate of this CA nor a token (X-Authentication)';

const NOT_ADMINISTRATOR =
  'Permission denied: the administration API is for certificates on the allow list (--puppetdb-allow-list)';

// Puppet: puppetlabs/puppetdb/middleware.clj, build-allowlist-authorizer. Status and metrics are
// for all. The administration is not: any node could delete all others.
async function authorizeCertificate(
  peer: Peer | null,
  path: string,
  { allowedCertnames, isRevoked }: InventoryTlsServices,
): Promise<InventoryAnswer | null> {
  if (peer === null) return textAnswer(401, NO_IDENTITY);
  if (await isRevoked(peer)) {
    return textAnswer(403, `Permission denied: The client certificate ${peer.certname} is revoked`);
  }
  const isListed = allowedCertnames?.has(peer.certname);
  if (isAdministrationPath(path) && isListed !== true) return textAnswer(403, NOT_ADMINISTRATOR);
  if (isListed !== false || path.startsWith('/status/') || path.startsWith('/metrics/')) return null;
  return textAnswer(
    403,
    `Permission denied: The client certificate name ${peer.certname} doesn't appear in the certificate allowlist. Is your master's (or other PuppetDB client's) certname listed in PuppetDB's certificate-allowlist file?`,
  );
}

async function authorizeToken(
  secret: string,
  path: string,
  { access }: InventoryTlsServices,
): Promise<InventoryAnswer | null> {
  const subject = await access.authenticate(secret);
  if (typeof subject === 'string') {
    return textAnswer(401, `Permission denied: ${describeAuthenticationFailure(subject)}`);
  }
  const isChange = isCommandPath(path) || isAdministrationPath(path);
  // An archive has all data of nodes.
  const needed = isChange ? (isArchivePath(path) ? ['edit_data', 'view_data'] : ['edit_data']) : ['view_data'];
  for (const action of needed) {
    if (await access.permits(subject, { objectType: 'nodes', action, instance: '*' })) continue;
    return textAnswer(403, `Permission denied: User ${subject.login} lacks the permission nodes:${action}:*`);
  }
  return null;
}

function readRequest(context: HttpContext): InventoryHttpRequest {
  const request = toInventoryRequest(context, 'https');
  const parameters = new Map(request.parameters);
  parameters.delete('token');
  return { ...request, parameters };
}
