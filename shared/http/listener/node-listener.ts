import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { Bindings, Peer } from '../endpoint.ts';
import { badMessage, refusePath } from '../exchange/request-path.ts';
import { peerOfCertificate } from './peer.ts';

export interface FetchApp {
  fetch(request: Request, bindings: Bindings): Response | Promise<Response>;
}

/** Serves an app through `node:https`. `failed` is told what goes wrong outside the app. */
export function nodeListener(
  app: FetchApp,
  failed: (error: unknown) => void,
): (incoming: IncomingMessage, outgoing: ServerResponse) => void {
  return (incoming, outgoing) => {
    answer(app, incoming, outgoing).catch((error: unknown) => {
      if (!outgoing.destroyed) failed(error);
      outgoing.destroy();
    });
  };
}

async function answer(app: FetchApp, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const gone = new AbortController();
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) gone.abort();
  });
  const chunks: AsyncIterator<Uint8Array> = incoming.iterator({ destroyOnReturn: false });
  // Before anything makes `a` of `a/b/..`: what a path names must not depend on who reads it.
  const refused = refusePath(incoming.url?.split(/[?#]/)[0] ?? '');
  const request = toRequest(incoming, chunks, gone.signal);
  const bindings: Bindings = { peer: peerOf(incoming.socket), reportProgress: () => sayStillWorking(outgoing) };
  await send(refused ?? (request ? await app.fetch(request, bindings) : badMessage()), outgoing);
  // What the app did not read of the body is read away: the connection's next request comes behind
  // it.
  await chunks.return?.();
  incoming.resume();
}

function toRequest(incoming: IncomingMessage, chunks: AsyncIterator<Uint8Array>, signal: AbortSignal): Request | null {
  const url = incoming.url?.startsWith('/') ? `https://localhost${incoming.url}` : null;
  if (url === null || !URL.canParse(url)) return null;
  const method = incoming.method ?? 'GET';
  const headers = new Headers();
  for (let index = 0; index + 1 < incoming.rawHeaders.length; index += 2) {
    headers.append(incoming.rawHeaders[index] ?? '', incoming.rawHeaders[index + 1] ?? '');
  }
  if (method === 'GET' || method === 'HEAD') return new Request(url, { method, headers, signal });
  return new Request(url, { method, headers, signal, body: streamOf(chunks), duplex: 'half' });
}

/** A stream that reads nothing before it is asked. */
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

/** Bodies up to this many bytes are sent in one piece: that takes less time than a stream. */
const SENT_AT_ONCE = 256 * 1024;

/**
 * Sends a body as it is read: no faster than the client takes it, so that a large file never lies
 * in memory.
 */
async function send(response: Response, outgoing: ServerResponse): Promise<void> {
  if (outgoing.destroyed) return response.body?.cancel();
  outgoing.statusCode = response.status;
  for (const [name, value] of response.headers) outgoing.setHeader(name, value);
  // An answer that turns out shorter than announced fails here, and so does its connection: no
  // client takes it for whole.
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

/** Waits until there is room for more, or until the client is gone. */
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
 * An interim answer (102): bytes flow, so that no middle box takes the connection for dead, and the
 * status of the final answer stays open. Ruby's and all other HTTP/1.1 clients skip it.
 */
function sayStillWorking(outgoing: ServerResponse): void {
  if (outgoing.headersSent || outgoing.destroyed || outgoing.req.httpVersion !== '1.1') return;
  outgoing.writeProcessing();
}

const peers = new WeakMap<object, Peer | null>();

/**
 * Who is at the other end: only a certificate that the TLS layer verified counts. Read once a
 * connection.
 */
function peerOf(socket: object): Peer | null {
  const known = peers.get(socket);
  if (known !== undefined) return known;
  const peer = isTls(socket) && socket.authorized ? readPeer(socket) : null;
  peers.set(socket, peer);
  return peer;
}

function isTls(socket: object): socket is TLSSocket {
  return 'getPeerX509Certificate' in socket;
}

function readPeer(socket: TLSSocket): Peer | null {
  const certificate = socket.getPeerX509Certificate();
  return certificate === undefined ? null : peerOfCertificate(certificate.raw);
}
