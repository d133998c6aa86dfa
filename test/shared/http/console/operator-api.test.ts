import { beforeAll, describe, expect, it } from 'vitest';
import { catalogBlob, putCatalog } from '../../../../shared/fleet/catalogs/catalog-blob.ts';
import { addFactChanges } from '../../../../shared/fleet/facts/fact-history.ts';
import { storeFacts } from '../../../../shared/fleet/facts/facts-blob.ts';
import { OPERATOR_ROUTES } from '../../../../shared/http/console/operator-routes.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';
import { type ConsoleDoor, openConsoleDoor } from '../../../helpers/console-door.ts';
import { NO_INPUTS } from '../../../helpers/no-inputs.ts';
import { OpenApi } from '../../../helpers/openapi.ts';

const VIEWERS = 3;
let door: ConsoleDoor;
const cookies: Record<string, string> = {};

beforeAll(async () => {
  door = await openConsoleDoor();
  const role = async (displayName: string, permissions: readonly string[]) => {
    const read = permissions.map((text) => {
      const [objectType = '', action = '', instance = '*'] = text.split(':');
      return { objectType, action, instance };
    });
    return (await door.access.roles.create({ displayName, description: null, permissions: read })).id;
  };
  cookies.nobody = await door.logIn('nobody', [await role('Page', ['console_page:view'])]);
  const watchers = await role('Watchers', ['console_page:view', 'orchestrator:view', 'node_groups:view']);
  cookies.viewer = await door.logIn('viewer', [watchers]);
  cookies.reader = await door.logIn('reader', [VIEWERS]);
  cookies.deployer = await door.logIn('deployer', [
    watchers,
    await role('Deploy', ['environment:deploy_code:staging']),
  ]);
  cookies.editor = await door.logIn('editor', [
    await role('Edit', ['console_page:view', 'node_groups:edit_classification']),
  ]);
  cookies.admin = await door.logIn('root', [1]);
});

/** Every route, with a value for each parameter. */
const ROUTES = OPERATOR_ROUTES.flatMap(({ endpoint, permission }) =>
  endpoint.methods.map((method) => {
    const path = endpoint.path.replace(/:\w+/g, 'staging').replace('*', 'default');
    return { method, path, asksItself: permission === null };
  }),
);
const named = ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const);

async function statusOf(path: string, method: string, cookie: string | null, headers = {}): Promise<string> {
  const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} };
  const answer = await door.ask(path, { method, cookie, headers, ...body });
  const isStream = answer.headers.get('Content-Type')?.startsWith('text/event-stream') === true;
  const text = isStream ? '' : await answer.text();
  if (isStream) await answer.body?.cancel();
  expect(answer.headers.get('X-Content-Type-Options')).toBe('nosniff');
  expect(answer.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
  const kind = /"kind":"([^"]+)"/.exec(text)?.[1] ?? '';
  return `${answer.status} ${kind}`.trim();
}

describe('whoever attacks', () => {
  it.each(named)('%s gets nothing without a valid session', async (_, { method, path, asksItself }) => {
    const kind = asksItself ? 'puppetlabs.rbac/user-unauthenticated' : 'user-unauthenticated';
    expect(await statusOf(path, method, null)).toBe(`401 ${kind}`);
    expect(await statusOf(path, method, 'a'.repeat(44))).toBe(`401 ${kind}`);
    expect(await statusOf(path, method, null, { 'X-Client-Cert': 'admin' })).toBe(`401 ${kind}`);
  });

  it.each(named)('%s does nothing for a page of another origin', async (_, { method, path }) => {
    const foreign = { Origin: 'https://evil.test', 'Sec-Fetch-Site': 'cross-site' };
    expect(await statusOf(path, method, cookies.admin ?? '', foreign)).toBe('403 cross-site-request');
    if (method === 'GET') return;
    expect(await statusOf(path, method, cookies.admin ?? '', { 'X-Understudy-Console': '' })).toBe(
      '403 cross-site-request',
    );
  });
});

const VIEWED = new Set([
  'GET /understudy/v1/overview',
  'GET /understudy/v1/overview/hours',
  'GET /understudy/v1/nodes',
  'GET /understudy/v1/events',
  'GET /understudy/v1/nodes/staging',
  'GET /understudy/v1/nodes/staging/history',
  'GET /understudy/v1/nodes/staging/runs',
  'GET /understudy/v1/reports',
  'GET /understudy/v1/queue',
  'GET /understudy/v1/activity',
  'GET /understudy/v1/environments',
  'GET /understudy/v1/deploys',
  'GET /understudy/v1/changes',
  'GET /understudy/v1/changes/staging/nodes',
  'GET /understudy/v1/environments/staging/diff',
  'GET /understudy/v1/search',
  'GET /understudy/v1/environments/staging/stage',
]);
const READ = new Set([
  'GET /understudy/v1/nodes/staging/inputs',
  'GET /understudy/v1/nodes/staging/facts',
  'GET /understudy/v1/nodes/staging/facts/changes',
  'GET /understudy/v1/nodes/staging/comparison',
  'GET /understudy/v1/comparisons',
  'GET /understudy/v1/failures',
  'GET /understudy/v1/failures.atom',
  'GET /understudy/v1/failures/staging',
  'GET /understudy/v1/dead-letters',
  'GET /understudy/v1/nodes/staging/catalog',
  'GET /understudy/v1/nodes/staging/catalog/previous',
  'GET /understudy/v1/nodes/staging/classification',
  'GET /understudy/v1/reports/staging/staging',
  'GET /understudy/v1/facts',
  'GET /understudy/v1/reports/search',
  'GET /understudy/v1/facts/values',
  'GET /understudy/v1/environments/staging/keys/readers',
  'GET /understudy/v1/queries',
  'GET /understudy/v1/queries/schema',
  'PUT /understudy/v1/queries/staging/staging',
  'DELETE /understudy/v1/queries/staging/staging',
  'GET /understudy/v1/values',
]);
const DEPLOYED = new Set([
  'POST /understudy/v1/environments/staging/rollback',
  'POST /understudy/v1/environments/staging/values/rotate',
]);

describe('a user without the permission', () => {
  const demanding = named.filter(([, { asksItself }]) => !asksItself);

  it.each(demanding)('of %s is refused', async (name, { method, path }) => {
    const isRefused = async (who: string) =>
      (await statusOf(path, method, cookies[who] ?? '')) === '403 permission-denied';
    const expected = { viewer: !VIEWED.has(name), reader: !VIEWED.has(name) && !READ.has(name) };
    expect({ viewer: await isRefused('viewer'), reader: await isRefused('reader') }).toEqual(expected);
    expect(await isRefused('deployer')).toBe(!VIEWED.has(name) && !DEPLOYED.has(name));
    expect(await isRefused('admin')).toBe(false);
  });

  it('to set the environment of groups may not set it of a node, and may change its classes', async () => {
    const path = '/understudy/v1/nodes/web09.example.com/classification';
    const STAGING = { classes: {}, environment: 'staging' };
    const put = async (body: object) =>
      (await door.ask(path, { method: 'PUT', cookie: cookies.editor ?? '', body })).status;
    expect(await put({ classes: { web: {} } })).toBe(200);
    expect(await put(STAGING)).toBe(403);
    expect((await door.ask(path, { method: 'PUT', cookie: cookies.admin ?? '', body: STAGING })).status).toBe(200);
    expect(await put({ classes: { web: {} }, environment: 'staging' })).toBe(200);
    expect(await statusOf(path, 'DELETE', cookies.editor ?? '')).toBe('403 permission-denied');
    expect(await statusOf(path, 'DELETE', cookies.admin ?? '')).toBe('200');
  });

  it('of one environment may not touch another one', async () => {
    const path = '/understudy/v1/environments/production/rollback';
    expect(await statusOf(path, 'POST', cookies.deployer ?? '')).toBe('403 permission-denied');
  });
});

it('needs the permissions that the description names', () => {
  const described = new Map(
    new OpenApi().operations.flatMap(({ method, path, definition }) => {
      const permission = definition['x-permission'];
      return typeof permission === 'string' ? [[`${method} ${path.replace(/\{\w+\}/g, 'staging')}`, permission]] : [];
    }),
  );
  const served = OPERATOR_ROUTES.flatMap(({ endpoint, permission }) =>
    endpoint.methods.flatMap((method): readonly (readonly [string, string])[] => {
      if (permission === null || typeof permission === 'function') return [];
      return [
        [`${method} ${endpoint.path.replace(/:\w+/g, 'staging')}`, `${permission.objectType}:${permission.action}`],
      ];
    }),
  ).filter(([name]) => described.has(name));
  expect(served.length).toBeGreaterThan(20);
  expect(served).toEqual(served.map(([name]) => [name, described.get(name)]));
});

describe('the record of a node', () => {
  const NODE = 'secret.example.com';
  const SECRET = 'only for readers';

  beforeAll(async () => {
    const { nodes } = door.http;
    const classification = { classes: { web: { key: SECRET } }, parameters: {}, environment: null };
    await nodes.classify(NODE, classification, 'classified', 1);
    await nodes.want(NODE, 'asked', 1, { asked: true });
    await nodes.commit({
      certname: NODE,
      generation: 1,
      catalog: null,
      failure: null,
      inputs: {
        ...NO_INPUTS,
        facts: { [JSON.stringify(['role'])]: SECRET },
        trusted: { [JSON.stringify(['extensions', 'pp_role'])]: SECRET },
        collectors: [{ type: 'File', query: SECRET }],
        volatile: ['time() at site.pp:1'],
        currentUntil: 5,
      },
      at: 1,
    });
  });

  const read = async (who: string) => {
    const answer = await door.ask(`/understudy/v1/nodes/${NODE}`, { cookie: cookies[who] ?? '' });
    const api = new OpenApi();
    const described = api.operations.find(({ id }) => id === 'getNode');
    const text = await answer.text();
    const response = described && api.responses(described).get('200');
    expect(response && api.faultsOfAnswer(response, answer.headers.get('Content-Type'), text)).toEqual([]);
    return JSON.parse(text);
  };

  it('has its values for those who may view data', async () => {
    expect(await read('reader')).toMatchObject({
      classification: { classes: { web: { key: SECRET } } },
      grouping: null,
      external: null,
      inputs: { facts: { '["role"]': SECRET } },
    });
  });

  it('has no values for others', async () => {
    const record = await read('viewer');
    expect(JSON.stringify(record)).not.toContain(SECRET);
    const hidden = ['classification', 'grouping', 'external'];
    expect(Object.keys(record).filter((key) => hidden.includes(key))).toEqual([]);
    expect(record.inputs).toEqual({ environment: 'production', volatile: ['time() at site.pp:1'], currentUntil: 5 });
    expect(record).toMatchObject({ certname: NODE, built: 1, catalog: null, failure: null });
  });
});

describe('a script in data', () => {
  const SCRIPT = '<script>alert(1)</script>';
  const NODE = 'injected.example.com';

  beforeAll(async () => {
    const { nodes, blobs, documents } = door.http;
    const resource = { type: 'Notify', title: SCRIPT, tags: [SCRIPT], parameters: { message: SCRIPT } };
    const blob = catalogBlob(JSON.stringify({ name: NODE, resources: [resource], edges: [] }), null, 5);
    await putCatalog(blobs, blob, null);
    const said = { facts: PuppetHash.of([[SCRIPT, SCRIPT]]), trusted: PuppetHash.of([]) };
    await nodes.markSeen(NODE, SCRIPT, 1);
    await nodes.factsStored(NODE, await storeFacts(blobs, said, 1));
    await nodes.want(NODE, SCRIPT, 1, { asked: true });
    await nodes.commit({
      certname: NODE,
      generation: 1,
      catalog: { hash: blob.hash, codeId: null, namedCode: [], compiledAt: 1, durationMs: 1, exported: '' },
      failure: { message: SCRIPT, at: 1, codeId: null },
      inputs: {
        ...NO_INPUTS,
        environment: SCRIPT,
        facts: { [JSON.stringify([SCRIPT])]: '+' },
        volatile: [SCRIPT],
      },
      at: 1,
    });
    await documents.put('report-index/failed/0', '1', {
      certname: NODE,
      receivedAt: 1,
      status: 'failed',
      time: SCRIPT,
    });
    await addFactChanges(documents, NODE, [{ at: 1, path: SCRIPT, from: SCRIPT, to: null }]);
    door.http.clock.time += 6 * 3600_000;
    await door.http.services.fleet.watch.step();
  });

  it.each([
    `/understudy/v1/nodes/${NODE}`,
    `/understudy/v1/nodes/${NODE}/inputs`,
    `/understudy/v1/nodes/${NODE}/facts`,
    `/understudy/v1/nodes/${NODE}/catalog`,
    `/understudy/v1/nodes/${NODE}/history`,
    `/understudy/v1/nodes/${NODE}/facts/changes`,
    '/understudy/v1/nodes?search=injected',
    '/understudy/v1/reports',
    `/understudy/v1/nodes/${encodeURIComponent(SCRIPT)}`,
    `/understudy/v1/reports?status=${encodeURIComponent(SCRIPT)}`,
    `/rbac-api/v1/${encodeURIComponent(SCRIPT)}`,
  ])('is a string of JSON in %s', async (path) => {
    const answer = await door.ask(path, { cookie: cookies.admin ?? '' });
    expect(answer.headers.get('Content-Type')).toMatch(/^application\/json/);
    expect(answer.headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(answer.headers.get('Content-Security-Policy')).toContain('sandbox');
    expect(JSON.stringify(await answer.json())).toContain('script>');
  });
});
