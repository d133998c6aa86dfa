import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Clock } from '../../store/ports/clock.ts';
import { digestSha256 } from '../../util/digest.ts';
import type { Bindings, Peer } from '../endpoint.ts';
import { badMessage, refuseMethod, refusePath } from '../exchange/request-path.ts';
import { peerOfCertificate } from './peer.ts';
import { type RequestSender, RequestShares } from './request-shares.ts';

export interface FetchApp {
  fetch(request: Request, bindings: Bindings): Response | Promise<Response>;
}

/** All ports of a process share its thread. */
const SHARES = new RequestShares();

/** Serves an app through `node:https`. `failed` is called with errors outside the app. */
export function nodeListener(
  app: FetchApp,
  clock: Pick<Clock, 'now'>,
  failed: (error: unknown) => void,
  shares = SHARES,
): (incoming: IncomingMessage, outgoing: ServerResponse) => void {
  const shared = shareOut(app, shares);
  return (incoming, outgoing) => {
    answer(shared, clock, incoming, outgoing).catch((error: unknown) => {
      if (!outgoing.destroyed) failed(error);
      outgoing.destroy();
    });
  };
}

async function answer(
  app: FetchApp,
  clock: Pick<Clock, 'now'>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) gone.abort();
  });
  const chunks: AsyncIterator<Uint8Array> = incoming.iterator({ destroyOnReturn: false });
  // Check the raw path before URL parsing resolves `a/b/..`: all readers must see the same path.
  const refused = refuseMethod(incoming.method ?? 'GET') ?? refusePath(incoming.url?.split(/[?#]/)[0] ?? '');
  const request = refused === null ? toRequest(incoming, chunks, gone.signal) : null;
  const identity = identityOf(incoming.socket, clock.now());
  if (identity === 'expired') outgoing.setHeader('Connection', 'close');
  const peer = identity === 'expired' ? null : identity;
  const { client } = clientOf(incoming.socket);
  let isAbandoned = false;
  const abandonBody = () => {
    isAbandoned = !incoming.complete;
    if (isAbandoned) outgoing.setHeader('Connection', 'close');
  };
  const bindings: Bindings = { peer, client, reportProgress: () => sayStillWorking(outgoing), abandonBody };
  await send(refused ?? (request ? await app.fetch(request, bindings) : badMessage()), outgoing);
  if (isAbandoned) return void setTimeout(() => incoming.destroy(), ABANDONED_MS).unref();
  // Drain the unread body: the connection's next request follows it.
  await chunks.return?.();
  incoming.resume();
}

/** A client whose body is read no more gets so long to read the answer. */
const ABANDONED_MS = 1000;

/** The paths that show whether the server lives; they do not wait. */
const STATUS = /^https:\/\/localhost\/status\//;

/** The app, which answers a client when its share allows it, and not at all one that left. */
function shareOut(app: FetchApp, shares: RequestShares): FetchApp {
  return {
    async fetch(request, bindings) {
      if (STATUS.test(request.url)) return app.fetch(request, bindings);
      const leave = await shares.enter(requesterOf(request, bindings));
      try {
        return request.signal.aborted ? new Response(null) : await app.fetch(request, bindings);
      } finally {
        leave();
      }
    },
  };
}

/** Clients without a certificate may come from the address of a load balancer. */
function requesterOf({ headers }: Request, { peer, client = '' }: Bindings): RequestSender {
  const token = headers.get('X-Authentication') ?? headers.get('Authorization') ?? headers.get('Cookie');
  return { client, token: peer !== null || !token ? null : digestSha256(token) };
}

function toRequest(incoming: IncomingMessage, chunks: AsyncIterator<Uint8Array>, signal: AbortSignal): Request | null {
  const url = incoming.url?.startsWith('/') ? `https://localhost${incoming.url}` : null;
  if (url === null || !URL.canParse(url) || countHosts(incoming) > 1) return null;
  const method = incoming.method ?? 'GET';
  const headers = new Headers();
  for (let index = 0; index + 1 < incoming.rawHeaders.length; index += 2) {
    headers.append(incoming.rawHeaders[index] ?? '', incoming.rawHeaders[index + 1] ?? '');
  }
  if (method === 'GET' || method === 'HEAD') return new Request(url, { method, headers, signal });
  return new Request(url, { method, headers, signal, body: streamOf(chunks), duplex: 'half' });
}

/** Several would let a proxy in front see another one than we do. */
function countHosts({ rawHeaders }: IncomingMessage): number {
  return rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
}

/** A lazy stream: it reads only on demand. */
function streamOf(chunks: AsyncIterator<Uint8Array>): ReadableStream<Uint8Array> {
  const source = {
    async pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  };
  return new ReadableStream(source, { highWaterMark: 0 });
}

/** Bodies up to this size are sent in one piece, which is faster than a stream. */
const SENT_AT_ONCE = 256 * 1024;

/** Sends a body with backpressure, so that a large file is never held in memory. */
async function send(response: Response, outgoing: ServerResponse): Promise<void> {
  if (outgoing.destroyed) return response.body?.cancel();
  outgoing.statusCode = response.status;
  // The rest of a body that came too slowly is not waited for.
  if (response.status === 408) outgoing.setHeader('Connection', 'close');
  for (const [name, value] of response.headers) {
    // A cookie has a line of its own; all others come joined.
    if (name === 'set-cookie') outgoing.appendHeader(name, value);
    else outgoing.setHeader(name, value);
  }
  // A body shorter than announced fails here and closes the connection, so no client takes it for
  // complete.
  outgoing.strictContentLength = true;
  if (response.body === null) outgoing.end();
  else if (lengthOf(response) <= SENT_AT_ONCE) outgoing.end(Buffer.from(await response.arrayBuffer()));
  else await pipe(response.body.getReader(), outgoing);
}

function lengthOf(response: Response): number {
  return Number(response.headers.get('Content-Length') ?? Number.POSITIVE_INFINITY);
}

async function pipe(reader: ReadableStreamDefaultReader<Uint8Array>, outgoing: ServerResponse): Promise<void> {
  for (;;) {
    const { done, value } = await reader.read();
    if (outgoing.destroyed) return reader.cancel();
    if (done) break;
    if (!outgoing.write(value)) await waitUntilWritable(outgoing);
  }
  outgoing.end();
}

/** Waits until the buffer drains or the client disconnects. */
function waitUntilWritable(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      outgoing.off('drain', settle);
      outgoing.off('close', settle);
      resolve();
    };
    outgoing.on('drain', settle);
    outgoing.on('close', settle);
  });
}

/**
 * Sends an interim response (102): the traffic keeps middleboxes from closing the connection, and
 * the final status stays open. Ruby's and all other HTTP/1.1 clients skip it.
 */
function sayStillWorking(outgoing: ServerResponse): void {
  if (outgoing.headersSent || outgoing.destroyed || outgoing.req.httpVersion !== '1.1') return;
  outgoing.writeProcessing();
}

/** Who is at the other end of a connection. */
interface Client {
  /** The peer of a certificate that TLS verified when the connection, or its session, began. */
  readonly peer: Peer | null;
  /** See `Bindings`. */
  readonly client: string;
  /** When the certificate expires, in milliseconds since the epoch. */
  readonly endsAt: number;
}

const clients = new WeakMap<object, Client>();

/**
 * The client's identity: only from a certificate that the TLS layer verified. It is read once per
 * connection; whether it has expired since then is checked for each request.
 */
function identityOf(socket: Socket, now: number): Peer | 'expired' | null {
  const { peer, endsAt } = clientOf(socket);
  return endsAt < now ? 'expired' : peer;
}

function clientOf(socket: Socket): Client {
  const known = clients.get(socket);
  if (known !== undefined) return known;
  const client = readClient(socket);
  clients.set(socket, client);
  return client;
}

function readClient(socket: Socket): Client {
  const isVerified = socket instanceof TLSSocket && socket.authorized;
  const certificate = isVerified ? socket.getPeerX509Certificate() : undefined;
  if (certificate === undefined) {
    return { peer: null, client: socket.remoteAddress ?? '', endsAt: Number.POSITIVE_INFINITY };
  }
  const peer = peerOfCertificate(certificate.raw);
  return { peer, client: certificate.fingerprint256, endsAt: certificate.validToDate.getTime() };
}
