import { beforeAll, describe, expect, it } from 'vitest';
import { createPeer, deployFiles, httpServices, type TestServices } from '../../helpers/http-services.ts';

const WEB = createPeer('web01.example.com');
const OTHER = createPeer('base01.example.com');
let http: TestServices;

beforeAll(async () => {
  http = await httpServices();
  await deployFiles(http, 'production', { 'environments/production/manifests/site.pp': '' });
});

async function ask(method: string, path: string, who = WEB as typeof WEB | null) {
  const response = await http.app.request(path, { method, headers: { Accept: 'application/json' } }, { peer: who });
  return { response, status: response.status, text: await response.text() };
}

const FORBIDDEN = (method: string, path: string) =>
  `Forbidden request: ${path} (method :${method.toLowerCase()}). Please see the server logs for details.`;

describe('who may do what', () => {
  it.each([
    ['GET', '/puppet/v3/catalog/web01.example.com'],
    ['POST', '/puppet/v3/catalog/web01.example.com'],
    ['GET', '/puppet/v3/node/web01.example.com'],
    ['PUT', '/puppet/v3/report/web01.example.com'],
    ['PUT', '/puppet/v3/facts/web01.example.com'],
  ])('%s %s is for that node only', async (method, path) => {
    for (const who of [OTHER, null]) {
      const { status, text, response } = await ask(method, path, who);
      expect([status, text]).toEqual([403, FORBIDDEN(method, path)]);
      expect(response.headers.get('X-Puppet-Version')).toBe('8.28.1');
      expect(response.headers.get('Content-Type')).toBeNull();
    }
    expect((await ask(method, path)).status).not.toBe(403);
  });

  it.each([
    ['GET', '/puppet/v3/file_metadatas/plugins'],
    ['GET', '/puppet/v3/file_metadata/modules/a/b'],
    ['GET', '/puppet/v3/file_content/modules/a/b'],
    ['GET', '/puppet/v3/file_bucket_file/md5/00'],
    ['HEAD', '/puppet/v3/file_bucket_file/md5/00'],
    ['PUT', '/puppet/v3/file_bucket_file/md5/00'],
  ])('%s %s is for every node', async (method, path) => {
    expect((await ask(method, path, null)).status).toBe(403);
    expect((await ask(method, path, OTHER)).status).not.toBe(403);
  });

  it.each([
    ['/puppet-ca/v1/certificate/ca', 200],
    ['/puppet-ca/v1/certificate_revocation_list/ca', 200],
    ['/puppet-ca/v1/certificate/nosuch', 404],
    ['/puppet-ca/v1/certificate_request/nosuch', 404],
    ['/status/v1/simple', 200],
    ['/status/v1/services', 200],
  ])('GET %s is for anyone', async (path, status) => {
    expect((await ask('GET', path, null)).status).toBe(status);
  });

  it.each([
    '/puppet/v3/environment_classes',
    '/puppet/v4/catalog',
    '/puppet-ca/v1/certificate_statuses/all',
    '/puppet-ca/v1/certificate_status/web01.example.com',
    '/puppet-admin-api/v1/environment-cache',
  ])('%s is known, and forbidden to nodes', async (path) => {
    expect(await ask('GET', path)).toMatchObject({ status: 403, text: FORBIDDEN('GET', path) });
  });

  it('treats a revoked certificate as none', async () => {
    const revoked = createPeer('web01.example.com', '0c');
    const path = '/puppet/v3/node/web01.example.com?environment=production';
    expect((await ask('GET', path, revoked)).status).toBe(200);
    await http.authority.revocations.add({ serial: '0C' });
    expect(await ask('GET', path, revoked)).toMatchObject({
      status: 403,
      text: FORBIDDEN('GET', '/puppet/v3/node/web01.example.com'),
    });
  });

  it('does not believe headers', async () => {
    const headers = {
      'X-Client-Verify': 'SUCCESS',
      'X-Client-DN': 'CN=web01.example.com',
      'X-Client-CN': 'web01.example.com',
    };
    const path = '/puppet/v3/node/web01.example.com?environment=production';
    expect((await http.app.request(path, { headers }, { peer: null })).status).toBe(403);
  });
});

describe('what is not there', () => {
  it.each(['/nosuch', '/puppet/v3/nosuch/x', '/puppet/v9/x', '/puppet/v3/facts/web01.example.com'])(
    'GET %s answers as Jetty',
    async (path) => {
      const { status, text, response } = await ask('GET', `${path}?environment=production`);
      expect([status, text]).toEqual([404, `{\n"message":"Not Found",\n"url":"${path}",\n"status":"404"\n}`]);
      expect(response.headers.get('Content-Type')).toBe('application/json');
      expect(response.headers.get('Cache-Control')).toBe('must-revalidate,no-cache,no-store');
    },
  );

  it('DELETE of a file answers 404 with an empty body', async () => {
    expect(await ask('DELETE', '/puppet/v3/file_content/modules/a/b?environment=production')).toMatchObject({
      status: 404,
      text: '',
    });
  });
});
