import { beforeAll, describe, expect, it } from 'vitest';
import { Authorization } from '../../../../shared/access/authorization/authorization.ts';
import { createApp } from '../../../../shared/http/app.ts';
import { createPeer, deployFiles, httpServices, type TestServices } from '../../../helpers/http-services.ts';

const ADMIN = createPeer('admin.example.com');
/** As an operator opens what Puppet Server denies to all. */
const RULES = [
  { path: '/puppet/v3/environment_', allow: 'admin.example.com' },
  { path: '/puppet-admin-api', allow: 'admin.example.com' },
];
const CLASSES = '/puppet/v3/environment_classes?environment=production';
let http: TestServices;
let app: ReturnType<typeof createApp>;

beforeAll(async () => {
  http = await httpServices();
  const rules = RULES.map(({ path, allow }) => ({
    name: path,
    'sort-order': 400,
    'match-request': { path, type: 'path' },
    allow,
  }));
  const authorization = Authorization.read(JSON.stringify({ authorization: { version: 1, rules } }), 'auth.conf');
  app = createApp({ ...http.services, authorization });
  await deployFiles(http, 'production', {
    'environments/production/manifests/site.pp': 'class site_wide { }',
    'environments/production/manifests/._site.pp': 'class hidden { }',
    'environments/production/modules/web/manifests/.old/a.pp': 'class web::old { }',
    'environments/production/modules/web/manifests/init.pp': "class web (Integer $port = 80, $root = '/srv') { }",
  });
  await deployFiles(http, 'transports', {
    'environments/transports/modules/panos/lib/puppet/transport/schema/panos.rb': 'x',
  });
});

async function get(path: string, headers: Record<string, string> = {}) {
  return app.request(path, { headers }, { peer: ADMIN });
}

describe('environment_classes', () => {
  it('lists classes with the types and defaults of their parameters', async () => {
    const response = await get(CLASSES);
    expect(response.headers.get('Content-Type')).toBe('application/json');
    const root = '/etc/puppetlabs/code/environments/production';
    expect(await response.json()).toEqual({
      files: [
        { classes: [{ name: 'site_wide', params: [] }], path: `${root}/manifests/site.pp` },
        {
          classes: [
            {
              name: 'web',
              params: [
                { default_literal: 80, default_source: '80', name: 'port', type: 'Integer' },
                { default_literal: '/srv', default_source: "'/srv'", name: 'root' },
              ],
            },
          ],
          path: `${root}/modules/web/manifests/init.pp`,
        },
      ],
      name: 'production',
    });
  });

  it('answers 304 until the code changes', async () => {
    const tag = (await get(CLASSES)).headers.get('ETag') ?? '';
    expect(tag).toMatch(/^[0-9a-f]{64}$/);
    for (const known of [tag, `${tag}--gzip`, `"${tag}"`]) {
      const response = await get(CLASSES, { 'If-None-Match': known });
      expect([response.status, await response.text()]).toEqual([304, '']);
    }
    expect((await get(CLASSES, { 'If-None-Match': 'bogus' })).status).toBe(200);
    await deployFiles(http, 'production', { 'environments/production/manifests/site.pp': 'class other { }' });
    expect((await get(CLASSES, { 'If-None-Match': tag })).status).toBe(200);
  });
});

it('says that transports are not read where there are some', async () => {
  const response = await get('/puppet/v3/environment_transports?environment=transports');
  expect([response.status, await response.text()]).toEqual([
    501,
    'Transport schemas are not supported: /etc/puppetlabs/code/environments/transports/modules/panos/lib/puppet/transport/schema/panos.rb',
  ]);
});

it.each(['environment-cache', 'jruby-pool'])('has nothing to do for DELETE %s', async (name) => {
  const path = `/puppet-admin-api/v1/${name}`;
  const response = await app.request(path, { method: 'DELETE' }, { peer: ADMIN });
  expect([response.status, await response.text()]).toEqual([204, '']);
  expect((await app.request(path, { method: 'DELETE' }, { peer: createPeer('web01.example.com') })).status).toBe(403);
});
