import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CertificateAuthority } from '../../../shared/access/ca/authority.ts';
import type { ServerCredentials } from '../../../shared/access/ca/server-credentials.ts';
import { createToken } from '../../../shared/access/tokens/deploy-tokens.ts';
import { CONNECTIONS } from '../../../shared/config/connections.ts';
import { type FrontDoor, type FrontDoorOptions, openFrontDoor } from '../../../shared/http/front-door.ts';
import { type EdgeServer, startEdgeServer } from '../../../shared/http/listener/edge-server.ts';
import { openEmbeddedStores } from '../../../shared/store/embedded/stores.ts';
import type { KeyVault } from '../../../shared/store/ports/secrets.ts';
import { makeRequest } from '../../helpers/certificate-request.ts';
import { ManualClock, MemoryDocuments } from '../../helpers/memory-stores.ts';

const EDGE = 'puppet.example.com';
const NODE = 'web01.example.com';
const TOKEN = 'a token of a pipeline';

/** Opens only what it sealed itself, as one KMS key does. */
function vaultOf(owner: string): KeyVault {
  const mark = `${owner}:`;
  return {
    seal: async (text) => mark + Buffer.from(text).toString('base64'),
    open: async (sealed) => {
      if (!sealed.startsWith(mark)) throw new Error(`${owner} may not use this key`);
      return Buffer.from(sealed.slice(mark.length), 'base64').toString();
    },
  };
}

const [caVault, edgeVault] = [vaultOf('ca'), vaultOf('edge')];
const folder = mkdtempSync(join(tmpdir(), 'understudy-authority-'));
const stores = openEmbeddedStores(folder);
const errors: unknown[] = [];
const common: Pick<FrontDoorOptions, 'authorityName' | 'autosign' | 'log'> = {
  authorityName: 'two doors',
  autosign: async (certname) => certname.endsWith('.example.com'),
  log: { logError: (message, cause) => errors.push([message, cause]) },
};
let authority: FrontDoor;
let edge: FrontDoor;
let edgeCredentials: ServerCredentials;
let servers: { readonly authority: EdgeServer; readonly edge: EdgeServer };
let admin: ServerCredentials;

async function listen({ app, trusted }: FrontDoor, credentials: ServerCredentials): Promise<EdgeServer> {
  const reportFailure = (error: unknown) => void errors.push(error);
  const { clock } = stores;
  const address = { host: '127.0.0.1', port: 0, clock, connections: CONNECTIONS.frontDoor };
  return startEdgeServer({ app, trusted, credentials, ...address, reportFailure });
}

beforeAll(async () => {
  authority = await openFrontDoor(stores, {
    ...common,
    authority: { keyType: 'ec', vault: caVault, renewalHours: 0 },
    audience: 'operators',
    forwarders: [EDGE],
  });
  const withKey = await listen(authority, await authority.serverCredentials('authority.internal', ['localhost']));
  const keyHolder = { url: `https://localhost:${withKey.port}`, name: EDGE, vault: edgeVault };
  const open = () => openFrontDoor(stores, { ...common, audience: 'nodes', keyHolder });
  await expect(open()).rejects.toThrow(`the authority service has not issued a certificate for ${EDGE} yet`);
  edgeCredentials = await authority.serverCredentials(EDGE, ['localhost', '127.0.0.1'], edgeVault);
  edge = await open();
  servers = { authority: withKey, edge: await listen(edge, await edge.serverCredentials(EDGE, [])) };
  admin = await authority.authority.generate('admin.example.com', [], true);
  await createToken(stores, TOKEN, 'pipeline', null);
});

afterAll(async () => {
  await servers.edge.close(0);
  await servers.authority.close(0);
  stores.close();
  rmSync(folder, { recursive: true });
});

interface Asked {
  readonly method?: string;
  readonly who?: ServerCredentials;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A request over TLS: who nobody named has no certificate. */
function ask(server: 'edge' | 'authority', path: string, { method = 'GET', who, headers = {}, body }: Asked = {}) {
  const tls = { ca: authority.trusted, ...(who ? { cert: who.certificate, key: who.key } : {}) };
  const options = { host: 'localhost', port: servers[server].port, path, method, agent: false, ...tls };
  const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
  return new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
    const outgoing = request({ ...options, headers: { ...headers, ...length } }, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, text }));
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

const submit = (server: 'edge' | 'authority', certname: string, body: string, who?: ServerCredentials) =>
  ask(server, `/puppet-ca/v1/certificate_request/${certname}`, {
    method: 'PUT',
    headers: { 'Content-Type': 'text/plain' },
    body,
    ...(who ? { who } : {}),
  });

/** Signs a node up through the edge. */
async function signUp(certname: string): Promise<ServerCredentials> {
  const { request: body, key } = await makeRequest(certname);
  expect(await submit('edge', certname, body)).toEqual({ status: 200, text: '' });
  const { text: certificate } = await ask('edge', `/puppet-ca/v1/certificate/${certname}`);
  expect(certificate).toContain('-----BEGIN CERTIFICATE-----');
  return { certificate, key };
}

const asserting = ({ certificate }: ServerCredentials) => ({
  'X-Client-Verify': 'SUCCESS',
  'X-Client-DN': 'CN=admin.example.com',
  'X-Client-Cert': encodeURIComponent(certificate),
});

describe('a front door without the key of the certificate authority', () => {
  it('has what nodes need signed by the one that has the key', async () => {
    const node = await signUp(NODE);
    const renewed = await ask('edge', '/puppet-ca/v1/certificate_renewal', { method: 'POST', who: node });
    expect(renewed.status).toBe(200);
    const [before, after] = [new X509Certificate(node.certificate), new X509Certificate(renewed.text)];
    expect(after.subject).toBe(`CN=${NODE}`);
    expect(after.serialNumber).not.toBe(before.serialNumber);
    expect(after.publicKey.equals(createPublicKey(createPrivateKey(node.key)))).toBe(true);
    const path = '/puppet/v3/environments';
    expect((await ask('edge', path, { who: { certificate: renewed.text, key: node.key } })).status).toBe(200);
    expect((await ask('edge', path)).status).toBe(403);
  });

  it('leaves it to the policy what is signed at once, and shows what waits', async () => {
    const { request: body } = await makeRequest('stranger.example.org');
    expect((await submit('edge', 'stranger.example.org', body)).status).toBe(200);
    const pending = await ask('edge', '/puppet-ca/v1/certificate_request/stranger.example.org');
    expect(pending.text.replaceAll(/\s/g, '')).toBe(body.replaceAll(/\s/g, ''));
    expect((await ask('edge', '/puppet-ca/v1/certificate/stranger.example.org')).status).toBe(404);
  });

  it('passes on why a request is refused', async () => {
    const { request: body } = await makeRequest(EDGE);
    expect(await submit('edge', EDGE, body)).toEqual({
      status: 400,
      text: `'${EDGE}' is a name of this server, not of a node`,
    });
  });

  it('knows at once what the other one revoked', async () => {
    const node = await signUp('gone.example.com');
    const path = '/puppet/v3/environments';
    expect((await ask('edge', path, { who: node })).status).toBe(200);
    const revoke = { method: 'PUT', who: admin, body: '{"desired_state":"revoked"}' };
    const status = '/puppet-ca/v1/certificate_status/gone.example.com';
    expect((await ask('authority', status, revoke)).status).toBe(204);
    expect((await ask('edge', path, { who: node })).status).toBe(403);
    const { text } = await ask('edge', '/puppet-ca/v1/certificate_revocation_list/ca');
    expect(text).toBe((await authority.authority.revocationLists()).pem);
  });

  it.each([
    ['GET', '/puppet-ca/v1/certificate_statuses/all'],
    ['PUT', '/puppet-ca/v1/clean'],
    ['POST', '/puppet-ca/v1/sign'],
    ['DELETE', `/understudy/v1/nodes/${NODE}`],
    ['PUT', '/understudy/v1/code/production'],
    ['POST', '/code-manager/v1/deploys'],
  ])('does not serve operators: %s %s', async (method, path) => {
    expect(await ask('edge', path, { method, who: admin, headers: { 'X-Authentication': TOKEN } })).toEqual({
      status: 421,
      text: 'This port serves nodes; the request belongs to the port for operators and pipelines',
    });
  });

  it('answers 503 for what needs the key while the other one is away', async () => {
    const { documents, clock } = stores;
    const away = { url: 'https://localhost:1', name: EDGE, vault: edgeVault };
    const { app } = await openFrontDoor(stores, { ...common, audience: 'nodes', keyHolder: away });
    const { request: body } = await makeRequest('late.example.com');
    const path = '/puppet-ca/v1/certificate_request/late.example.com';
    const answer = await app.request(path, { method: 'PUT', body }, { peer: null });
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '30']);
    expect((await app.request('/puppet-ca/v1/certificate/ca', {}, { peer: null })).status).toBe(200);
    const keyless = await CertificateAuthority.openWithoutKey(documents, clock);
    await expect(keyless.generate('x.example.com', [], true)).rejects.toThrow(
      'invariant: signing needs the key of the certificate authority',
    );
    await expect(keyless.revokeAll([NODE])).rejects.toThrow(
      'invariant: revoking needs the key of the certificate authority',
    );
  });

  it('opens no store without a certificate authority', async () => {
    const [documents, clock] = [new MemoryDocuments(), new ManualClock(0)];
    await expect(CertificateAuthority.openWithoutKey(documents, clock)).rejects.toThrow(
      'there is no certificate authority in this store yet',
    );
  });
});

describe('a front door for operators', () => {
  it('serves administrators and pipelines, and no nodes', async () => {
    const { status, text } = await ask('authority', '/puppet-ca/v1/certificate_statuses/all', { who: admin });
    expect([status, text]).toEqual([200, expect.stringContaining(NODE)]);
    const headers = { 'X-Authentication': TOKEN };
    expect((await ask('authority', '/code-manager/v1/deploys/status', { headers })).status).toBe(200);
    expect(await ask('authority', `/puppet/v3/node/${NODE}`, { who: admin })).toEqual({
      status: 421,
      text: 'This port serves operators and pipelines; the request belongs to the port for nodes',
    });
  });

  it('believes no identity that anyone but an edge asserts', async () => {
    const node = await signUp('liar.example.com');
    const headers = asserting(admin);
    for (const who of [{ who: node }, {}]) {
      const asked = { ...who, headers };
      expect((await ask('authority', '/puppet-ca/v1/certificate_statuses/all', asked)).status).toBe(403);
    }
  });
});

/** Whoever takes an edge over has its key and its certificate, and reads certificates of others. */
describe('an edge that was taken over', () => {
  it.each([
    ['GET', '/puppet-ca/v1/certificate_statuses/all', ''],
    ['PUT', '/puppet-ca/v1/certificate_status/stranger.example.org', '{"desired_state":"signed"}'],
    ['POST', '/puppet-ca/v1/sign', '{"certnames":["stranger.example.org"]}'],
    ['POST', '/puppet-ca/v1/sign/all', ''],
    ['PUT', '/puppet-ca/v1/clean', `{"certnames":["${NODE}"]}`],
    ['DELETE', `/puppet-ca/v1/certificate_status/${NODE}`, ''],
    ['GET', `/understudy/v1/nodes/${NODE}`, ''],
    ['GET', '/metrics', ''],
  ])('is no administrator, whoever it claims to speak for: %s %s', async (method, path, body) => {
    for (const headers of [asserting(admin), {}]) {
      const { status } = await ask('authority', path, { method, who: edgeCredentials, headers, body });
      expect(status).toBe(403);
    }
    expect((await ask('authority', '/puppet-ca/v1/certificate/stranger.example.org')).status).toBe(404);
  });

  it('gets no certificate that anybody would not get, and none with another name', async () => {
    const { request: body } = await makeRequest('other.example.org');
    expect((await submit('authority', 'other.example.org', body, edgeCredentials)).status).toBe(200);
    expect((await ask('authority', '/puppet-ca/v1/certificate/other.example.org')).status).toBe(404);
    const named = await makeRequest('authority.internal');
    expect(await submit('authority', 'authority.internal', named.request, edgeCredentials)).toEqual({
      status: 400,
      text: "'authority.internal' is a name of this server, not of a node",
    });
  });

  it("renews a node's certificate only for the key that the node has", async () => {
    const node = await signUp('victim.example.com');
    const asked = { method: 'POST', who: edgeCredentials, headers: asserting(node) };
    const { status, text } = await ask('authority', '/puppet-ca/v1/certificate_renewal', asked);
    expect(status).toBe(200);
    expect(new X509Certificate(text).publicKey.equals(createPublicKey(createPrivateKey(node.key)))).toBe(true);
  });

  it('cannot assert a certificate of another authority, or what is none', async () => {
    const clock = new ManualClock(Date.now());
    const foreign = await CertificateAuthority.open(new MemoryDocuments(), clock, {
      name: 'two doors',
      autosign: false,
      keyType: 'ec',
    });
    const asked = { method: 'POST', who: edgeCredentials } as const;
    const path = '/puppet-ca/v1/certificate_renewal';
    const forged = asserting(await foreign.generate(NODE, [], false));
    expect((await ask('authority', path, { ...asked, headers: forged })).status).toBe(403);
    const headers = { 'X-Client-Cert': 'none' };
    expect(await ask('authority', path, { ...asked, headers })).toEqual({
      status: 400,
      text: 'X-Client-Cert is not a certificate',
    });
  });

  it("does not open the key of the certificate authority, nor that of the authority's own server", async () => {
    for (const key of ['authority', 'server-authority.internal']) {
      const sealed = (await stores.documents.get('ca', key))?.key;
      await expect(edgeVault.open(String(sealed))).rejects.toThrow('edge may not use this key');
    }
    const own = (await stores.documents.get('ca', `server-edge/${EDGE}`))?.key;
    expect(await edgeVault.open(String(own))).toBe(edgeCredentials.key);
  });
});

it('gives an edge that was taken over another certificate, and its old one no power', async () => {
  expect(await authority.authority.revokeServer('nobody.example.com')).toBe(false);
  expect(await authority.authority.revokeServer(EDGE)).toBe(true);
  const headers = asserting(await signUp('last.example.com'));
  const path = '/puppet-ca/v1/certificate_renewal';
  expect((await ask('authority', path, { method: 'POST', who: edgeCredentials, headers })).status).toBe(403);
  const next = await authority.serverCredentials(EDGE, ['localhost'], edgeVault);
  expect(next.certificate).not.toBe(edgeCredentials.certificate);
  expect((await ask('authority', path, { method: 'POST', who: next, headers })).status).toBe(200);
});

it('logs no fault of its own', () => {
  expect(errors).toEqual([]);
});
