import { once } from 'node:events';
import { createServer } from 'node:https';
import { createConnection } from 'node:net';
import { type Duplex, PassThrough } from 'node:stream';
import { connect, type TLSSocket } from 'node:tls';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CertificateAuthority } from '../../../../shared/access/ca/authority.ts';
import { CONNECTIONS, type ConnectionSettings } from '../../../../shared/config/connections.ts';
import type { Bindings } from '../../../../shared/http/endpoint.ts';
import { ConnectionLimit } from '../../../../shared/http/listener/connection-limit.ts';
import { type EdgeServer, startEdgeServer } from '../../../../shared/http/listener/edge-server.ts';
import { ManualClock, MemoryDocuments } from '../../../helpers/memory-stores.ts';

const MOST = 3;
const clock = new ManualClock(Math.floor(Date.now() / 1000) * 1000);
let authority: CertificateAuthority;
let edge: EdgeServer;
let failures: string[];
let sockets: TLSSocket[];
/** Requests for `/held` wait for it. */
let held: PromiseWithResolvers<void>;

beforeAll(async () => {
  authority = await CertificateAuthority.open(new MemoryDocuments(), clock, {
    name: 'x',
    autosign: true,
    keyType: 'ec',
  });
});
beforeEach(async () => {
  failures = [];
  sockets = [];
  held = Promise.withResolvers();
  edge = await start();
});
afterEach(async () => {
  held.resolve();
  for (const socket of sockets) socket.destroy();
  await edge.close(0);
});

async function start(limits: Partial<ConnectionSettings> = {}): Promise<EdgeServer> {
  return startEdgeServer({
    app: { fetch: answer },
    credentials: await authority.serverCredentials('puppet', ['localhost']),
    trusted: authority.certificatePem,
    host: '127.0.0.1',
    port: 0,
    clock,
    connections: { ...CONNECTIONS.frontDoor, most: MOST, headersMs: 60_000, ...limits },
    reportFailure: (error) => failures.push(error instanceof Error ? error.message : String(error)),
  });
}

async function answer(request: Request, { peer }: Bindings): Promise<Response> {
  if (request.url.endsWith('/held')) await held.promise;
  return new Response(peer?.certname ?? 'nobody', {
    headers: { 'Content-Length': String((peer?.certname ?? 'nobody').length) },
  });
}

type Credentials = { readonly cert: string; readonly key: string };

/** A connection after its handshake. */
async function dial(credentials: Credentials | null = null): Promise<TLSSocket> {
  const socket = connect({ host: 'localhost', port: edge.port, ca: authority.certificatePem, ...credentials });
  sockets.push(socket);
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  socket.resume();
  // The server knows of the client's handshake when it answers.
  return socket;
}

/** Whether the server refuses a connection before TLS. */
function isRefused(): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: 'localhost', port: edge.port, ca: authority.certificatePem });
    sockets.push(socket);
    socket.once('secureConnect', () => resolve(false));
    socket.once('error', () => resolve(true));
  });
}

async function ask(socket: TLSSocket, path: string): Promise<string> {
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  const [bytes] = await once(socket, 'data');
  return String(bytes).split('\r\n')[0] ?? '';
}

async function makeNode(): Promise<Credentials> {
  const { certificate: cert, key } = await authority.generate('web01.example.com', [], false).catch(async () => {
    await authority.clean('web01.example.com');
    return authority.generate('web01.example.com', [], false);
  });
  return { cert, key };
}

const isClosed = (socket: TLSSocket) => () => socket.destroyed || socket.readableEnded;

describe('a server with as many connections as it may have', () => {
  it('closes the longest idle for a new one, and says so once a minute', async () => {
    const [first, second, third] = [await dial(), await dial(), await dial()];
    expect(await ask(first, '/')).toBe('HTTP/1.1 200 OK');
    const fourth = await dial();
    await expect.poll(isClosed(second)).toBe(true);
    await dial();
    await expect.poll(isClosed(third)).toBe(true);
    expect(await ask(first, '/')).toBe('HTTP/1.1 200 OK');
    expect(await ask(fourth, '/')).toBe('HTTP/1.1 200 OK');
    expect(await edge.countConnections()).toBe(MOST);
    const message = '3 connections are open, the most that may be: idle ones are closed for new ones';
    expect(failures).toEqual([message]);
    clock.time += 60_000;
    await dial();
    expect(failures).toEqual([message, message]);
  });

  it('closes those of no node before that of a node', async () => {
    const node = await dial(await makeNode());
    expect(await ask(node, '/')).toBe('HTTP/1.1 200 OK');
    const strangers = [await dial(), await dial()];
    await dial();
    await dial();
    await expect.poll(() => strangers.map((socket) => isClosed(socket)())).toEqual([true, true]);
    expect(await ask(node, '/')).toBe('HTTP/1.1 200 OK');
  });

  it('closes no request of a node, and refuses the newest before TLS when no other is left', async () => {
    const credentials = await makeNode();
    const nodes = [await dial(credentials), await dial(credentials), await dial(credentials)];
    const answers = nodes.map((socket) => ask(socket, '/held'));
    const stranger = isRefused();
    expect(await stranger).toBe(true);
    expect(failures).toEqual(['3 connections are open, the most that may be: new ones are refused']);
    held.resolve();
    expect(await Promise.all(answers)).toEqual(nodes.map(() => 'HTTP/1.1 200 OK'));
    expect(await isRefused()).toBe(false);
  });

  it('closes a request of no node when nothing is idle', async () => {
    const credentials = await makeNode();
    const nodes = [await dial(credentials), await dial(credentials)];
    const answers = nodes.map((socket) => ask(socket, '/held'));
    const stranger = await dial();
    stranger.write('GET /held HTTP/1.1\r\nHost: x\r\n\r\n');
    await dial();
    await expect.poll(isClosed(stranger)).toBe(true);
    held.resolve();
    expect(await Promise.all(answers)).toEqual(nodes.map(() => 'HTTP/1.1 200 OK'));
  });
});

describe('a client with as many connections as it may have', () => {
  const restart = async (limits: Partial<ConnectionSettings>) => {
    await edge.close(0);
    edge = await start({ most: 100, ...limits });
  };

  it.each([
    ['certificate', { mostOfCertificate: 2 }],
    ['address', { mostOfAddress: 2 }],
  ])('of a %s loses its longest idle for a new one, and no other client does', async (kind, limits) => {
    await restart(limits);
    const node = await makeNode();
    const [own, others] = kind === 'certificate' ? [node, null] : [null, node];
    const strangers = [await dial(others), await dial(others), await dial(others)];
    const [first, second] = [await dial(own), await dial(own)];
    expect(await ask(first, '/')).toBe('HTTP/1.1 200 OK');
    const third = await dial(own);
    await expect.poll(isClosed(first)).toBe(true);
    for (const socket of [...strangers, second, third]) expect(await ask(socket, '/')).toBe('HTTP/1.1 200 OK');
    expect(failures).toEqual(['A client has 2 connections, the most it may have: idle ones are closed for new ones']);
  });

  it('keeps its requests, and gets no new connection when none is idle', async () => {
    await restart({ mostOfCertificate: 2 });
    const node = await makeNode();
    const busy = [await dial(node), await dial(node)];
    const answers = busy.map((socket) => ask(socket, '/held'));
    await expect.poll(isClosed(await dial(node))).toBe(true);
    held.resolve();
    expect(await Promise.all(answers)).toEqual(busy.map(() => 'HTTP/1.1 200 OK'));
    expect(failures).toEqual(['A client has 2 connections, the most it may have: new ones are refused']);
  });
});

it('ends handshakes that take long, when there are no other connections to close', async () => {
  const silent = await Promise.all(
    Array.from({ length: MOST }, async () => {
      const socket = createConnection({ host: '127.0.0.1', port: edge.port });
      socket.on('error', () => {});
      await once(socket, 'connect');
      return socket;
    }),
  );
  await expect.poll(() => edge.countConnections()).toBe(MOST);
  expect(await isRefused()).toBe(true);
  clock.time += 2_000;
  expect(await ask(await dial(), '/')).toBe('HTTP/1.1 200 OK');
  for (const socket of silent) socket.destroy();
});

describe('many connections at once', () => {
  it('begin their handshakes a few in each turn of the event loop, and not at all when they are gone', async () => {
    const server = createServer();
    const begun: Duplex[] = [];
    server.removeAllListeners('connection');
    server.on('connection', (socket) => begun.push(socket));
    new ConnectionLimit({ ...CONNECTIONS.frontDoor, clock, reportFull: () => {} }).guard(server, 'secureConnection');
    const connections = Array.from({ length: 20 }, () => new PassThrough());
    for (const connection of connections) server.emit('connection', connection);
    const [gone] = connections.slice(10);
    gone?.on('error', () => {});
    gone?.emit('error', new Error('ECONNRESET'));
    const counts: number[] = [begun.length];
    for (let turns = 0; turns < 4; turns += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      counts.push(begun.length);
    }
    expect(counts).toEqual([0, 8, 15, 19, 19]);
    expect(begun).toEqual(connections.filter((connection) => connection !== gone));
  });
});
