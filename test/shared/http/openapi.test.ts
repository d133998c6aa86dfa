/** docs/openapi.yaml says what the application does, and all that it does, below /understudy/v1. */
import { createHmac } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { packTar } from 'modern-tar/fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Authorization } from '../../../shared/access/authorization/authorization.ts';
import { createToken } from '../../../shared/access/tokens/deploy-tokens.ts';
import { NoSuchEnvironment } from '../../../shared/fleet/code/scan-environment.ts';
import { InvalidArchive } from '../../../shared/fleet/code/uploaded-code.ts';
import { ComparisonStore } from '../../../shared/fleet/comparisons/comparison-store.ts';
import { keepFailureEvent } from '../../../shared/fleet/failures/failure-events.ts';
import type { FailureGroup } from '../../../shared/fleet/failures/failure-group.ts';
import { FAILURES } from '../../../shared/fleet/failures/failure-list.ts';
import { DeployRefused } from '../../../shared/fleet/previews/deploy-verdict.ts';
import type { CatalogPreview } from '../../../shared/fleet/previews/preview-catalogs.ts';
import { GitSourceStore } from '../../../shared/fleet/sources/code-source-store.ts';
import { createApp } from '../../../shared/http/app.ts';
import { FactQueries } from '../../../shared/http/fact-queries.ts';
import { NodeSearch } from '../../../shared/http/node-search.ts';
import type { CodeService } from '../../../shared/http/services.ts';
import { OrchestratorError } from '../../../shared/orchestrator/jobs/orchestrator-error.ts';
import { StoreUnavailable } from '../../../shared/store/ports/store-errors.ts';
import { openAccessWorld } from '../../helpers/access-world.ts';
import { makeRequest } from '../../helpers/certificate-request.ts';
import { createPeer, deployFiles, httpServices, type TestServices } from '../../helpers/http-services.ts';
import { jsonContent, OpenApi, type Operation, object } from '../../helpers/openapi.ts';
import { bury, commitCatalog, deployTwice, SITE } from '../../helpers/seeded-fleet.ts';

const PREFIX = '/understudy/v1';
const DEPLOY = { objectType: 'environment', action: 'deploy_code', instance: '*' };
const NODE = 'web01.example.com';
const ADMIN = createPeer('admin.example.com', 'ad', [['pp_cli_auth', 'true']]);
const SAMPLES: Readonly<Record<string, string>> = {
  certname: NODE,
  environment: 'production',
  uuid: 'u-1',
  id: '1',
  source: 'main',
  queue: 'compile',
};
const CLASSIFICATION = { classes: { web: { port: 80 } }, parameters: {}, environment: 'staging' };

const api = new OpenApi();
/** Other doors have tests of their own. */
const atFrontDoor = api.operations.filter(({ isAtFrontDoor }) => isAtFrontDoor);
const operations = atFrontDoor.map((operation) => [operation.id, operation] as const);
const everywhere = api.operations.map((operation) => [operation.id, operation] as const);

interface Asked {
  readonly who?: typeof ADMIN | null;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly token?: string;
  readonly query?: string;
  readonly samples?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

type Step = readonly [id: string, status: number, asked?: Asked];

function named(id: string): Operation {
  const found = api.operations.find((operation) => operation.id === id);
  if (!found) throw new Error(`no operation ${id}`);
  return found;
}

function fill(path: string, samples: Readonly<Record<string, string>> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(samples[name] ?? SAMPLES[name] ?? ''));
}

/** The body that the description gives as an example, unless there is another. */
function bodyOf({ definition }: Operation, given: Asked['body']): Asked['body'] {
  if (given !== undefined) return given;
  if (definition.requestBody === undefined) return undefined;
  return JSON.stringify(jsonContent(object(definition.requestBody))?.example ?? null);
}

/** The status of the answer, and in what it is not as described. */
async function check(http: TestServices, id: string, asked: Asked = {}): Promise<readonly [number, readonly string[]]> {
  const operation = named(id);
  const { who = ADMIN, token, query = '', samples } = asked;
  const body = bodyOf(operation, asked.body);
  const headers = {
    'Content-Type': 'application/json',
    ...(token === undefined ? {} : { 'X-Authentication': token }),
    ...asked.headers,
  };
  const init = { method: operation.method, headers, ...(body === undefined ? {} : { body }) };
  const response = await http.app.request(`${fill(operation.path, samples)}${query}`, init, { peer: who });
  const described = api.responses(operation).get(String(response.status));
  const text = await response.text();
  if (!described) return [response.status, [`status ${response.status} is not described: ${text}`]];
  seen.add(`${id} ${response.status}`);
  const missing = Object.keys(described.headers ?? {}).filter((name) => !response.headers.has(name));
  const faults = api.faultsOfAnswer(described, response.headers.get('Content-Type'), text);
  return [response.status, [...missing.map((name) => `no header ${name}`), ...faults]];
}

/** These need no store to answer. */
const FROM_MEMORY = new Set(['listNodes', 'streamEvents', 'listFactPaths', 'getFactValues', 'searchReports']);

const FAILURE: FailureGroup = {
  ...{ id: '0123456789abcdef', kind: 'run', environment: 'production', resource: 'File[/a]', message: 'No <number>' },
  ...{ lines: [{ file: 'site.pp', line: null }], count: 7, nodes: [NODE], firstAt: 1, lastAt: 2, closedAt: null },
  deploy: { codeId: 'c0', previous: null, at: 1, user: 'ann', isStaged: false },
};
/** The id of a noted change. */
const CHANGE = '9999999999994-a';
/** `operation status` of all answers that were compared. */
const seen = new Set<string>();
const folder = mkdtempSync(join(tmpdir(), 'understudy-openapi-'));
let http: TestServices;
let archive: Uint8Array<ArrayBuffer>;
/** Whether the gate refuses code. */
let isRefused = false;
const REFUSED: CatalogPreview = {
  environment: 'production',
  codeId: 'c0'.repeat(32),
  inForce: null,
  files: { added: [], changed: [], removed: [] },
  faults: [],
  touched: 1,
  compared: 1,
  unchanged: 0,
  failures: [],
  fixed: 0,
  groups: [],
  unanswered: 0,
  groupsLeftOut: 0,
};

/** Takes what looks like a gzipped archive. */
function codeService(takesUploads: boolean): CodeService {
  const refuse = () => Promise.reject(new Error('not asked for'));
  return {
    source: {
      takesUploads,
      listEnvironments: refuse,
      prepare: () => Promise.reject(new NoSuchEnvironment('no code was uploaded')),
    },
    async upload(environment, body, by) {
      const bytes = await buffer(body);
      if (bytes[0] !== 0x1f) throw new InvalidArchive('the body is not a gzipped tar archive of an environment');
      return { environment, codeId: 'c0'.repeat(32), files: 1, at: 0, by };
    },
    deploy: refuse,
    check: async () => {
      if (isRefused) throw new DeployRefused(REFUSED, ['it does not compile']);
    },
    list: refuse,
    get: refuse,
    inForce: refuse,
  };
}

beforeAll(async () => {
  http = await httpServices({ code: codeService(true) });
  await createToken(http, 'secret', 'pipeline', null);
  mkdirSync(join(folder, 'code'));
  writeFileSync(join(folder, 'code', 'environment.conf'), '');
  archive = Uint8Array.from(gzipSync(await buffer(packTar(join(folder, 'code')))));
});

afterAll(() => rmSync(folder, { recursive: true }));

describe('the description', () => {
  const described = atFrontDoor.map(({ method, path }) => `${method} ${fill(path)}`);
  const routes = () => http.app.routes.filter(({ path }) => path.startsWith(PREFIX));
  const matches = (route: string, path: string) =>
    new RegExp(`^${route.replace(/:\w+/g, '[^/]+').replaceAll('*', '.+')}$`).test(path);

  it('has every route of the application', () => {
    expect(routes().length).toBeGreaterThan(10);
    const missing = routes().filter(({ method, path }) => {
      return !described.some((one) => one.startsWith(`${method} `) && matches(path, one.slice(method.length + 1)));
    });
    expect(missing.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });

  it('has no operation that the application does not have', () => {
    const known = (method: string, path: string) =>
      routes().some((route) => route.method === method && matches(route.path, path));
    const invented = atFrontDoor.filter(({ method, path }) => !known(method, fill(path)));
    expect(invented.map(({ id }) => id)).toEqual([]);
  });

  it('calls each operation by a name of its own', () => {
    expect(new Set(api.operations.map(({ id }) => id)).size).toBe(api.operations.length);
  });

  it.each(everywhere)('of %s declares the parameters of its path', (_, { path, parameters }) => {
    const inPath = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
    expect(inPath).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
  });

  it.each(everywhere)('of %s has examples that match its schemas', (_, operation) => {
    const { requestBody } = operation.definition;
    const bodies = [...api.responses(operation).values(), ...(requestBody === undefined ? [] : [object(requestBody)])];
    for (const body of bodies) {
      const { schema, example } = jsonContent(body) ?? {};
      if (schema !== undefined && example !== undefined)
        expect([example, api.faults(schema, example)]).toEqual([example, []]);
    }
  });
});

describe('real answers are as described', () => {
  /** In this order: what is put by one is there for the next. */
  const STEPS: readonly Step[] = [
    ['getOverview', 200],
    ['getOverviewHours', 200, { query: '?hours=168' }],
    ['getOverviewHours', 400, { query: '?hours=25' }],
    ['listNodes', 200],
    ['listNodes', 200, { query: '?state=stale&search=web&sort=lastSeen&order=desc&limit=500' }],
    ['listNodes', 200, { query: '?state=failing&cause=run' }],
    ['listNodes', 400, { query: '?cause=odd' }],
    ['listNodes', 400, { query: '?state=odd' }],
    ['listNodes', 400, { query: '?limit=501' }],
    ['listNodes', 400, { query: '?cursor=x' }],
    ['listNodes', 404, { query: '?query=nodes%20{}' }],
    ['listFactPaths', 404],
    ['listFactPaths', 400, { query: `?search=${'x'.repeat(501)}` }],
    ['getFactValues', 404, { query: '?path=os.name' }],
    ['getFactValues', 400, { query: '?path=os..name' }],
    ['searchReports', 404],
    ['searchReports', 400, { query: '?status=odd' }],
    ['searchReports', 400, { query: '?limit=201' }],
    ['getQueue', 200],
    ['listDeadLetters', 200, { query: '?limit=1' }],
    ['listDeadLetters', 200, { query: '?queue=report-url&certname=web01.example.com&limit=1' }],
    ['listDeadLetters', 400, { query: '?queue=odd' }],
    ['redriveDeadLetters', 400, { body: '{"node":"a"}' }],
    ['redriveDeadLetters', 404, { body: '{"id":"none"}' }],
    ['redriveDeadLetters', 413, { body: ' '.repeat(1025 * 1024) }],
    ['redriveDeadLetters', 200],
    ['listCertificates', 200, { query: '?prefix=n&limit=1' }],
    ['listCertificates', 200, { query: '?state=issued' }],
    ['listCertificates', 400, { query: '?state=odd' }],
    ['listEnvironments', 200],
    ['listDeploys', 200, { query: '?environment=production' }],
    ['listDeploys', 400, { query: '?limit=0' }],
    ['getCode', 200, { query: '?path=manifests/site.pp&line=1&around=5' }],
    ['getCode', 400, { query: '?path=../site.pp' }],
    ['getCode', 404, { query: '?path=nowhere.pp' }],
    ['diffEnvironment', 200, { query: '?limit=1' }],
    ['diffEnvironment', 400, { query: '?from=x' }],
    ['diffEnvironment', 404, { samples: { environment: 'staging' } }],
    ['rollBackEnvironment', 400, { body: '[' }],
    ['rollBackEnvironment', 404, { body: '{}', samples: { environment: 'staging' } }],
    ['rollBackEnvironment', 200, { body: '{}' }],
    ...[
      ...['getNodeInputs', 'getNodeFacts', 'getNodeCatalog', 'getPreviousCatalog', 'getNodeHistory'],
      ...['getNodeRuns', 'getFactChanges'],
    ].flatMap((id): readonly Step[] => [
      [id, 200, { samples: { certname: 'compiled.example.com' } }],
      [id, 404, { samples: { certname: 'nobody.example.com' } }],
      [id, 400, { samples: { certname: 'a b' } }],
    ]),
    ['getComparisons', 200],
    ['getNodeComparison', 200, { samples: { certname: 'compared.example.com' } }],
    ['getNodeComparison', 404, { samples: { certname: 'nobody.example.com' } }],
    ['getNodeComparison', 400, { samples: { certname: 'a b' } }],
    ['streamEvents', 200],
    ['streamEvents', 200, { query: '?after=1' }],
    ['streamEvents', 400, { query: '?after=x' }],
    ['getNode', 404],
    ['getClassification', 404],
    ['deleteClassification', 200],
    ['putClassification', 200],
    ['putClassification', 200, { body: '{"classes":["ntp"]}' }],
    ['putClassification', 400, { body: '{"class":[]}' }],
    ['putClassification', 400, { body: '{' }],
    ['putClassification', 400, { samples: { certname: 'UPPER' } }],
    ['putClassification', 413, { body: ' '.repeat(257 * 1024) }],
    ['getClassification', 200],
    ['getClassification', 400, { samples: { certname: 'a b' } }],
    ['deleteClassification', 400, { samples: { certname: 'a b' } }],
    ['getNode', 400, { samples: { certname: 'a b' } }],
    ['getNode', 200],
    ['getNode', 200, { samples: { certname: 'compiled.example.com' } }],
    ...['Default', 'Environment', 'Node'].flatMap((of): readonly Step[] => [
      [`get${of}Policy`, 404],
      [`put${of}Policy`, 200],
      [`put${of}Policy`, 200, { body: '{"freshness":"stale"}' }],
      [`put${of}Policy`, 400, { body: '{"freshness":"x"}' }],
      [`put${of}Policy`, 413, { body: ' '.repeat(257 * 1024) }],
      [`get${of}Policy`, 200],
    ]),
    ['listPolicies', 200],
    ...['Default', 'Environment', 'Node'].map((of): Step => [`delete${of}Policy`, 200]),
    ['deleteEnvironmentPolicy', 400, { samples: { environment: 'a-b' } }],
    ['deleteNodePolicy', 400, { samples: { certname: 'a b' } }],
    ['listReports', 200],
    ['listReports', 200, { query: `?certname=${NODE}&status=failed&since=2026-11-20T22:00:00Z&limit=1` }],
    ['listReports', 200, { query: '?certname=quiet.example.com' }],
    ['listReports', 400, { query: '?limit=0' }],
    ['listReports', 400, { query: '?status=odd' }],
    ['listReports', 200, { query: '?before=1795000000000' }],
    ['listReports', 200, { query: '?before=2026-11-20T22:00:00Z' }],
    ['listReports', 400, { query: '?since=yesterday' }],
    ['listReports', 400, { query: '?before=tomorrow' }],
    ['listChanges', 200],
    ['listChanges', 200, { query: '?kind=groups&limit=1' }],
    ['listChanges', 400, { query: '?kind=odd' }],
    ['listChangeNodes', 200, { samples: { id: CHANGE } }],
    ['listChangeNodes', 404, { samples: { id: 'none' } }],
    ['getActivity', 200],
    ['listFailures', 200],
    ['listFailures', 200, { query: `?kind=run&state=open&certname=${NODE}&environment=production&limit=1` }],
    ['listFailures', 400, { query: '?state=odd' }],
    ['listFailures', 400, { query: '?cursor=odd' }],
    ['getFailure', 200, { samples: { id: FAILURE.id } }],
    ['getFailure', 404, { samples: { id: 'none' } }],
    ['getFailureFeed', 200],
    ['listReports', 400, { query: '?cursor=W10' }],
    ['getReport', 200],
    ['getReport', 404, { samples: { uuid: 'u-2' } }],
    ['getReport', 400, { samples: { certname: 'a b' } }],
    ['purgeNode', 400, { samples: { certname: 'a b' } }],
    ['purgeNode', 200],
    ['purgeNode', 404],
    ['uploadCode', 401, { who: null, body: 'x' }],
    ['uploadCode', 400, { who: null, token: 'secret', body: 'x' }],
    ['uploadCode', 400, { who: null, token: 'secret', body: 'x', samples: { environment: 'a-b' } }],
  ];

  beforeAll(async () => {
    await deployTwice(http);
    const none = { logs: [], resource_statuses: {} };
    const metrics = { resources: { name: 'resources', label: 'Resources', values: [['changed', 'Changed', 2]] } };
    await sendReport(NODE, { status: 'failed', transaction_uuid: 'u-1', metrics, ...none });
    await sendReport('quiet.example.com', { status: 'unchanged', transaction_uuid: 'u-3', metrics: {}, ...none });
    await commitCatalog(http, 'compiled.example.com');
    const at = { environment: 'production', at: 1 };
    const change = { kind: 'added', resource: 'Notify[x]' } as const;
    const comparisons = new ComparisonStore(http.documents);
    const different = { outcome: 'different', changes: [change], omitted: 0 } as const;
    await comparisons.put({ certname: 'compared.example.com', ...at, ...different });
    await comparisons.put({ certname: 'sad.example.com', ...at, outcome: 'failing', message: 'oh' });
    await bury(http, 'compiled.example.com');
    const noted = { at: 5, kind: 'groups', environment: null, summary: 'a group', user: 'root', count: 1 };
    await http.documents.put(FAILURES, FAILURE.id, { ...FAILURE });
    await keepFailureEvent(http.documents, { at: 1, what: 'opened', group: FAILURE });
    await http.documents.put('changes', CHANGE, { ...noted, nodes: [{ certname: NODE, why: 'its groups changed' }] });
    const { request } = await makeRequest('new.example.com');
    await http.documents.put('certificate-requests', 'new.example.com', { pem: request });
  });

  it.each(STEPS.map((step) => [step[0], step[1], step] as const))(
    'of %s with %i (%#)',
    async (id, status, [, , asked]) => {
      expect(await check(http, id, asked)).toEqual([status, []]);
    },
  );

  it('of a preview', async () => {
    const codeId = (await http.environments.get('production'))?.codeId;
    const ask = (body: object, token = 'secret') =>
      check(http, 'previewDeploy', { who: null, token, body: JSON.stringify(body) });
    expect(await ask({ environment: 'production', codeId })).toEqual([200, []]);
    expect(await ask({ environment: 'production', codeId: 'a0'.repeat(32) })).toEqual([404, []]);
    for (const body of [{}, { environment: 'a-b' }, { environment: 'x', nodes: 201 }, { environment: 'x', other: 1 }]) {
      expect(await ask(body)).toEqual([400, []]);
    }
    expect(await ask({ environment: 'production', codeId }, 'unknown')).toEqual([401, []]);
  });

  it('of a staged deploy', async () => {
    const record = await http.environments.get('production');
    if (!record) throw new Error('nothing is deployed');
    const earlier = await deployFiles(http, 'production', { [SITE]: '# staged' });
    const history = [{ codeId: earlier, deployedAt: 1, by: 'test' }];
    const revision = record.revision + 2;
    const back = { ...record, revision, settled: revision, history };
    expect(await http.environments.replace(back, record.revision + 1)).toBe(true);
    const ask = (id: string, body: object, token = 'secret') =>
      check(http, id, { who: null, token, body: JSON.stringify(body) });
    const production = { environment: 'production' };
    expect(await check(http, 'getStage')).toEqual([404, []]);
    expect(await check(http, 'getStage', { samples: { environment: 'a-b' } })).toEqual([400, []]);
    for (const id of ['promoteStage', 'abortStage']) {
      expect(await ask(id, {})).toEqual([400, []]);
      expect(await ask(id, production, 'unknown')).toEqual([401, []]);
    }
    const canaries = { nodes: ['compiled.example.com'] };
    for (const wrong of [
      { canaries: {} },
      { canaries: { count: 0 } },
      { canaries: { nodes: ['nobody'] } },
      { canaries: { nodes: 'compiled.example.com' } },
      { canaries, whenGood: 'abort' },
      { canaries, minutes: '5' },
      { canaries, other: 1 },
      { environment: 'a-b', canaries },
    ]) {
      expect([wrong, await ask('beginStage', { ...production, codeId: earlier, ...wrong })]).toEqual([
        wrong,
        [400, []],
      ]);
    }
    expect(await ask('beginStage', { ...production, codeId: 'a0'.repeat(32), canaries })).toEqual([404, []]);
    expect(await ask('beginStage', { ...production, codeId: earlier, canaries }, 'unknown')).toEqual([401, []]);
    isRefused = true;
    expect(await ask('beginStage', { ...production, codeId: earlier, canaries })).toEqual([409, []]);
    isRefused = false;
    expect(await ask('beginStage', { ...production, codeId: earlier, canaries, whenWorse: 'abort' })).toEqual([
      200,
      [],
    ]);
    expect(await check(http, 'getStage')).toEqual([200, []]);
    expect(await check(http, 'listEnvironments')).toEqual([200, []]);
    expect(await ask('promoteStage', { environment: 'staging' })).toEqual([404, []]);
    expect(await ask('abortStage', production)).toEqual([200, []]);
    expect(await ask('abortStage', production)).toEqual([404, []]);
    expect(await ask('beginStage', { ...production, codeId: earlier, canaries })).toEqual([200, []]);
    expect(await ask('promoteStage', production)).toEqual([200, []]);
    expect((await http.environments.get('production'))?.codeId).toBe(earlier);
    expect(await ask('beginStage', { ...production, codeId: earlier, canaries })).toEqual([200, []]);
  });

  it('of a webhook', async () => {
    const secretFile = join(folder, 'secret');
    writeFileSync(secretFile, 'hook\n');
    const asked: string[] = [];
    const sources = new GitSourceStore(http.services);
    await sources.put({ name: 'main', url: 'https://host/x', key: null, prefix: null, secretFile, author: null });
    const request = (_: unknown, branches: unknown) => void asked.push(JSON.stringify(branches));
    const git = { sources, request };
    const hooked = await httpServices({ git, documents: http.documents });
    const body = '{"ref": "refs/heads/main"}';
    const ask = async (source: string, secret: string, text = body) => {
      const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
      const headers = { 'X-Hub-Signature-256': signature };
      return check(hooked, 'callWebhook', { who: null, body: text, samples: { source }, headers });
    };
    expect(await ask('main', 'hook')).toEqual([200, []]);
    expect(await ask('main', 'other')).toEqual([401, []]);
    expect(await ask('main', 'hook', `${body} `)).toEqual([401, []]);
    expect(await ask('none', 'hook')).toEqual([401, []]);
    expect(await ask('main', 'hook', 'x'.repeat(9 * 1024 * 1024))).toEqual([413, []]);
    expect(await check(http, 'callWebhook', { who: null, samples: { source: 'main' } })).toEqual([401, []]);
    expect(asked).toEqual(['["main"]']);
  });

  it('of an upload', async () => {
    expect(await check(http, 'uploadCode', { who: null, token: 'secret', body: archive })).toEqual([200, []]);
    const fixed = await httpServices({ code: codeService(false), documents: http.documents });
    expect(await check(fixed, 'uploadCode', { who: null, token: 'secret', body: archive })).toEqual([409, []]);
  });

  it('of those who may not ask', async () => {
    const closed = await httpServices({ authorization: new Authorization([]) });
    for (const [id] of operations) expect([id, ...(await check(closed, id))]).toEqual([id, 403, []]);
  });

  it('of users who lack a permission', async () => {
    const world = openAccessWorld({}, http.documents);
    await world.access.roles.create({ displayName: 'Deploy', description: null, permissions: [DEPLOY] });
    await world.addUser('nobody');
    await world.addUser('deployer', [6]);
    const asked = { ...http, app: createApp({ ...http.services, access: world.access }) };
    for (const id of ['uploadCode', 'previewDeploy', 'beginStage', 'promoteStage', 'abortStage']) {
      const answer = await check(asked, id, { who: null, token: await world.tokenOf('nobody') });
      expect([id, ...answer]).toEqual([id, 403, []]);
    }
    const body = JSON.stringify({ environment: 'production', canaries: { query: 'nodes {}' } });
    const token = await world.tokenOf('deployer');
    expect(await check(asked, 'beginStage', { who: null, token, body })).toEqual([403, []]);
  });

  it.each([
    [503, new StoreUnavailable('documents')],
    [500, new Error('broken')],
  ])('of stores that fail: %i', async (status, error) => {
    const fail = () => Promise.reject(error);
    const store = new Proxy({}, { get: () => fail });
    const sources = new GitSourceStore(http.services);
    vi.spyOn(sources, 'get').mockImplementation(fail);
    const git = { sources, request: () => {} };
    const broken = await httpServices({ ...stand(store), git, code: codeService(true) });
    for (const [id] of operations) {
      if (FROM_MEMORY.has(id)) continue;
      expect([id, ...(await check(broken, id, { token: 'secret' }))]).toEqual([id, status, []]);
    }
  });

  it('of a list for which the inventory does not answer', async () => {
    const find = () => Promise.reject(new OrchestratorError('puppetdb-error', 'The inventory is away'));
    const search = new NodeSearch({ find }, http.clock);
    const away = { ...http, app: createApp({ ...http.services, search }) };
    expect(await check(away, 'listNodes', { query: '?query=nodes%20{}' })).toEqual([503, []]);
  });

  it('of facts of all nodes', async () => {
    const rows = [{ 'facts.os.name': 'Debian', count: 3 }, { path: ['os', 'name'] }];
    const fail = () => Promise.reject(new OrchestratorError('puppetdb-error', 'It is away'));
    for (const [ask, status] of [[async () => rows, 200] as const, [fail, 503] as const]) {
      const asked = { ...http, app: createApp({ ...http.services, facts: new FactQueries({ ask }, http.clock) }) };
      expect(await check(asked, 'listFactPaths', { query: '?search=os' })).toEqual([status, []]);
      expect(await check(asked, 'getFactValues', { query: '?path=os.name' })).toEqual([status, []]);
    }
  });

  it('of a search for reports', async () => {
    const row = { certname: 'a.example.com', producer_timestamp: '2026-11-05T00:00:00Z', status: 'failed' };
    const fail = () => Promise.reject(new OrchestratorError('puppetdb-error', 'It is away'));
    for (const [ask, status] of [[async () => [row], 200] as const, [fail, 503] as const]) {
      const asked = { ...http, app: createApp({ ...http.services, rows: { ask } }) };
      expect(await check(asked, 'searchReports', { query: '?resource=motd' })).toEqual([status, []]);
    }
  });

  it('of a dead letter that cannot be read', async () => {
    const id = 'm-1';
    const letter = { id, content: {}, fault: 'the message is not a compile job: it is no JSON object', sentAt: 1 };
    const spy = vi.spyOn(http.services.queue, 'listDeadLetters').mockResolvedValue([letter]);
    expect(await check(http, 'redriveDeadLetters', { body: JSON.stringify({ id }) })).toEqual([409, []]);
    expect(await check(http, 'listDeadLetters')).toEqual([200, []]);
    spy.mockRestore();
  });

  it('of too many streams', async () => {
    while (http.services.fleet.events.enter());
    expect(await check(http, 'streamEvents')).toEqual([503, []]);
  });

  it('of every status that is described', () => {
    const described = atFrontDoor.flatMap((operation) =>
      [...api.responses(operation).keys()].map((status) => `${operation.id} ${status}`),
    );
    expect(described.filter((one) => !seen.has(one))).toEqual([]);
  });
});

describe('bodies', () => {
  it.each([
    ['putClassification', JSON.stringify(CLASSIFICATION), 200],
    ['putClassification', '{}', 200],
    ['putClassification', '{"classes":["a"],"environment":null}', 200],
    ['putClassification', '{"classes":{"a":null}}', 200],
    ['putClassification', '{"classes":{"a":1}}', 400],
    ['putClassification', '{"classes":[1]}', 400],
    ['putClassification', '{"parameters":[]}', 400],
    ['putClassification', '{"environment":"a-b"}', 400],
    ['putClassification', '[]', 400],
    ['putDefaultPolicy', '{}', 200],
    ['putDefaultPolicy', '{"hold_seconds":540}', 200],
    ['putDefaultPolicy', '{"hold_seconds":541}', 400],
    ['putDefaultPolicy', '{"hold_seconds":1.5}', 400],
    ['putDefaultPolicy', '{"retry_after_seconds":[1,2]}', 200],
    ['putDefaultPolicy', '{"retry_after_seconds":[1]}', 400],
    ['putDefaultPolicy', '{"after_hold":"wait"}', 400],
    ['putDefaultPolicy', '{"fresh":1}', 400],
  ])('of %s: %s is answered with %i, as its schema says', async (id, body, status) => {
    const schema = jsonContent(object(named(id).definition.requestBody))?.schema ?? false;
    expect(api.faults(schema, JSON.parse(body)).length === 0).toBe(status === 200);
    expect((await check(http, id, { body }))[0]).toBe(status);
  });
});

async function sendReport(certname: string, report: object): Promise<void> {
  const init = { method: 'PUT', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(report) };
  await http.app.request(`/puppet/v3/report/${certname}?environment=production`, init, { peer: createPeer(certname) });
}

/** The stores that these operations use. */
function stand(store: object): Partial<Parameters<typeof httpServices>[0]> {
  return {
    nodes: store as TestServices['nodes'],
    documents: store as TestServices['documents'],
    environments: store as TestServices['environments'],
    queue: store as TestServices['queue'],
  };
}
