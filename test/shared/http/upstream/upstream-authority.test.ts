import { X509Certificate } from 'node:crypto';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createApp } from '../../../../shared/http/app.ts';
import { nodeListener } from '../../../../shared/http/listener/node-listener.ts';
import { peerOfCertificate } from '../../../../shared/http/listener/peer.ts';
import { UpstreamAuthority } from '../../../../shared/http/upstream/upstream-authority.ts';
import { UpstreamRevocations } from '../../../../shared/http/upstream/upstream-revocations.ts';
import { makeRequest } from '../../../helpers/certificate-request.ts';
import { type createPeer, deployFiles, httpServices, type TestServices } from '../../../helpers/http-services.ts';

/**
 * The server with the CA: believes what the proxy says of clients, as `allow-header-cert-info` has
 * it.
 */
let ca: TestServices;
let server: Server;
let here: TestServices;
let app: TestServices['app'];
let upstream: UpstreamAuthority;
let asserted: Record<string, string | string[] | undefined>[] = [];
let answerWith: number | null = null;

beforeAll(async () => {
  ca = await httpServices();
  ca.clock.time = Math.floor(Date.now() / 1000) * 1000;
  const own = await ca.authority.serverCredentials('localhost', ['127.0.0.1']);
  const tls = { cert: own.certificate, key: own.key, ca: ca.authority.certificatePem, requestCert: true };
  server = createServer(tls, (incoming, outgoing) => {
    asserted.push(incoming.headers);
    const isProxy = (incoming.socket as TLSSocket).getPeerX509Certificate()?.subject === 'CN=compiler.example.com';
    if (answerWith !== null || !isProxy) {
      outgoing.writeHead(answerWith ?? 403).end('no');
      return;
    }
    const pem = decodeURIComponent(String(incoming.headers['x-client-cert'] ?? ''));
    const known = incoming.headers['x-client-verify'] === 'SUCCESS';
    const client = known ? peerOfCertificate(new X509Certificate(pem).raw) : null;
    const believing = { fetch: (request: Request) => ca.app.fetch(request, { peer: client }) };
    nodeListener(believing, ca.clock, () => {})(incoming, outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { certificate, key } = await ca.authority.generate('compiler.example.com', [], false);
  const { port } = server.address() as AddressInfo;
  const url = `https://localhost:${port}`;
  upstream = new UpstreamAuthority({ url, certificate, key, trusted: ca.authority.certificatePem, timeoutMs: 2000 });
});
afterAll(() => {
  upstream.close();
  server.closeAllConnections();
  server.close();
});

beforeEach(async () => {
  here = await httpServices();
  here.clock.time = ca.clock.time;
  await deployFiles(here, 'production', { 'environments/production/manifests/site.pp': '' });
  const { documents, clock, services } = here;
  const revocations = new UpstreamRevocations(upstream, documents, clock, services.log);
  app = createApp({ ...services, upstream: { authority: upstream, revocations } });
  asserted = [];
  answerWith = null;
});

async function ask(
  method: string,
  path: string,
  body: string | null = null,
  who: ReturnType<typeof createPeer> | null = null,
) {
  const headers = { 'X-Client-Verify': 'SUCCESS', 'X-Client-DN': 'CN=admin' };
  const response = await app.request(path, { method, headers, ...(body === null ? {} : { body }) }, { peer: who });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

async function node(certname: string) {
  await ca.authority.submit(certname, (await makeRequest(certname)).request);
  const pem = (await ca.authority.findCertificate(certname)) ?? '';
  const found = peerOfCertificate(new X509Certificate(pem).raw);
  if (found === null) throw new Error('no peer');
  return { ...found, pem };
}

describe('the CA of another server', () => {
  it('is asked for everything, by nobody in particular', async () => {
    expect((await ask('GET', '/puppet-ca/v1/certificate/ca')).text).toBe(ca.authority.certificatePem);
    const { request } = await makeRequest('web01.example.com');
    expect((await ask('PUT', '/puppet-ca/v1/certificate_request/web01.example.com', request)).status).toBe(200);
    const signed = await ask('GET', '/puppet-ca/v1/certificate/web01.example.com');
    expect([signed.status, signed.text]).toEqual([200, await ca.authority.findCertificate('web01.example.com')]);
    expect(await ask('GET', '/puppet-ca/v1/certificate/nosuch')).toMatchObject({
      status: 404,
      text: 'Could not find certificate nosuch',
    });
    expect(await here.authority.findCertificate('web01.example.com')).toBeNull();
    for (const headers of asserted) {
      expect(headers['x-client-verify']).toBe('NONE');
      expect(headers['x-client-dn']).toBeUndefined();
      expect(headers['x-client-cert']).toBeUndefined();
    }
  });

  it('passes on that its certificate did not change', async () => {
    const headers = { 'If-Modified-Since': new Date(ca.clock.time).toUTCString() };
    const response = await app.request('/puppet-ca/v1/certificate/ca', { headers }, { peer: null });
    expect([response.status, await response.text()]).toEqual([304, '']);
  });

  it('learns who asks from us, and nothing from what clients say', async () => {
    const web02 = await node('web02.example.com');
    const renewed = await ask('POST', '/puppet-ca/v1/certificate_renewal', '', web02);
    expect([renewed.status, new X509Certificate(renewed.text).subject]).toEqual([200, 'CN=web02.example.com']);
    expect(asserted.at(-1)).toMatchObject({
      'x-client-verify': 'SUCCESS',
      'x-client-dn': 'CN=web02.example.com',
      'x-client-cert': encodeURIComponent(web02.pem),
    });
    expect((await ask('GET', '/puppet-ca/v1/certificate_statuses/all', null, web02)).status).toBe(403);
  });

  it('says what is revoked; we look once a minute', async () => {
    const web03 = await node('web03.example.com');
    const path = '/puppet/v3/node/web03.example.com?environment=production';
    expect((await ask('GET', path, null, web03)).status).toBe(200);
    ca.clock.time += 2000;
    await ca.authority.revoke('web03.example.com');
    expect((await ask('GET', path, null, web03)).status).toBe(200);
    here.clock.time += 6 * 60_000;
    expect((await ask('GET', path, null, web03)).status).toBe(403);
  });

  it('knows no certificates of others', async () => {
    const stranger = { ...(await node('web04.example.com')), issuer: 'CN=another' };
    const path = '/puppet/v3/node/web04.example.com?environment=production';
    expect((await ask('GET', path, null, stranger)).status).toBe(403);
  });

  it.each([502, 503, 504])('that answers %i is away: 503 with Retry-After', async (status) => {
    answerWith = status;
    const answer = await ask('GET', '/puppet-ca/v1/certificate/ca');
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '30']);
  });

  it('may be away: its last lists hold, and it is told when they are old', async () => {
    const web05 = await node('web05.example.com');
    const path = '/puppet/v3/node/web05.example.com?environment=production';
    expect((await ask('GET', path, null, web05)).status).toBe(200);
    answerWith = 503;
    const { documents, clock, services } = here;
    const again = new UpstreamRevocations(upstream, documents, clock, services.log);
    clock.time += 10 * 60_000;
    expect(await again.isRevoked(web05.issuer, web05.serial)).toBe(false);
    await again.check();
    expect(here.errors).toEqual([]);
    clock.time += 10 * 60_000;
    expect(await again.isRevoked(web05.issuer, web05.serial)).toBe(false);
    await expect(again.check()).rejects.toThrow('the revocation lists are 20 minutes old');
    expect(here.errors).toHaveLength(1);
    expect(here.errors[0]).toMatchObject(['The revocation lists of the upstream certificate authority are stale', {}]);
    clock.time += 6 * 365 * 86_400_000;
    expect(await again.isRevoked(web05.issuer, web05.serial)).toBe(true);
  });

  it('is asked once a minute though no client comes, until we stop', async () => {
    const web07 = await node('web07.example.com');
    const { documents, clock, services } = here;
    const revocations = new UpstreamRevocations(upstream, documents, clock, services.log);
    const stopping = new AbortController();
    const ages: number[] = [];
    await revocations.poll(stopping.signal, (age) => {
      ages.push(age);
      answerWith = ages.length < 2 ? null : 503;
      if (ages.length === 20) stopping.abort();
    });
    // Confirmed twice, then away: told once a quarter of an hour.
    expect(ages).toEqual([0, 0, ...Array.from({ length: 18 }, (_, index) => (index + 1) * 60_000)]);
    expect(here.errors).toHaveLength(1);
    answerWith = null;
    ca.clock.time += 2000;
    await ca.authority.revoke('web07.example.com');
    const again = new AbortController();
    await revocations.poll(again.signal, () => again.abort());
    answerWith = 503;
    expect(await revocations.isRevoked(web07.issuer, web07.serial)).toBe(true);
  });

  it('is not asked when we stop before', async () => {
    const { documents, clock, services } = here;
    const revocations = new UpstreamRevocations(upstream, documents, clock, services.log);
    await revocations.poll(AbortSignal.abort(), () => expect.unreachable());
    expect(asserted).toEqual([]);
  });

  it('without lists from it nobody is let in, and nobody is told that he is not', async () => {
    const web06 = await node('web06.example.com');
    answerWith = 503;
    const path = '/puppet/v3/node/web06.example.com?environment=production';
    expect((await ask('GET', path, null, web06)).status).toBe(503);
  });

  it('that cannot be reached answers 503', async () => {
    const { settings } = upstream;
    const nowhere = new UpstreamAuthority({ ...settings, url: 'https://127.0.0.1:1', timeoutMs: 500 });
    const { documents, clock, services } = here;
    const revocations = new UpstreamRevocations(nowhere, documents, clock, services.log);
    const cut = createApp({ ...services, upstream: { authority: nowhere, revocations } });
    for (const method of ['GET', 'PUT']) {
      const body = method === 'PUT' ? { body: 'x' } : {};
      const response = await cut.request('/puppet-ca/v1/certificate_request/a', { method, ...body }, { peer: null });
      expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '30']);
    }
  });

  it('is not sent bodies without bound', async () => {
    const answer = await ask('PUT', '/puppet-ca/v1/certificate_request/big', 'x'.repeat(17 * 1024 * 1024));
    expect(answer.status).toBe(413);
    expect(asserted).toEqual([]);
  });
});
