import { beforeEach, describe, expect, it } from 'vitest';
import type { RequestLogEntry } from '../../../shared/http/access-log.ts';
import { createApp } from '../../../shared/http/app.ts';
import { makeRequest, textExtension } from '../../helpers/certificate-request.ts';
import { createPeer, deployFiles, httpServices, type TestServices } from '../../helpers/http-services.ts';

const WEB = createPeer('web01.example.com');
const SECRET = 'm4rker-s3cret';
let http: TestServices;
let app: TestServices['app'];
let entries: RequestLogEntry[];

beforeEach(async () => {
  http = await httpServices();
  entries = [];
  const log = { ...http.services.log, access: (entry: RequestLogEntry) => void entries.push(entry) };
  app = createApp({ ...http.services, log });
  await deployFiles(http, 'production', { 'environments/production/manifests/site.pp': 'notice(1)' });
});

async function ask(method: string, path: string, init: RequestInit = {}, who: typeof WEB | null = WEB) {
  const response = await app.request(path, { method, ...init }, { peer: who });
  return { status: response.status, body: new Uint8Array(await response.arrayBuffer()) };
}

describe('the access log', () => {
  it('says of a request who asked for what, by which rule, and what was answered', async () => {
    const { body } = await ask('GET', '/puppet/v3/node/web01.example.com?environment=production');
    expect(entries).toEqual([
      {
        kind: 'request',
        time: '2026-11-20T22:12:50.000Z',
        requestId: expect.stringMatching(/^[a-z\d]+-1$/),
        method: 'GET',
        path: '/puppet/v3/node/web01.example.com',
        environment: 'production',
        status: 200,
        bytes: body.byteLength,
        durationMs: 0,
        certname: 'web01.example.com',
        rule: 'puppetlabs node',
        reason: null,
        codeId: null,
      },
    ]);
  });

  it('says what a catalog was compiled from, and whether it was current', async () => {
    const catalog = new Uint8Array([1, 2, 3]);
    http.catalogs.answers = () => ({ status: 'current', catalog, hash: 'h', codeId: 'c0de' });
    const headers = { 'Accept-Encoding': 'gzip' };
    await ask('GET', '/puppet/v3/catalog/web01.example.com?environment=production', { headers });
    expect(entries).toMatchObject([{ status: 200, reason: 'current', codeId: 'c0de', bytes: 3 }]);
  });

  it.each([
    ['another node', createPeer('db01.example.com'), 403, 'forbidden'],
    ['nobody', null, 403, 'forbidden'],
    ['a revoked certificate', createPeer('web01.example.com', '0c'), 403, 'revoked'],
  ])('says why %s was denied', async (_, who, status, reason) => {
    await http.authority.revocations.add({ serial: '0c' });
    await ask('GET', '/puppet/v3/node/web01.example.com?environment=production', {}, who);
    expect(entries).toMatchObject([{ status, reason, rule: 'puppetlabs node', certname: who?.certname ?? null }]);
  });

  it.each([
    ['/nosuch', 404],
    ['/puppet/v3/%00', 400],
    ['/puppet/v3/node/web01.example.com', 400],
  ])('has a line of %s too, which is answered %i', async (path, status) => {
    const { body } = await ask('GET', path);
    expect(entries).toMatchObject([{ status, bytes: body.byteLength }]);
  });

  it('counts requests, each with an id of its own', async () => {
    for (let count = 0; count < 3; count += 1) await ask('GET', '/status/v1/simple');
    expect(new Set(entries.map(({ requestId }) => requestId)).size).toBe(3);
  });

  it('holds no secret of any request, whatever became of it, and neither does the error log', async () => {
    http.catalogs.answers = () => ({ status: 'failed', message: `Evaluation Error: ${SECRET}` });
    const { request } = await makeRequest('new.example.com', {
      extensions: [textExtension('1.3.6.1.4.1.34380.1.1.4', SECRET)],
    });
    const headers = { 'X-Authentication': SECRET, Authorization: `Bearer ${SECRET}`, Cookie: SECRET };
    const facts = `environment=production&facts_format=application%2Fjson&facts=${encodeURIComponent(
      encodeURIComponent(JSON.stringify({ name: 'web01.example.com', values: { secret: SECRET } })),
    )}`;
    const form = { ...headers, 'Content-Type': 'application/x-www-form-urlencoded' };
    const tries: readonly (readonly [string, string, string?, Record<string, string>?])[] = [
      ['POST', '/puppet/v3/catalog/web01.example.com?environment=production', facts, form],
      ['GET', `/puppet/v3/catalog/web01.example.com?environment=production&facts=${SECRET}&token=${SECRET}`],
      ['POST', '/puppet/v3/catalog/web01.example.com', `facts=${SECRET}`, form],
      ['POST', '/puppet/v4/catalog', SECRET],
      ['PUT', '/puppet/v3/facts/web01.example.com?environment=production', `{"values":{"a":"${SECRET}"}}`],
      ['PUT', '/puppet/v3/facts/web01.example.com?environment=production', SECRET],
      ['PUT', '/puppet/v3/report/web01.example.com?environment=production', `{"logs":["${SECRET}"]}`],
      ['PUT', '/puppet/v3/report/web01.example.com?environment=production', SECRET],
      ['PUT', '/puppet-ca/v1/certificate_request/new.example.com', request],
      ['PUT', '/puppet-ca/v1/certificate_request/bad.example.com', SECRET],
      ['PUT', '/puppet-ca/v1/certificate_status/new.example.com', SECRET],
      ['PUT', '/puppet-ca/v1/clean', SECRET],
      ['POST', '/puppet-ca/v1/sign', SECRET],
      ['PUT', '/puppet/v3/file_bucket_file/md5/00?environment=production', SECRET],
      ['POST', `/code-manager/v1/deploys?token=${SECRET}`, SECRET],
      ['POST', '/file-sync/v1/commit', SECRET],
      ['PUT', '/understudy/v1/code/production', SECRET],
      ['PUT', '/understudy/v1/nodes/web01.example.com/classification', SECRET],
      ['GET', `/status/v1/services?level=${SECRET}`],
      ['GET', `/packages/current/install.bash?x=${SECRET}`],
    ];
    for (const [method, path, body, more = headers] of tries) {
      await ask(method, path, { headers: more, ...(body === undefined ? {} : { body }) });
    }
    expect(entries.map(({ method }) => method)).toEqual(tries.map(([method]) => method));
    const told = http.errors.map((error) =>
      JSON.stringify(error, (_, value) => (value instanceof Error ? value.stack : value)),
    );
    expect(JSON.stringify(entries) + told.join()).not.toContain(SECRET);
  });

  it('says how much was sent of an answer that nobody read to its end', async () => {
    await http.authority.submit('one.example.com', (await makeRequest('one.example.com')).request);
    const admin = createPeer('admin', 'ab', [['1.3.6.1.4.1.34380.1.3.39', 'true']]);
    const response = await app.request('/puppet-ca/v1/certificate_statuses/all', {}, { peer: admin });
    expect(entries).toEqual([]);
    await response.body?.cancel();
    expect(entries).toMatchObject([{ status: 200, bytes: 0, certname: 'admin' }]);
  });
});
