import { beforeEach, describe, expect, it, vi } from 'vitest';
import { storeFacts, storeTrustedFacts } from '../../../shared/fleet/facts/facts-blob.ts';
import { PuppetHash } from '../../../shared/puppet/types/values/puppet-hash.ts';
import { createPeer, deployFiles, httpServices, type TestServices } from '../../helpers/http-services.ts';

const NODE = 'web01.example.com';
/** What every report has. */
const REPORT_PARTS = { metrics: {}, logs: [], resource_statuses: {} };
const ADMIN = createPeer('admin.example.com', 'ad', [['pp_cli_auth', 'true']]);
const CLASSIFICATION = {
  classes: { web: { port: 80 }, ntp: null },
  parameters: { tier: 'gold' },
  environment: 'staging',
};
let http: TestServices;

beforeEach(async () => {
  http = await httpServices();
  await deployFiles(http, 'production', { 'environments/production/manifests/site.pp': '' });
});

async function ask(method: string, path: string, body?: unknown, who = ADMIN) {
  const init = {
    method,
    headers: { 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  };
  const response = await http.app.request(path, init, { peer: who });
  const text = await response.text();
  return [response.status, text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text];
}

describe('classification', () => {
  const path = `/understudy/v1/nodes/${NODE}/classification`;

  it('is put, shown and deleted; a node that was compiled is compiled again', async () => {
    expect(await ask('PUT', path, CLASSIFICATION)).toEqual([200, { changed: true }]);
    expect(await ask('GET', path)).toEqual([200, CLASSIFICATION]);
    expect((await http.queue.getDepth()).express.visible).toBe(0);
    await http.nodes.want(NODE, 'first catalog', 1, { asked: true });
    await http.nodes.markVerified(NODE, 1, 1);
    expect(await ask('PUT', path, CLASSIFICATION)).toEqual([200, { changed: false }]);
    expect(await ask('PUT', path, { classes: ['ntp'] })).toEqual([200, { changed: true }]);
    expect((await http.queue.receive(1, 0))[0]?.job).toMatchObject({
      certname: NODE,
      generation: 2,
      reason: 'classification changed',
    });
    expect(await ask('DELETE', path)).toEqual([200, { changed: true }]);
    expect(await http.nodes.get(NODE)).toMatchObject({
      wanted: 2,
      reasons: expect.arrayContaining(['classification taken away']),
    });
    expect(await ask('GET', path)).toEqual([
      404,
      { message: `Not Found: Could not find classification ${NODE}`, issue_kind: 'RESOURCE_NOT_FOUND' },
    ]);
    expect(await ask('DELETE', '/understudy/v1/nodes/nobody/classification')).toEqual([200, { changed: false }]);
    expect(await http.nodes.get('nobody')).toBeNull();
  });

  it.each([
    [[], 'a classification must be a hash'],
    [{ class: [] }, "a classification has no key 'class'"],
    [{ classes: 'web' }, "'classes' must be names, or names with their parameters"],
    [{ classes: [1] }, "'classes' must be names, or names with their parameters"],
    [{ classes: { web: 3 } }, "the parameters of class 'web' must be a hash"],
    [{ parameters: [] }, "'parameters' must be a hash"],
    [{ environment: 'bad-name' }, "the environment must be purely alphanumeric, not 'bad-name'"],
    [{ parameters: { x: 'y'.repeat(100_000) } }, 'the classification has 100023 bytes; at most 100000 are allowed'],
  ])('refuses %j', async (body, message) => {
    const [status, answer] = await ask('PUT', path, body);
    expect([status, answer.message]).toEqual([400, `Bad Request: ${message}`]);
  });

  it('is shown to the agent as its node', async () => {
    await ask('PUT', path, CLASSIFICATION);
    expect(await ask('GET', `/puppet/v3/node/${NODE}?environment=production`, undefined, createPeer(NODE))).toEqual([
      200,
      { name: NODE, environment: 'staging', classes: CLASSIFICATION.classes, parameters: CLASSIFICATION.parameters },
    ]);
  });
});

describe('purge', () => {
  it('forgets all that is known of a node, once', async () => {
    const resource = { certname: NODE, type: 'Host', title: 'web', tags: [], parameters: {} };
    await http.nodes.classify(NODE, { classes: ['a'], parameters: {}, environment: null }, 'x', 1);
    await http.exports.replaceExports(NODE, 1, [resource]);
    await http.exports.replaceCollectors(NODE, 1, [{ certname: NODE, type: 'Host', query: null }]);
    const pointer = await storeFacts(http.blobs, { facts: new PuppetHash(), trusted: new PuppetHash() }, 1);
    await http.nodes.factsStored(NODE, pointer);
    await storeTrustedFacts(http.blobs, NODE, { facts: new PuppetHash(), trusted: new PuppetHash() });
    const report = { status: 'failed', transaction_uuid: 'u-1', ...REPORT_PARTS };
    await ask('PUT', `/puppet/v3/report/${NODE}?environment=production`, report, createPeer(NODE));
    expect((await ask('GET', '/understudy/v1/reports'))[1]).toHaveLength(1);
    expect(await ask('DELETE', `/understudy/v1/nodes/${NODE}`)).toEqual([200, { purged: NODE }]);
    expect(await http.nodes.get(NODE)).toBeNull();
    expect(await http.exports.collect([{ type: 'Host', query: null }], '')).toEqual([]);
    expect((await http.exports.listCollectors('Host', [], null)).collectors).toEqual([]);
    expect(await ask('GET', '/understudy/v1/reports')).toEqual([200, []]);
    expect([...http.blobs.blobs.keys()].filter((key) => key.includes(NODE) || key.startsWith('facts/'))).toEqual([]);
    expect((await ask('DELETE', `/understudy/v1/nodes/${NODE}`))[0]).toBe(404);
  });
});

describe('reports', () => {
  it('are listed by node, status and time, newest first, and shown', async () => {
    for (const [certname, status, uuid] of [
      ['a.example.com', 'failed', 'u-1'],
      ['b.example.com', 'unchanged', 'u-2'],
      ['a.example.com', 'changed', 'u-3'],
      ['c.example.com', 'odd', 'u-4'],
    ] as const) {
      const report = { status, transaction_uuid: uuid, environment: 'production', ...REPORT_PARTS };
      await ask('PUT', `/puppet/v3/report/${certname}?environment=production`, report, createPeer(certname));
      http.clock.time += 60_000;
    }
    const uuids = async (query: string) => {
      const [status, found] = await ask('GET', `/understudy/v1/reports${query}`);
      return status === 200 ? found.map(({ transactionUuid }: { transactionUuid: string }) => transactionUuid) : found;
    };
    expect(await uuids('')).toEqual(['u-4', 'u-3', 'u-1']);
    // Of a node whose runs changed nothing, the last run is listed.
    expect(await uuids('?certname=b.example.com')).toEqual(['u-2']);
    expect(await uuids('?limit=2')).toEqual(['u-4', 'u-3']);
    expect(await uuids('?certname=a.example.com')).toEqual(['u-3', 'u-1']);
    expect(await uuids('?certname=a.example.com&status=failed')).toEqual(['u-1']);
    expect(await uuids('?status=failed')).toEqual(['u-1']);
    expect(await uuids('?status=unknown')).toEqual(['u-4']);
    expect(await uuids('?since=2026-11-20T22:13:50Z')).toEqual(['u-4', 'u-3']);
    expect((await uuids('?since=yesterday')).message).toBe(
      "Bad Request: 'since' must be a time such as 2026-11-20T22:00:00Z, not 'yesterday'",
    );
    expect(await ask('GET', '/understudy/v1/reports/a.example.com/u-1')).toEqual([
      200,
      { status: 'failed', transaction_uuid: 'u-1', environment: 'production', ...REPORT_PARTS },
    ]);
    expect((await ask('GET', '/understudy/v1/reports/a.example.com/u-2'))[0]).toBe(404);
  });
});

describe('policies', () => {
  it('change the strictness of deployed environments', async () => {
    const lenient = { strict: 'warning', strict_variables: false };
    const strictness = { strict: 'warning', strictVariables: false };
    await http.nodes.markSeen(NODE, 'production', 1);
    expect(await ask('PUT', '/understudy/v1/policies/default', lenient)).toEqual([200, { changed: 'default' }]);
    expect(await http.environments.get('production')).toMatchObject({ strictness, strictnessRevision: 2 });
    expect(await ask('GET', '/understudy/v1/environments')).toMatchObject([
      200,
      { environments: [{ name: 'production', strictness }] },
    ]);
    await vi.waitFor(async () => {
      expect(await ask('GET', '/understudy/v1/changes?kind=strictness')).toMatchObject([
        200,
        {
          changes: [
            {
              environment: 'production',
              summary: 'the strictness of production is strict=warning strict_variables=false',
              user: 'admin.example.com',
              nodes: 1,
            },
          ],
        },
      ]);
    });
    await ask('DELETE', '/understudy/v1/policies/default');
    expect(await http.environments.get('production')).toMatchObject({ strictness: {}, strictnessRevision: 3 });
    expect(await ask('PUT', '/understudy/v1/policies/nodes/a', lenient)).toMatchObject([400, {}]);
  });

  it('are put, shown, listed and deleted', async () => {
    const path = '/understudy/v1/policies';
    expect(await ask('PUT', `${path}/environments/staging`, { freshness: 'stale' })).toEqual([
      200,
      { changed: 'environments/staging' },
    ]);
    await ask('PUT', `${path}/nodes/${NODE}`, { retry_after_seconds: [10, 20] });
    expect(await ask('GET', `${path}/environments/staging`)).toEqual([200, { freshness: 'stale' }]);
    expect(await ask('GET', path)).toEqual([
      200,
      { 'environments/staging': { freshness: 'stale' }, [`nodes/${NODE}`]: { retry_after_seconds: [10, 20] } },
    ]);
    expect((await ask('PUT', `${path}/default`, { freshness: 'x' }))[1]).toMatchObject({
      message: "Bad Request: 'freshness' must be one of wait, stale, retry",
    });
    expect((await ask('PUT', `${path}/fleet`, {}))[0]).toBe(400);
    expect((await ask('GET', `${path}/default`))[0]).toBe(404);
    await ask('DELETE', `${path}/environments/staging`);
    expect((await ask('GET', `${path}/environments/staging`))[0]).toBe(404);
  });
});

it.each([
  ['GET', '/understudy/v1/policies'],
  ['PUT', '/understudy/v1/policies/default'],
  ['GET', `/understudy/v1/nodes/${NODE}`],
  ['DELETE', `/understudy/v1/nodes/${NODE}`],
  ['PUT', `/understudy/v1/nodes/${NODE}/classification`],
  ['GET', '/understudy/v1/reports'],
])('%s %s is for administrators only', async (method, path) => {
  expect((await ask(method, path, undefined, createPeer(NODE)))[0]).toBe(403);
  expect((await ask(method, path, undefined, createPeer(NODE, 'ab', [['pp_cli_auth', 'false']])))[0]).toBe(403);
});
