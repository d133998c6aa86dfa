import { SavedQueries } from '../../../shared/access/accounts/saved-queries.ts';
import { ComparisonStore } from '../../../shared/fleet/comparisons/comparison-store.ts';
import { classifyNode } from '../../../shared/fleet/nodes/classification.ts';
import { GitSourceStore } from '../../../shared/fleet/sources/code-source-store.ts';
import { createApp } from '../../../shared/http/app.ts';
import { createOperatorApi } from '../../../shared/http/console/operator-api.ts';
import { FactQueries } from '../../../shared/http/fact-queries.ts';
import { NodeSearch } from '../../../shared/http/node-search.ts';
import type { HttpServices } from '../../../shared/http/services.ts';
import { makeRequest } from '../certificate-request.ts';
import { createPeer, deployFiles, httpServices, type TestServices } from '../http-services.ts';
import { scriptedCode } from '../scripted-code.ts';
import { bury, commitCatalog, deployTwice, SITE } from '../seeded-fleet.ts';
import { askAs, openUserWorld, type UserSurface, type UserWorld } from './access-surface.ts';
import { routesOf, type Surface } from './describe-surface.ts';
import { listUsers } from './user-identities.ts';

export const NODE = 'web01.example.com';
const OTHER = 'new.example.com';
const ABOUT = [
  'cert_requests',
  'configuration',
  'console_page',
  'environment',
  'node_groups:edit_classification',
  'nodes',
  'puppet_agent',
  'puppetserver',
];
const CHANGE = '9999999999994-a';
const REPORT = { status: 'failed', transaction_uuid: 'u-1', metrics: {}, logs: [], resource_statuses: {} };

/** What the routes of operators ask for: a node with all parts, code with a stage, certificates. */
export interface SeededFleet {
  readonly http: TestServices;
  /** The code that is staged. */
  readonly codeId: string;
  /** Makes what is there now that to which `renew` goes back. */
  keep(): Promise<void>;
  /** Undoes what a request changed. */
  renew(): Promise<void>;
}

/** A fleet that has one of everything that is asked for. */
export async function seedFleet(others: Partial<HttpServices> = {}): Promise<SeededFleet> {
  const made = await httpServices(others);
  const { documents, environments } = made;
  const git = { sources: new GitSourceStore(made.services), request: () => {} };
  const search = new NodeSearch({ find: async () => [NODE] }, made.clock);
  const rows = { ask: async () => [] };
  const facts = new FactQueries(rows, made.clock);
  const services = { ...made.services, search, rows, facts, git, code: scriptedCode(environments) };
  const http = { ...made, services, app: createApp(services) };
  await deployTwice(http);
  await seedNode(http);
  await bury(http, NODE);
  const at = { environment: 'production', at: 1, outcome: 'failing', message: 'oh' } as const;
  await new ComparisonStore(documents).put({ certname: NODE, ...at });
  const change = { at: 5, kind: 'groups', environment: null, summary: 'a group', user: 'root', count: 1 };
  await documents.put('changes', CHANGE, { ...change, nodes: [{ certname: NODE, why: 'its groups changed' }] });
  await documents.put('policies', 'environments/production', { freshness: 'stale' });
  const value = { environment: 'production', name: 'salt', version: 'v', changedAt: 1, by: NODE, text: 'x' };
  await documents.put('kept-values', 'production/salt', value);
  const by = { id: 'somebody', login: 'somebody' };
  await new SavedQueries(documents).put('shared', { name: 'web', query: 'nodes { }', at: 1, by });
  const { request } = await makeRequest(OTHER);
  await documents.put('certificate-requests', OTHER, { pem: request });
  await http.authority.submit(NODE, (await makeRequest(NODE)).request);
  const main = { name: 'main', url: 'https://git.example.com/x', key: null, prefix: null };
  await git.sources.put({ ...main, secretFile: null, author: null });
  const codeId = await stageCode(http);
  const { blobs } = made;
  const read = async () => ({ files: blobs.copy(), kept: documents.copy(), records: await environments.list() });
  let before = await read();
  return {
    http,
    codeId,
    async keep() {
      before = await read();
    },
    async renew() {
      await seedNode(http);
      documents.restore(before.kept);
      environments.restore(before.records);
      for (const [key, bytes] of before.files.blobs) blobs.blobs.set(key, bytes);
    },
  };
}

/** Makes the node what it was, or creates it. */
async function seedNode(http: TestServices): Promise<void> {
  const { app, nodes, services } = http;
  const record = await nodes.get(NODE);
  if (record === null) await commitCatalog(http, NODE);
  if (!record?.classification) await classifyNode(NODE, { classes: {}, parameters: {}, environment: null }, services);
  if (record !== null) return;
  const init = { method: 'PUT', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(REPORT) };
  await app.request(`/puppet/v3/report/${NODE}?environment=production`, init, { peer: createPeer(NODE) });
}

/** Puts other code in force for the node alone. */
async function stageCode(http: TestServices): Promise<string> {
  const before = await http.environments.get('production');
  if (before === null) throw new Error('the environment is deployed');
  const codeId = await deployFiles(http, 'production', { [SITE]: '# staged' });
  const plan = { waitMs: 60_000, whenGood: 'hold', whenWorse: 'hold', whenLate: 'hold', countsChanges: false } as const;
  const revision = before.revision + 2;
  const stage = { number: revision, codeId, begunAt: 1, by: 'test', canaries: [NODE], plan };
  const staged = { ...before, revision, settled: revision, stage };
  if (!(await http.environments.replace(staged, before.revision + 1))) throw new Error('the code is staged');
  return codeId;
}

/** The API of operators at the console's door, over users with one permission each. */
export async function openOperatorSurface(given: UserWorld = openUserWorld(listUsers)): Promise<UserSurface> {
  const { world, listIdentities } = given;
  const fleet = await seedFleet({ access: world.access });
  const app = createOperatorApi(fleet.http.services);
  return {
    app,
    identities: await listIdentities(world, { own: { environment: 'production' }, about: ABOUT }),
    routes: routesOf(app),
    requests: requestsOfOperators(fleet.codeId),
    ask: askAs(app),
    renew: () => fleet.renew(),
  };
}

/** Requests of the routes that front door and console have. */
export function requestsOfOperators(codeId: string): Surface<null>['requests'] {
  const [v1, ca] = ['/understudy/v1', '/puppet-ca/v1'];
  const stage = { environment: 'production', codeId, canaries: { nodes: [NODE] } };
  const ofNode = [
    ...['', '/history', '/runs', '/inputs', '/facts', '/facts/changes'],
    ...['/catalog', '/catalog/previous', '/comparison'],
  ];
  const reading = ofNode.map((part) => [`GET ${v1}/nodes/:certname${part}`, { path: `${v1}/nodes/${NODE}${part}` }]);
  const classification = `${v1}/nodes/${NODE}/classification`;
  const policy = `${v1}/policies/environments/production`;
  return {
    ...Object.fromEntries(reading),
    [`DELETE ${v1}/nodes/:certname`]: { path: `${v1}/nodes/${NODE}` },
    [`GET ${v1}/nodes/:certname/classification`]: { path: classification },
    [`PUT ${v1}/nodes/:certname/classification`]: { path: classification, body: { classes: ['web'] } },
    [`DELETE ${v1}/nodes/:certname/classification`]: { path: classification },
    [`GET ${v1}/environments/:environment/diff`]: { path: `${v1}/environments/production/diff` },
    [`GET ${v1}/environments/:environment/code`]: { path: `${v1}/environments/production/code?path=manifests/site.pp` },
    [`GET ${v1}/environments/:environment/stage`]: { path: `${v1}/environments/production/stage` },
    [`GET ${v1}/environments/:environment/keys/readers`]: {
      path: `${v1}/environments/production/keys/readers?key=motto`,
    },
    [`GET ${v1}/facts/values`]: { path: `${v1}/facts/values?path=os` },
    [`PUT ${v1}/queries/:scope/:name`]: { path: `${v1}/queries/own/all`, body: { query: 'nodes {}' } },
    [`PUT ${v1}/queries/:scope/:name (for all)`]: {
      path: `${v1}/queries/shared/all`,
      body: { query: 'nodes { }' },
    },
    [`DELETE ${v1}/queries/:scope/:name`]: { path: `${v1}/queries/own/all` },
    [`DELETE ${v1}/queries/:scope/:name (for all)`]: { path: `${v1}/queries/shared/web` },
    [`GET ${v1}/search`]: { path: `${v1}/search?text=web` },
    [`GET ${v1}/nodes (query)`]: { path: `${v1}/nodes?query=nodes%20%7B%7D` },
    [`POST ${v1}/dead-letters/:queue/redrive (runs)`]: { path: `${v1}/dead-letters/notify/redrive`, body: {} },
    [`POST ${v1}/deploys/stage (canaries of a query)`]: {
      path: `${v1}/deploys/stage`,
      body: { ...stage, canaries: { query: 'nodes {}' } },
    },
    [`GET ${v1}/changes/:id/nodes`]: { path: `${v1}/changes/${CHANGE}/nodes` },
    [`GET ${v1}/reports/:certname/:uuid`]: { path: `${v1}/reports/${NODE}/u-1` },
    [`GET ${v1}/failures/:id`]: { path: `${v1}/failures/${'0'.repeat(12)}` },
    [`POST ${v1}/dead-letters/:queue/redrive`]: { path: `${v1}/dead-letters/compile/redrive`, body: {} },
    [`POST ${v1}/environments/:environment/rollback`]: { path: `${v1}/environments/production/rollback`, body: {} },
    [`POST ${v1}/environments/:environment/values/rotate`]: {
      path: `${v1}/environments/production/values/rotate`,
      body: { name: 'salt' },
    },
    [`PUT ${v1}/code-sources/:source`]: {
      path: `${v1}/code-sources/main`,
      body: { url: 'https://git.example.com/other' },
    },
    [`DELETE ${v1}/code-sources/:source`]: { path: `${v1}/code-sources/main` },
    [`POST ${v1}/code-sources/:source/sync`]: { path: `${v1}/code-sources/main/sync`, body: {} },
    [`GET ${v1}/policies/*`]: { path: policy },
    [`PUT ${v1}/policies/*`]: { path: policy, body: { freshness: 'stale' } },
    [`DELETE ${v1}/policies/*`]: { path: policy },
    [`GET ${ca}/certificate_status/:certname`]: { path: `${ca}/certificate_status/${NODE}` },
    [`PUT ${ca}/certificate_status/:certname`]: {
      path: `${ca}/certificate_status/${NODE}`,
      body: { desired_state: 'revoked' },
    },
    [`DELETE ${ca}/certificate_status/:certname`]: { path: `${ca}/certificate_status/${NODE}` },
    [`GET ${ca}/certificate_statuses/:ignored`]: { path: `${ca}/certificate_statuses/all` },
    [`GET ${ca}/certificate_statuses/`]: { path: `${ca}/certificate_statuses/` },
    [`POST ${ca}/sign`]: { path: `${ca}/sign`, body: { certnames: [OTHER] } },
    [`POST ${ca}/sign/all`]: { path: `${ca}/sign/all`, body: {} },
    [`DELETE ${ca}/certificate_request/:certname`]: { path: `${ca}/certificate_request/${OTHER}` },
    [`PUT ${ca}/clean`]: { path: `${ca}/clean`, body: { certnames: [NODE] } },
    'POST /code-manager/v1/deploys': { path: '/code-manager/v1/deploys', body: { environments: ['production'] } },
    'POST /code-manager/v1/deploys (all)': { path: '/code-manager/v1/deploys', body: { 'deploy-all': true } },
    'POST /code-manager/v1/deploys (dry run)': { path: '/code-manager/v1/deploys', body: { 'dry-run': true } },
    'GET /code-manager/v1/deploys/status/:id (another environment)': { path: '/code-manager/v1/deploys/status/2' },
    'GET /code-manager/v1/deploys/status/:id': { path: '/code-manager/v1/deploys/status/1' },
    [`POST ${v1}/deploys/preview`]: {
      path: `${v1}/deploys/preview`,
      body: { environment: 'production', codeId, nodes: 0 },
    },
    [`POST ${v1}/deploys/stage`]: { path: `${v1}/deploys/stage`, body: stage },
    [`POST ${v1}/deploys/stage/promote`]: { path: `${v1}/deploys/stage/promote`, body: { environment: 'production' } },
    [`POST ${v1}/deploys/stage/abort`]: { path: `${v1}/deploys/stage/abort`, body: { environment: 'production' } },
  };
}
