import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CertificateAuthority } from '../../shared/access/ca/authority.ts';
import { FRONT_DOOR_VARIABLES } from '../../shared/config/front-doors.ts';
import { openEmbeddedStores } from '../../shared/store/embedded/stores.ts';
import { makeRequest } from '../helpers/certificate-request.ts';
import { ManualClock, MemoryDocuments } from '../helpers/memory-stores.ts';

const folder = mkdtempSync(join(tmpdir(), 'understudy-api-'));
const stores = openEmbeddedStores(join(folder, 'data'));
const SESAME = 'open sesame';
vi.stubEnv(FRONT_DOOR_VARIABLES.pendingRequests, '2');
vi.stubEnv(FRONT_DOOR_VARIABLES.challengePassword, SESAME);
vi.stubEnv(FRONT_DOOR_VARIABLES.autosign, '*.example.com');
vi.mock('../../shared/store/aws/stores.ts', () => ({ openAwsStores: () => stores }));

const OPTIONS = { name: 'api', autosign: true, keyBits: 2048 };
let authority: CertificateAuthority;

beforeAll(async () => {
  authority = await CertificateAuthority.open(stores.documents, stores.clock, OPTIONS);
  const record = { name: 'production', revision: 1, codeId: 'c', deployedAt: 0, by: 'test', settled: 1, history: [] };
  await stores.environments.replace(record, null);
});
afterAll(() => {
  stores.close();
  rmSync(folder, { recursive: true });
});

async function certificateOf(certname: string, by: CertificateAuthority): Promise<string> {
  const { request } = await makeRequest(certname);
  await by.submit(certname, request);
  return (await by.findCertificate(certname)) ?? '';
}

/** What API Gateway hands over, and what it gets back. */
async function ask(path: string, clientCertPem: string | null, query = '', body?: string) {
  const method = body === undefined ? 'GET' : 'PUT';
  const { handler } = await import('../../functions/api.ts');
  const event = {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: query,
    headers: { host: 'understudy.example.com' },
    requestContext: {
      http: { method, path },
      ...(clientCertPem === null ? {} : { authentication: { clientCert: { clientCertPem } } }),
    },
    isBase64Encoded: false,
    ...(body === undefined ? {} : { body }),
  };
  return (await handler(event as never, {} as never)) as APIGatewayProxyStructuredResultV2;
}

describe('the API function', () => {
  const NODE = '/puppet/v3/node/web01.example.com';

  it('answers anyone what anyone may know', async () => {
    expect(await ask('/status/v1/simple', null)).toMatchObject({ statusCode: 200, body: 'running' });
    expect((await ask('/puppet-ca/v1/certificate/ca', null)).body).toBe(authority.certificatePem);
  });

  it('knows a node by the certificate that API Gateway hands over', async () => {
    expect((await ask(NODE, null, 'environment=production')).statusCode).toBe(403);
    const pem = await certificateOf('web01.example.com', authority);
    const answer = await ask(NODE, pem, 'environment=production');
    expect([answer.statusCode, answer.body]).toEqual([200, '{"name":"web01.example.com","environment":"production"}']);
    expect((await ask('/puppet/v3/node/other.example.com', pem, 'environment=production')).statusCode).toBe(403);
  });

  it("does not believe another authority's certificate, nor an expired one", async () => {
    const clock = new ManualClock(Date.now());
    const other = await CertificateAuthority.open(new MemoryDocuments(), clock, { ...OPTIONS, name: 'api' });
    expect((await ask(NODE, await certificateOf('web01.example.com', other))).statusCode).toBe(403);
    const past = new ManualClock(Date.now() - 6 * 365 * 86_400_000);
    const before = await CertificateAuthority.open(stores.documents, past, OPTIONS);
    const expired = await certificateOf('expired.example.com', before);
    expect((await ask('/puppet/v3/node/expired.example.com', expired)).statusCode).toBe(403);
  });

  it('signs requests only with the challenge password, and keeps no more than it may', async () => {
    const submit = async (certname: string, challengePassword?: string) => {
      const { request } = await makeRequest(certname, challengePassword === undefined ? {} : { challengePassword });
      const { statusCode, body } = await ask(`/puppet-ca/v1/certificate_request/${certname}`, null, '', request);
      const { statusCode: signed } = await ask(`/puppet-ca/v1/certificate/${certname}`, null);
      return [statusCode, body, signed];
    };
    expect(await submit('proven.example.com', SESAME)).toEqual([200, '', 200]);
    expect(await submit('unproven.example.com')).toEqual([200, '', 404]);
    expect(await submit('wrong.example.com', 'open barley')).toEqual([200, '', 404]);
    const full = '2 certificate requests are pending; no more are accepted';
    expect(await submit('another.example.com')).toEqual([400, full, 404]);
    // It does not wait for a signature, so it takes no place.
    expect(await submit('known.example.com', SESAME)).toEqual([200, '', 200]);
    await authority.refuse('wrong.example.com');
    expect(await submit('elsewhere.example.org', SESAME)).toEqual([200, '', 404]);
  });
});
