import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buildConsole } from '../../../shared/console/build/build-console.ts';
import type { BundledAsset } from '../../../shared/console/build/bundle-file.ts';

/** What the fake API answers: a JSON value, or one that says status and headers. */
export type FakeAnswer =
  | { readonly body: unknown; readonly status?: number; readonly headers?: Readonly<Record<string, string>> }
  | 'never';

export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly headers: IncomingMessage['headers'];
}

export type FakeRoute = (request: FakeRequest, ...parts: readonly string[]) => FakeAnswer;

/** Routes by method and path; `*` in a path stands for one part, which the route gets decoded. */
export type FakeRoutes = Readonly<Record<string, FakeRoute>>;

export const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/**
 * Where the server has axe, for `page.addScriptTag`: a browser compiles what it loads once for all
 * pages.
 */
export const AXE_PATH = '/console/axe.min.js';

/** A server with the real client and an API that answers from routes. */
export interface FakeConsole {
  readonly origin: string;
  /** Replaces or adds routes until `reset`. */
  readonly override: (routes: FakeRoutes) => void;
  readonly reset: () => void;
  /** Requests with another method than GET, since the last reset. */
  readonly changes: FakeRequest[];
  /** Sends an event to all open pages. */
  readonly send: (event: string, data: unknown) => void;
  readonly close: () => Promise<void>;
}

const NO_PAGES = new Set(['/console/session', '/console/log-ins']);
/** Nobody can log in but with a password. */
const LOG_INS: FakeRoutes = { 'GET /console/log-ins': () => ({ body: { saml: null } }) };

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** Starts the server on a free port of loopback. */
export async function startFakeConsole(routes: FakeRoutes): Promise<FakeConsole> {
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'));
  const assets = new Map((await buildConsole({ root: ROOT })).map((asset) => [asset.path, asset]));
  const streams = new Set<ServerResponse>();
  const changes: FakeRequest[] = [];
  let overrides: FakeRoutes = {};
  let eventId = 0;
  const server = createServer(async (incoming, response) => {
    const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://localhost');
    if (pathname === AXE_PATH) return sendImmutable(response, 'text/javascript', axe);
    const isPage = pathname === '/console' || (pathname.startsWith('/console/') && !NO_PAGES.has(pathname));
    if (isPage) return sendAsset(response, assets, pathname);
    if (pathname === '/understudy/v1/events') return openStream(response, streams);
    const request = await readRequest(incoming, pathname, searchParams);
    if (request.method !== 'GET') changes.push(request);
    sendAnswer(response, findAnswer({ ...LOG_INS, ...routes, ...overrides }, request));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    changes,
    override: (more) => {
      overrides = { ...overrides, ...more };
    },
    reset: () => {
      overrides = {};
      changes.length = 0;
    },
    send: (event, data) => {
      eventId += 1;
      for (const stream of streams) stream.write(`id: ${eventId}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function sendAsset(response: ServerResponse, assets: ReadonlyMap<string, BundledAsset>, path: string): void {
  const asset = assets.get(path.slice('/console/'.length)) ?? assets.get('index.html');
  if (asset?.isImmutable) {
    sendImmutable(response, asset.type, asset.bytes);
    return;
  }
  response.writeHead(200, {
    'Content-Type': asset?.type ?? 'text/html',
    'Content-Security-Policy': POLICY,
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(asset?.bytes);
}

/** Sends what a browser keeps, as the real server says of what never changes. */
function sendImmutable(response: ServerResponse, type: string, bytes: Uint8Array): void {
  response.writeHead(200, { 'Content-Type': type, 'Cache-Control': 'public, max-age=31536000, immutable' });
  response.end(bytes);
}

function openStream(response: ServerResponse, streams: Set<ServerResponse>): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
  response.write(': open\n\n');
  streams.add(response);
  response.on('close', () => streams.delete(response));
}

async function readRequest(incoming: IncomingMessage, path: string, query: URLSearchParams): Promise<FakeRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const body: unknown = text === '' ? null : JSON.parse(text);
  return { method: incoming.method ?? 'GET', path, query, body, headers: incoming.headers };
}

function findAnswer(routes: FakeRoutes, request: FakeRequest): FakeAnswer {
  const given = request.path.split('/');
  for (const [key, route] of Object.entries(routes)) {
    const [method, pattern = ''] = key.split(' ');
    const wanted = pattern.split('/');
    const matches = wanted.length === given.length && wanted.every((part, at) => part === '*' || part === given[at]);
    if (method === request.method && matches) {
      return route(request, ...given.filter((_, at) => wanted[at] === '*').map(decodeURIComponent));
    }
  }
  return { status: 404, body: { kind: 'not-found', msg: `There is no ${request.method} ${request.path}` } };
}

function sendAnswer(response: ServerResponse, answer: FakeAnswer): void {
  if (answer === 'never') return;
  const { status = 200, headers = {}, body } = answer;
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  response.end(body === null ? '' : JSON.stringify(body));
}
