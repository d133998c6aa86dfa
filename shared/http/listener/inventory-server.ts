import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BodyTooLarge, type InventoryAnswer, type InventoryHttpRequest } from '../exchange/inventory-exchange.ts';
import { ListenFailed } from './edge-server.ts';

/** The largest body: PuppetDB's clients send catalogs of some megabytes. */
const LARGEST_BODY = 128 * 1024 * 1024;

export interface InventoryServerOptions {
  readonly answer: (request: InventoryHttpRequest) => Promise<InventoryAnswer>;
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly reportFailure: (error: unknown) => void;
}

/** A listener without TLS. */
export interface InventoryServer {
  readonly port: number;
  /** Stops accepting requests; those in progress get `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/** Listens for requests to the inventory without TLS; meant for loopback. Throws ListenFailed. */
export async function startInventoryServer(options: InventoryServerOptions): Promise<InventoryServer> {
  const server = createServer((request, response) => {
    respond(request, response, options).catch((error: unknown) => {
      options.reportFailure(error);
      response.destroy();
    });
  });
  await listen(server, options);
  return { port: (server.address() as AddressInfo).port, close: (graceMs) => close(server, graceMs) };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  { answer }: InventoryServerOptions,
): Promise<void> {
  const { status, headers, body } = isOfPage(request) ? FOREIGN : await answer(readRequest(request));
  response.writeHead(status, headers);
  if (typeof body === 'string') {
    response.end(body);
    return;
  }
  for await (const piece of body) {
    if (response.destroyed) return;
    if (!response.write(piece)) await waitForDrain(response);
  }
  response.end();
}

/** Waits until the client took what was written, or left. */
function waitForDrain(response: ServerResponse): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      response.off('drain', end);
      response.off('close', end);
      resolve();
    };
    response.on('drain', end);
    response.on('close', end);
  });
}

/** Names under which programs of this machine reach the listener. */
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/;
const FOREIGN = {
  status: 403,
  headers: { 'Content-Type': 'text/plain;charset=utf-8' },
  body: 'Requests of web pages, and for other names than localhost, are not allowed here',
};

/**
 * Whether a page in a browser of this machine sent the request: it names its origin, or reaches the
 * listener by a name of its own (DNS rebinding).
 */
function isOfPage({ headers }: IncomingMessage): boolean {
  return headers.origin !== undefined || !LOOPBACK.test(headers.host ?? 'localhost');
}

function readRequest(request: IncomingMessage): InventoryHttpRequest {
  const [path = '/', search = ''] = splitOnce(request.url ?? '/');
  const headers = new Map(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  return {
    method: request.method ?? 'GET',
    path,
    parameters: new Map(new URLSearchParams(search)),
    headers,
    origin: `http://${headers.get('host') ?? 'localhost'}`,
    readBody: () => readBody(request),
  };
}

function splitOnce(url: string): readonly string[] {
  const at = url.indexOf('?');
  return at < 0 ? [url] : [url.slice(0, at), url.slice(at + 1)];
}

async function readBody(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > LARGEST_BODY) throw new BodyTooLarge(`Command size exceeds ${LARGEST_BODY} bytes`);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

function listen(server: Server, { host, port }: InventoryServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(new ListenFailed(host, port, error)));
    server.listen({ host, port }, resolve);
  });
}

function close(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}
