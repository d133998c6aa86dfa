import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { listReports } from '../../../shared/fleet/reports/node-reports.ts';
import { createPeer, deployFiles, httpServices, type TestServices } from '../../helpers/http-services.ts';

const ENVIRONMENT = '?environment=production';
let http: TestServices;

beforeEach(async () => {
  http = await httpServices();
  await deployFiles(http, 'production', { 'environments/production/manifests/site.pp': '' });
});

async function ask(method: string, path: string, body: string | null = null, certname = 'web01.example.com') {
  const type = path.includes('file_bucket_file') ? 'application/octet-stream' : 'application/json';
  const init = { method, ...(body === null ? {} : { body, headers: { 'Content-Type': type } }) };
  return http.app.request(path, init, { peer: createPeer(certname) });
}

describe('reports', () => {
  const values = [
    ['changed', 'Changed', 5],
    ['corrective_change', 'Corrective change', 2],
  ];
  const parts = { metrics: { resources: { name: 'resources', values } }, logs: [], resource_statuses: {} };
  const head = { host: 'web01.example.com', status: 'changed', transaction_uuid: 'u-1', catalog_uuid: 'c-1' };
  const report = JSON.stringify({ ...head, ...parts });

  it('are kept with a summary, and the processors are named', async () => {
    const response = await ask('PUT', `/puppet/v3/report/web01.example.com${ENVIRONMENT}`, report);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('["store"]');
    const [kept] = await listReports(http, { certname: 'web01.example.com', limit: 10 });
    expect(kept).toEqual({
      certname: 'web01.example.com',
      receivedAt: Date.UTC(2026, 10, 20, 22, 12, 50),
      status: 'changed',
      environment: null,
      time: null,
      puppetVersion: null,
      transactionUuid: 'u-1',
      catalogUuid: 'c-1',
      noop: false,
      changes: { corrective: 2, intentional: 3 },
      blob: 'reports/web01.example.com/8204787229999-u-1',
    });
    const bytes = (await http.blobs.get(kept?.blob ?? '')) ?? new Uint8Array();
    expect(gunzipSync(bytes).toString()).toBe(report);
  });

  it('are dropped, the oldest first, when there are many', async () => {
    for (let count = 0; count < 23; count += 1) {
      await ask('PUT', `/puppet/v3/report/web01.example.com${ENVIRONMENT}`, report);
      http.clock.time += 1000;
    }
    const kept = await listReports(http, { certname: 'web01.example.com', limit: 100 });
    expect(kept).toHaveLength(20);
    expect(kept.at(-1)?.receivedAt).toBe(Date.UTC(2026, 10, 20, 22, 12, 53));
    expect(await listReports(http, { status: 'changed', limit: 100 })).toEqual(kept);
    expect([...http.blobs.blobs.keys()].filter((key) => key.startsWith('reports/'))).toHaveLength(20);
  });

  it.each([
    ['unchanged', {}, 0],
    ['unchanged', { noop: true }, 1],
    ['unchanged', { noop_pending: true }, 1],
    ['unchanged', { noop: true, noop_pending: false }, 0],
    ['failed', {}, 1],
  ])('of status %s with %j leave %i object', async (status, more, objects) => {
    const body = JSON.stringify({ host: 'web01.example.com', status, transaction_uuid: 'u-1', ...more, ...parts });
    const response = await ask('PUT', `/puppet/v3/report/web01.example.com${ENVIRONMENT}`, body);
    expect(response.status).toBe(200);
    expect([...http.blobs.blobs.keys()].filter((key) => key.startsWith('reports/'))).toHaveLength(objects);
  });
});

describe('file bucket', () => {
  const text = 'v1 old content\n';
  const sha256 = createHash('sha256').update(text).digest('hex');
  const path = `/puppet/v3/file_bucket_file/sha256/${sha256}//srv/agentroot/bucketed.txt${ENVIRONMENT}`;

  it('keeps what a node backs up, for that node', async () => {
    expect((await ask('HEAD', path)).status).toBe(404);
    const put = await ask('PUT', path, text);
    expect([put.status, put.headers.get('Content-Type'), await put.text()]).toEqual([
      200,
      'application/octet-stream',
      '',
    ]);
    const head = await ask('HEAD', path);
    expect([head.status, head.headers.get('Content-Length')]).toEqual([200, '0']);
    expect(await (await ask('GET', path)).text()).toBe(text);
    expect((await ask('GET', path, null, 'other.example.com')).status).toBe(404);
  });

  it('shows administrators the files of all nodes', async () => {
    const peer = createPeer('admin.example.com', 'ab', [['1.3.6.1.4.1.34380.1.3.39', 'true']]);
    const digest = createHash('sha256').update('of two nodes').digest('hex');
    const at = (name: string) => `/puppet/v3/file_bucket_file/sha256/${name}${ENVIRONMENT}`;
    for (const node of ['web01.example.com', 'db01.example.com']) await ask('PUT', at(digest), 'of two nodes', node);
    await ask('PUT', path, text);
    const shown = await Promise.all([sha256, digest].map((one) => http.app.request(at(one), {}, { peer })));
    expect(await Promise.all(shown.map((response) => response.text()))).toEqual([text, 'of two nodes']);
    expect((await http.app.request(at('0'.repeat(64)), {}, { peer })).status).toBe(404);
    expect((await http.app.request(path, { method: 'HEAD' }, { peer })).status).toBe(404);
    const compared = await http.app.request(`${path}&diff_with=${digest}`, {}, { peer });
    expect(await compared.text()).toContain('\n-v1 old content\n+of two nodes');
  });

  it('refuses what does not have the digest that it is put under', async () => {
    const response = await ask('PUT', path, 'something else');
    expect(response.status).toBe(400);
    const actual = createHash('sha256').update('something else').digest('hex');
    expect(await response.json()).toMatchObject({
      message: `Bad Request: The request body has the sha256 digest ${actual}, not ${sha256} as its path says`,
    });
  });
});

describe('files of the bucket that are compared', () => {
  const at = (digest: string, more = '') => `/puppet/v3/file_bucket_file/sha256/${digest}${ENVIRONMENT}${more}`;

  /** What is said of two files of these bytes, the digests of which are A and B. */
  async function compared(before: string, after: string): Promise<readonly [number, string]> {
    const digests = await Promise.all(
      [before, after].map(async (text) => {
        const digest = createHash('sha256').update(text).digest('hex');
        expect((await ask('PUT', at(digest), text)).status).toBe(200);
        return digest;
      }),
    );
    const [a = '', b = ''] = digests;
    const response = await ask('GET', at(a, `&diff_with=${b}`));
    return [response.status, (await response.text()).replaceAll(a, 'A').replaceAll(b, 'B')];
  }

  it.each([
    ['one\ntwö\n', 'one\n2\n', '--- sha256/A\n+++ sha256/B\n@@ -1,2 +1,2 @@\n one\n-twö\n+2\n'],
    ['same', 'same', ''],
    ['a\0', 'b', 'Binary files sha256/A and sha256/B differ\n'],
  ])('%j and %j', async (before, after, expected) => {
    expect(await compared(before, after)).toEqual([200, expected]);
  });

  it('are those of the node itself, and not too large', async () => {
    const [status, text] = await compared('x'.repeat(1_100_000), 'y');
    expect([status, text]).toEqual([500, expect.stringContaining('Files of more than 1048576 bytes are not compared')]);
    const [digest, missing] = ['here', 'not here'].map((one) => createHash('sha256').update(one).digest('hex'));
    await ask('PUT', at(digest ?? ''), 'here');
    expect((await ask('GET', at(digest ?? '', `&diff_with=${missing}`))).status).toBe(404);
    expect((await ask('GET', at(digest ?? '', '&diff_with=../../x'))).status).toBe(500);
    expect((await ask('GET', at(digest ?? '', `&diff_with=${digest}`), null, 'other.example.com')).status).toBe(404);
  });
});

describe('node', () => {
  it('has the environment that it asks for', async () => {
    const response = await ask('GET', `/puppet/v3/node/web01.example.com${ENVIRONMENT}&transaction_uuid=x`);
    expect(await response.text()).toBe('{"name":"web01.example.com","environment":"production"}');
  });
});

describe('certificate authority', () => {
  it.each([
    ['certificate', /^-----BEGIN CERTIFICATE-----\n/],
    ['certificate_revocation_list', /^-----BEGIN X509 CRL-----\n/],
  ])('gives its %s, and 304 when that did not change', async (kind, begin) => {
    const path = `/puppet-ca/v1/${kind}/ca`;
    const get = (path: string, headers = {}) => http.app.request(path, { headers }, { peer: null });
    const known = await get(path);
    expect([known.status, known.headers.get('Content-Type')]).toEqual([200, 'text/plain']);
    expect(await known.text()).toMatch(begin);
    const same = await get(path, { 'If-Modified-Since': 'Fri, 20 Nov 2026 22:12:50 GMT' });
    expect([same.status, await same.text()]).toEqual([304, '']);
    expect((await get(path, { 'If-Modified-Since': 'Fri, 20 Nov 2026 22:12:49 GMT' })).status).toBe(200);
    expect((await get(path, { 'If-Modified-Since': 'yesterday' })).status).toBe(200);
  });
});

describe('status', () => {
  const running = (detail_level: string) => ({
    service_version: '8.28.1',
    service_status_version: 1,
    detail_level,
    state: 'running',
    status: {},
    active_alerts: [],
  });

  it('is running', async () => {
    expect(await (await ask('GET', '/status/v1/simple')).text()).toBe('running');
    expect(await (await ask('GET', '/status/v1/simple/server')).text()).toBe('running');
    const all = await (await ask('GET', '/status/v1/services')).json();
    expect(all).toMatchObject({ ca: running('info'), server: running('info'), 'status-service': running('info') });
    const one = await (await ask('GET', '/status/v1/services/ca?level=critical')).json();
    expect(one).toEqual({ ...running('critical'), service_name: 'ca' });
  });

  it('shows the figures of the server at level debug', async () => {
    const response = await ask('GET', '/status/v1/services/server?level=debug');
    expect(await response.json()).toMatchObject({ status: { experimental: { compiles: 3 } } });
  });
});

it('holds few large bodies of a client in memory at a time', async () => {
  const [PIECE, PIECES, FIRST] = ['x'.repeat(600_000), 5, 2];
  let reading = 0;
  let most = 0;
  const digest = createHash('sha256').update(PIECE.repeat(PIECES)).digest('hex');
  const backup = async () => {
    let pulled = 0;
    const source = {
      pull(controller: ReadableStreamDefaultController<Uint8Array>) {
        pulled += 1;
        // The first megabyte is read at once.
        if (pulled === FIRST + 1) reading += 1;
        most = Math.max(most, reading);
        if (pulled > PIECES) {
          reading -= 1;
          controller.close();
        } else controller.enqueue(new TextEncoder().encode(PIECE));
      },
    };
    const body = new ReadableStream(source, { highWaterMark: 0 });
    const path = `/puppet/v3/file_bucket_file/sha256/${digest}${ENVIRONMENT}`;
    const headers = { 'Content-Type': 'application/octet-stream' };
    const init: RequestInit & { duplex: 'half' } = { method: 'PUT', body, headers, duplex: 'half' };
    const response = await http.app.request(path, init, { peer: createPeer('web01.example.com'), client: 'one' });
    return response.status;
  };
  const statuses = await Promise.all(Array.from({ length: 10 }, backup));
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(most).toBe(3);
});
