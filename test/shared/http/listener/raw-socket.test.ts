import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONNECTIONS } from '../../../../shared/config/connections.ts';
import { createApp } from '../../../../shared/http/app.ts';
import { type EdgeServer, startEdgeServer } from '../../../../shared/http/listener/edge-server.ts';
import { malformedRequest } from '../../../fuzz/malformed-requests.ts';
import { SeededChance } from '../../../fuzz/seeded-chance.ts';
import { deployFiles, httpServices, type TestServices } from '../../../helpers/http-services.ts';

let http: TestServices;
let edge: EdgeServer;
const failures: unknown[] = [];

beforeAll(async () => {
  http = await httpServices();
  await deployFiles(http, 'production', { 'environments/production/manifests/site.pp': '' });
  edge = await startEdgeServer({
    app: createApp(http.services),
    credentials: await http.authority.serverCredentials('puppet', ['localhost']),
    trusted: http.authority.certificatePem,
    host: '127.0.0.1',
    port: 0,
    clock: http.clock,
    reportFailure: (error) => failures.push(error),
    connections: {
      ...CONNECTIONS.frontDoor,
      ...{ handshakeMs: 400, headersMs: 400, requestMs: 800, checkMs: 50, keepAliveMs: 100 },
    },
  });
});
afterAll(() => edge.close(0));

async function dial(): Promise<TLSSocket> {
  const socket = connect({ host: 'localhost', port: edge.port, ca: http.authority.certificatePem });
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  return socket;
}

/** Sends bytes as they are; answers all that comes back until the server closes. */
async function send(bytes: string | Uint8Array, end = true): Promise<string> {
  const socket = await dial();
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  if (end) socket.end(bytes);
  else socket.write(bytes);
  await closed;
  return Buffer.concat(chunks).toString('latin1');
}

function statusOf(answer: string): string {
  return answer.split('\r\n')[0] ?? '';
}

async function isAlive(): Promise<boolean> {
  const request = 'GET /status/v1/simple HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
  return (
    (await send(request, false)).endsWith('running\r\n0\r\n\r\n') || (await send(request, false)).includes('running')
  );
}

describe('what is no HTTP is refused, and the server lives on', () => {
  it.each([
    ['nothing of HTTP', 'nonsense\r\n\r\n'],
    ['a NUL', '\0\0\0\0'],
    ['a URL with a blank', 'GET /a b HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a header without a colon', 'GET / HTTP/1.1\r\nHost x\r\n\r\n'],
    ['an unknown version', 'GET / HTTP/9.9\r\nHost: x\r\n\r\n'],
    ['two lengths', 'PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd'],
    [
      'a length and chunks',
      'PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a length that is none', 'PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: -3\r\n\r\n'],
    ['a chunk that is none', 'PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n'],
    ['two hosts', 'GET /status/v1/simple HTTP/1.1\r\nHost: x\r\nhost: y\r\nConnection: close\r\n\r\n'],
    ['two requests in a header', 'GET / HTTP/1.1\r\nHost: x\r\nX: a\rGET /b HTTP/1.1\r\n\r\n'],
  ])('%s', async (_, bytes) => {
    expect(statusOf(await send(bytes))).toMatch(/^HTTP\/1\.1 (400|505) |^$/);
    expect(await isAlive()).toBe(true);
  });

  it.each(['TRACE /', 'TRACE /status/v1/simple', 'CONNECT localhost:22', 'CONNECT /'])('%s', async (target) => {
    const answer = await send(`${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`, false);
    expect(statusOf(answer)).toBe('HTTP/1.1 405 Method Not Allowed');
    expect(answer.toLowerCase()).toContain('allow: get, head, post, put, delete\r\n');
    expect(await isAlive()).toBe(true);
    expect(failures).toEqual([]);
  });

  it('headers beyond all measure', async () => {
    const answer = await send(`GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(70_000)}\r\n\r\n`, false);
    // The rest of what it sent may reset the connection before the answer is read.
    expect(statusOf(answer)).toMatch(/^HTTP\/1\.1 431 |^$/);
    expect(await isAlive()).toBe(true);
  });

  it.each(['/a/../b', '/%00', 'http://[bad', '*', '\\', '/a\\b', '//', '/%', '/?%', '/#x'])(
    'the path %s',
    async (path) => {
      const answer = await send(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`, false);
      expect(statusOf(answer)).toMatch(/^HTTP\/1\.1 (400|403|404) /);
    },
  );

  it('300 malformed requests, cut off anywhere', async () => {
    const chance = new SeededChance(3);
    for (let count = 0; count < 300; count += 1) {
      const { method, url, headers, body } = malformedRequest(chance);
      const head = [`${method} ${url.replace(/[\r\n ]/g, '+')} HTTP/1.1`, 'Host: x', 'Connection: close'];
      const lines = [...head, ...headers.map(([name, value]) => `${name}: ${value}`)];
      if (body) lines.push(`Content-Length: ${body.length}`);
      const whole = Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body ?? new Uint8Array()]);
      const answer = await send(chance.often(0.3) ? whole.subarray(0, chance.below(whole.length)) : whole);
      expect(statusOf(answer)).toMatch(/^HTTP\/1\.1 \d\d\d |^$/);
    }
    expect(await isAlive()).toBe(true);
    expect(http.errors).toEqual([]);
  });
});

describe('slow clients', () => {
  it('that send nothing are cut off', async () => {
    expect(statusOf(await send('', false))).toBe('HTTP/1.1 408 Request Timeout');
  });

  it('that send no second request are cut off', async () => {
    const socket = await dial();
    const closed = once(socket, 'close');
    socket.write('GET /status/v1/simple HTTP/1.1\r\nHost: x\r\n\r\n');
    socket.resume();
    await closed;
    expect(await isAlive()).toBe(true);
  });

  it("hear TLS's own end, which tells them that nothing was cut off", async () => {
    let last = Buffer.alloc(0);
    const relay = createServer((client) => {
      const behind = createConnection({ host: '127.0.0.1', port: edge.port });
      behind.on('data', (bytes) => {
        last = bytes;
      });
      client.pipe(behind).pipe(client);
    });
    await once(relay.listen(0, '127.0.0.1'), 'listening');
    const { port } = relay.address() as AddressInfo;
    // Later versions hide which records are alerts.
    const socket = connect({ port, ca: http.authority.certificatePem, servername: 'localhost', maxVersion: 'TLSv1.2' });
    const closed = once(socket, 'close');
    socket.write('GET /status/v1/simple HTTP/1.1\r\nHost: x\r\n\r\n');
    socket.resume();
    await closed;
    relay.close();
    const ALERT = 21;
    expect(last[0]).toBe(ALERT);
  });

  it('that never end their headers are cut off', async () => {
    expect(statusOf(await send('GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ', false))).toBe('HTTP/1.1 408 Request Timeout');
  });

  it('that never end their body are cut off', async () => {
    const path = '/puppet-ca/v1/certificate_request/slow.example.com';
    const answer = await send(`PUT ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nabc`, false);
    expect(statusOf(answer)).toMatch(/^HTTP\/1\.1 408 |^$/);
    expect(await isAlive()).toBe(true);
  });

  it('do not keep others from being served', async () => {
    const slow = await Promise.all(Array.from({ length: 50 }, dial));
    for (const socket of slow) socket.write('GET / HTTP/1.1\r\n');
    expect(await isAlive()).toBe(true);
    for (const socket of slow) socket.destroy();
  });
});
