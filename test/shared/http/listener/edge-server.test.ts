import type { IncomingHttpHeaders } from 'node:http';
import { Agent, type RequestOptions, request } from 'node:https';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CertificateAuthority } from '../../../../shared/access/ca/authority.ts';
import { generateKeys, privateKeyToPem } from '../../../../shared/access/ca/keys.ts';
import { x509 } from '../../../../shared/access/ca/x509.ts';
import { CONNECTIONS } from '../../../../shared/config/connections.ts';
import { createApp } from '../../../../shared/http/app.ts';
import { type EdgeServer, startEdgeServer } from '../../../../shared/http/listener/edge-server.ts';
import { makeRequest } from '../../../helpers/certificate-request.ts';
import { deployFiles, httpServices, type TestServices } from '../../../helpers/http-services.ts';
import { ManualClock, MemoryDocuments } from '../../../helpers/memory-stores.ts';

const NODE = '/puppet/v3/node/web01.example.com?environment=production';
let http: TestServices;
let edge: EdgeServer;
let web01: { cert: string; key: string };

beforeAll(async () => {
  http = await httpServices();
  http.clock.time = Math.floor(Date.now() / 1000) * 1000;
  await deployFiles(http, 'production', { 'environments/production/manifests/site.pp': '' });
  edge = await start(0);
  web01 = await credentials(http.authority, 'web01.example.com');
});
afterAll(() => edge.close(0));

async function start(port: number): Promise<EdgeServer> {
  const settings = { ...http.services.settings, stillWorkingMs: 20 };
  return startEdgeServer({
    app: createApp({ ...http.services, settings }),
    credentials: await http.authority.serverCredentials('puppet', ['localhost', '127.0.0.1']),
    trusted: http.authority.certificatePem,
    host: '127.0.0.1',
    port,
    clock: http.clock,
    connections: CONNECTIONS.frontDoor,
    reportFailure: (error) => http.errors.push(error),
  });
}

/** A key, and a certificate that `authority` signed for it. */
async function credentials(authority: CertificateAuthority, certname: string) {
  const { request: pem, key } = await makeRequest(certname);
  await authority.submit(certname, pem);
  return { cert: (await authority.findCertificate(certname)) ?? '', key };
}

const LARGE = '/puppet/v3/file_content/modules/profile/large.bin?environment=large';

/**
 * Deploys a file of `size` bytes whose stream gives `given` of them; answers how many were read.
 */
async function serveLargeFile(size: number, given = size): Promise<() => number> {
  await deployFiles(http, 'large', { 'environments/large/modules/profile/files/large.bin': 'x' });
  let left = given;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull(controller) {
        left -= 64 * 1024;
        controller.enqueue(new Uint8Array(64 * 1024));
        if (left === 0) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const opened = await http.services.files.open('large');
  const served = opened?.files.find({ mount: 'modules', path: 'profile/large.bin', certname: 'x' }, 'follow');
  if (served?.kind === 'file') Object.assign(served.file, { size });
  http.services.files.openContent = async () => body;
  return () => given - left;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Status codes of interim answers. */
  readonly interim: readonly number[];
}

function ask(options: RequestOptions, body: string | null = null, interim: number[] = []): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const common = { host: 'localhost', port: edge.port, ca: http.authority.certificatePem, agent: false };
    const outgoing = request({ ...common, ...options }, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      incoming.on('error', reject);
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, interim }));
    });
    outgoing.on('information', ({ statusCode }) => interim.push(statusCode));
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

describe('startEdgeServer', () => {
  it('knows a node by its certificate', async () => {
    expect(await ask({ path: NODE, ...web01 })).toMatchObject({
      status: 200,
      text: '{"name":"web01.example.com","environment":"production"}',
    });
  });

  it('lets a client without a certificate do what anyone may', async () => {
    expect((await ask({ path: '/puppet-ca/v1/certificate/ca' })).text).toBe(http.authority.certificatePem);
    expect(await ask({ path: NODE })).toMatchObject({
      status: 403,
      text: 'Forbidden request: /puppet/v3/node/web01.example.com (method :get). Please see the server logs for details.',
    });
  });

  it.each<[string, () => Promise<{ cert: string; key: string }>]>([
    [
      "another authority's",
      async () => {
        const options = { name: 'understudy.example.com', autosign: true, keyBits: 2048 };
        const clock = new ManualClock(http.clock.time);
        return credentials(await CertificateAuthority.open(new MemoryDocuments(), clock, options), 'web01.example.com');
      },
    ],
    [
      'a revoked',
      async () => {
        const old = await credentials(http.authority, 'old.example.com');
        await http.authority.clean('old.example.com');
        return old;
      },
    ],
    [
      'an expired',
      async () => {
        const now = http.clock.time;
        http.clock.time = now - 6 * 365 * 86_400_000;
        const expired = await credentials(http.authority, 'expired.example.com');
        http.clock.time = now;
        return expired;
      },
    ],
    ["another node's", async () => credentials(http.authority, 'web02.example.com')],
  ])('forbids with %s certificate', async (_, made) => {
    expect((await ask({ path: NODE, ...(await made()) })).status).toBe(403);
  });

  it('answers a node of a rebuilt authority with the same name, and resets no connection', async () => {
    const options = { name: 'understudy.example.com', autosign: true, keyBits: 2048 };
    const rebuilt = await CertificateAuthority.open(new MemoryDocuments(), new ManualClock(http.clock.time), options);
    const { cert, key } = await credentials(rebuilt, 'web01.example.com');
    const statuses: number[] = [];
    for (const shown of [cert, cert + rebuilt.certificatePem]) {
      for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
        const answer = await ask({ path: NODE, cert: shown, key, minVersion: version, maxVersion: version });
        statuses.push(answer.status);
      }
    }
    expect(statuses).toEqual([403, 403, 403, 403]);
  });

  it('answers a certificate that names the authority, but not its key', async () => {
    const keys = await generateKeys({ type: 'rsa', bits: 2048 });
    const forged = await x509.X509CertificateGenerator.create({
      subject: 'CN=web01.example.com',
      issuer: new x509.X509Certificate(http.authority.certificatePem).subject,
      notBefore: new Date(http.clock.time - 86_400_000),
      notAfter: new Date(http.clock.time + 86_400_000),
      signingAlgorithm: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
      publicKey: keys.publicKey,
      signingKey: keys.privateKey,
    });
    const shown = { cert: forged.toString('pem'), key: await privateKeyToPem(keys.privateKey) };
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      const answer = await ask({ path: NODE, ...shown, minVersion: version, maxVersion: version });
      expect([version, answer.status]).toEqual([version, 403]);
    }
  });

  it('speaks TLS 1.2 and 1.3, and nothing older', async () => {
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      expect((await ask({ path: NODE, ...web01, minVersion: version, maxVersion: version })).status).toBe(200);
    }
    await expect(ask({ path: NODE, minVersion: 'TLSv1', maxVersion: 'TLSv1.1' })).rejects.toThrow();
  });

  describe('a certificate that expires while its connection lives', () => {
    const DAY_MS = 86_400_000;

    it('counts until then and no longer, and the connection ends', async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: http.authority.certificatePem, ...web01 });
      const now = http.clock.time;
      expect((await ask({ path: NODE, agent })).status).toBe(200);
      http.clock.time = now + 5 * 365 * DAY_MS;
      expect((await ask({ path: NODE, agent })).status).toBe(200);
      http.clock.time += 1000;
      const late = await ask({ path: NODE, agent });
      http.clock.time = now;
      expect([late.status, late.headers.connection]).toEqual([403, 'close']);
      agent.destroy();
    });

    it.each(['TLSv1.2', 'TLSv1.3'] as const)('counts no more in a session of %s that is resumed', async (version) => {
      const options = { host: 'localhost', port: edge.port, ca: http.authority.certificatePem, ...web01 };
      const ask = async (session: Buffer | undefined) => {
        const socket = connect({ ...options, minVersion: version, maxVersion: version, ...(session && { session }) });
        const sessions: Buffer[] = [];
        socket.on('session', (given) => sessions.push(given));
        let isReused = false;
        socket.once('secureConnect', () => {
          isReused = socket.isSessionReused();
        });
        socket.write(`GET ${NODE} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
        const answer = await text(socket);
        return { status: answer.split(' ')[1], isReused, session: sessions.at(-1) };
      };
      const first = await ask(undefined);
      const now = http.clock.time;
      const again = await ask(first.session);
      http.clock.time += 5 * 365 * DAY_MS + 1000;
      const late = await ask(again.session ?? first.session);
      http.clock.time = now;
      expect([first, again, late].map(({ status, isReused }) => [status, isReused])).toEqual([
        ['200', false],
        ['200', true],
        ['403', true],
      ]);
    });
  });

  it('sends interim answers while a catalog is compiled, and the final status after them', async () => {
    const interim: number[] = [];
    http.catalogs.answers = async () => {
      await expect.poll(() => interim.length).toBeGreaterThanOrEqual(2);
      return { status: 'failed', message: 'late' };
    };
    const path = '/puppet/v3/catalog/web01.example.com?environment=production';
    const answer = await ask({ path, ...web01 }, null, interim);
    expect(answer.status).toBe(500);
    expect(new Set(answer.interim)).toEqual(new Set([102]));
  });

  it('stops a check-in when the client goes away', async () => {
    let signal: AbortSignal | undefined;
    http.catalogs.answers = () => ({
      kind: 'held',
      wait: (_, given) => {
        signal = given;
        return new Promise(() => {});
      },
    });
    const path = '/puppet/v3/catalog/web01.example.com?environment=production';
    await expect(ask({ path, ...web01, signal: AbortSignal.timeout(300) })).rejects.toThrow('aborted');
    await expect.poll(() => signal?.aborted).toBe(true);
  });

  it('says nothing of a client that goes away in the middle of its body', async () => {
    const before = http.errors.length;
    const path = '/puppet/v3/report/web01.example.com?environment=production';
    const headers = { 'Content-Length': '1000000' };
    const cut = ask({ method: 'PUT', path, headers, ...web01, signal: AbortSignal.timeout(200) }, 'x'.repeat(1000));
    await expect(cut).rejects.toThrow('aborted');
    expect((await ask({ path: NODE, ...web01 })).status).toBe(200);
    expect(http.errors.length).toBe(before);
  });

  it('passes bodies and odd paths through', async () => {
    const path = `/puppet/v3/file_bucket_file/md5/5eb63bbbe01eeed093cb22bb8f5acdc3//srv/x?environment=production`;
    expect((await ask({ method: 'PUT', path, ...web01 }, 'hello world')).status).toBe(200);
    expect((await ask({ path, ...web01 })).text).toBe('hello world');
    expect(await ask({ method: 'HEAD', path, ...web01 })).toMatchObject({ status: 200, text: '' });
    expect((await ask({ path: 'http://[bad', ...web01 })).status).toBe(400);
    for (const bad of ['a/../b', 'a/%2e%2E/b', 'a/..%2fb', 'a/./b', 'a/\\..\\b', 'a%00', 'a%zz', 'a%ff']) {
      const odd = await ask({ path: `/puppet/v3/file_content/modules/${bad}?environment=production`, ...web01 });
      expect([bad, odd.status]).toEqual([bad, 400]);
    }
  });

  it('answers a body that is too large before it was read', async () => {
    const path = '/puppet-ca/v1/certificate_request/big.example.com';
    const answer = await ask({ method: 'PUT', path, headers: { 'Transfer-Encoding': 'chunked' } }, 'x'.repeat(70_000));
    expect([answer.status, JSON.parse(answer.text).message]).toEqual([
      413,
      'Payload Too Large: The request body has more than 65536 bytes',
    ]);
  });

  it('serves the next request of a connection whose last body it did not want', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: http.authority.certificatePem, ...web01 });
    const path = '/puppet/v3/report/other.example.com?environment=production';
    const refused = await ask({ method: 'PUT', path, agent }, 'x'.repeat(3_000_000));
    expect(refused.status).toBe(403);
    expect((await ask({ path: NODE, agent })).status).toBe(200);
    agent.destroy();
  });

  it('reads a large file no faster than the client takes it', async () => {
    const pulled = await serveLargeFile(64 * 1024 * 1024);
    const received = await new Promise<number>((resolve, reject) => {
      const common = { host: 'localhost', port: edge.port, ca: http.authority.certificatePem, agent: false };
      const outgoing = request({ ...common, ...web01, path: LARGE }, (incoming) => {
        let size = 0;
        incoming.once('readable', async () => {
          // Nothing is taken here until the server has stopped reading.
          let before = -1;
          while (before !== pulled()) {
            before = pulled();
            await new Promise((again) => setTimeout(again, 200));
          }
          expect(pulled()).toBeLessThan(16 * 1024 * 1024);
          incoming.on('data', (chunk: Buffer) => {
            size += chunk.length;
          });
          incoming.on('end', () => resolve(size));
        });
      });
      outgoing.on('error', reject).end();
    });
    expect(received).toBe(64 * 1024 * 1024);
  });

  it('cuts the connection when a file ends early, so that nobody takes it for whole', async () => {
    await serveLargeFile(1024 * 1024, 512 * 1024);
    await expect(ask({ path: LARGE, ...web01 })).rejects.toThrow('aborted');
    expect(String(http.errors.at(-1))).toContain('Response body');
    expect((await ask({ path: NODE, ...web01 })).status).toBe(200);
  });

  it('names the address that it cannot listen on', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const address = other.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    await expect(start(port)).rejects.toThrow(
      `Cannot listen on 127.0.0.1:${port}: the port is in use by another program`,
    );
    other.close();
  });
});
