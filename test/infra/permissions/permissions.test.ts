import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import type { Template } from 'aws-cdk-lib/assertions';
import { packTar } from 'modern-tar/fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { NO_VAULT } from '../../../shared/access/ca/authority-record.ts';
import { createToken } from '../../../shared/access/tokens/deploy-tokens.ts';
import { ENVIRONMENT_VARIABLES, TABLES } from '../../../shared/config/deployment.ts';
import { switchToStage } from '../../../shared/fleet/code/deploy.ts';
import { prune } from '../../../shared/fleet/code/prune.ts';
import { invalidateCollectors } from '../../../shared/fleet/compiles/invalidate-collectors.ts';
import { processCompileJob } from '../../../shared/fleet/compiles/process-compile-job.ts';
import { DEFAULT_RING, feed } from '../../../shared/fleet/compiles/ring.ts';
import type { WorkerContext } from '../../../shared/fleet/compiles/worker-context.ts';
import { DependencyCache } from '../../../shared/fleet/dependencies/dependency-cache.ts';
import { FailureUpkeep } from '../../../shared/fleet/failures/failure-upkeep.ts';
import { abortStage } from '../../../shared/fleet/fan-out/end-stage.ts';
import { runChain } from '../../../shared/fleet/fan-out/run-chain.ts';
import { resumeFanOut, settleEnvironment } from '../../../shared/fleet/fan-out/settle-environment.ts';
import { FreshnessPolicies } from '../../../shared/fleet/policies/freshness-policies.ts';
import { SnapshotCache } from '../../../shared/fleet/snapshots/snapshot-cache.ts';
import { beginStage } from '../../../shared/fleet/stages/begin-stage.ts';
import { judgeStages } from '../../../shared/fleet/stages/judge-stage.ts';
import { createStagePlan } from '../../../shared/fleet/stages/stage-plan.ts';
import { KeptValueRecords } from '../../../shared/fleet/values/kept-value-records.ts';
import { KeptAssets } from '../../../shared/http/console/kept-assets.ts';
import { type FrontDoor, openFrontDoor } from '../../../shared/http/front-door.ts';
import { storePackage } from '../../../shared/http/packages/package-store.ts';
import { postAlerts } from '../../../shared/inventory/forward/scheduled-alerts.ts';
import { findDeadLetters, redriveDeadLetters } from '../../../shared/orchestrator/letters/dead-letters.ts';
import { createDueRecorder, recordChanges } from '../../../shared/orchestrator/notify/due-recorder.ts';
import { compile } from '../../../shared/puppet/compiler/compile.ts';
import { DEFAULT_COMPILE_SETTINGS } from '../../../shared/puppet/compiler/default-settings.ts';
import { openAwsStores } from '../../../shared/store/aws/stores.ts';
import { revisionToken } from '../../../shared/store/ports/environment-store.ts';
import type { Stores } from '../../../shared/store/ports/stores.ts';
import { runAlone } from '../../../shared/store/run-alone.ts';
import { digestSha256 } from '../../../shared/util/digest.ts';
import { AwsCalls } from '../../helpers/aws-calls.ts';
import { deployNames, type Emulators, startEmulators } from '../../helpers/aws-emulators.ts';
import { makeRequest } from '../../helpers/certificate-request.ts';
import { listGrants, listLeadingKeys } from '../../helpers/granted.ts';
import { createPeer } from '../../helpers/http-services.ts';
import { arnOf, RolePolicies } from '../../helpers/iam/policies.ts';
import { namesInTemplate } from '../../helpers/iam/resource-ids.ts';
import { roleStatements } from '../../helpers/role-statements.ts';
import { synthesizedStack } from '../../helpers/synthesized-stack.ts';
import { OWN, orchestrate } from './orchestrated-calls.ts';

const [WEB, MONITOR] = ['web01.example.com', 'monitor.example.com'];
const ADMIN = createPeer('admin.example.com', 'ad', [['pp_cli_auth', 'true']]);
const CODE = {
  'manifests/site.pp': `
    node 'monitor.example.com' { File <<| tag == 'seen' |>> }
    node default { @@file { "/\${trusted['certname']}": content => lookup('text'), tag => 'seen' } }`,
  'hiera.yaml': 'version: 5\nhierarchy:\n  - { name: all, path: all.yaml }\n',
};
const PACKAGE = ['8.10.0', 'debian-12-amd64/puppet-agent.deb'] as const;
const MISDIRECTED = 421;
const RETENTION = { keepHistory: 0, keepCode: 0, keepReports: 30, keepBucket: 365 };

/** Adapters whose clients this test does not have. */
const OTHER_CLIENTS: Readonly<Record<string, string>> = {
  'copy-table.ts': 'a command of operators, with their own credentials',
  'kms-vault.ts': 'in test/functions/bundles.test.ts',
  'inventory-answers.ts': 'in test/functions/bundles.test.ts',
  'secret-variables.ts': 'in test/functions/bundles.test.ts',
};
/** Commands that only a worker without Lambda sends: a compiler that takes its own jobs. */
const UNSENT: Readonly<Record<string, string>> = {
  ChangeMessageVisibility: 'puts a job or a chain off, which Lambda does for its functions',
};

interface Reason {
  /** Of the lines `part: action resource`. */
  readonly of: RegExp;
  readonly reason: string;
}

/** Why a role has what no call of this test needed. */
const UNUSED: readonly Reason[] = [
  { of: /kms:|lambda:InvokeFunction|secretsmanager:/, reason: 'used in test/functions/bundles.test.ts' },
  { of: /Authority.*BatchGetItem .*Jobs/, reason: 'a takeover, in test/functions/bundles.test.ts' },
  { of: /GetObject .*\/(catalogs|facts)\/|^Compile: .*\/readers\//, reason: 'likewise: the second run of a node' },
  { of: /^(Compile|FanOut): sqs:/, reason: 'Lambda takes messages from the queues of its event sources' },
  { of: /ListStreams|GetRecords|GetShardIterator|DescribeStream/, reason: 'Lambda reads the stream' },
  { of: /^(Exports|NotifyRecord): sqs:.*DeadLetters/, reason: 'Lambda sends what a function refuses' },
  { of: /s3:ListBucket/, reason: 'without it, an object that is not there is answered 403' },
  { of: /\/damaged\//, reason: 'notes files that are found damaged, and reads or deletes the notes' },
  { of: /\/requests\//, reason: 'requests and answers that are too large for a message' },
  { of: /\/groups\/|Authority.*BatchGetItem .*Documents|^Feed: .*Scan .*Nodes/, reason: 'node groups' },
  { of: /^Edge(Authority)?TaskTask: .*\/(reports|bucket|jobs|packs)\//, reason: 'reports, bucket, job files, packs' },
  { of: /GetItem .*Jobs/, reason: 'which nodes a job asked: they get its files' },
  { of: /^EdgeTaskTask: dynamodb:DeleteItem .*Documents/, reason: 'the oldest of too many reports of a node' },
  { of: /s3:DeleteObject .*\/facts\//, reason: 'facts of a node that is purged, or that came twice' },
  { of: /SendMessage .*(Waiting|Express)/, reason: 'nodes that a change or a check-in invalidates' },
  { of: /FanOut.*sqs:|sqs:.*FanOut/, reason: 'a deploy takes part in its fan-out' },
  { of: /DeleteMessage .*DeadLetters/, reason: 'dead letters of this queue, of which the test has none' },
  { of: /^Compile: .*DeleteItem .*(Collectors|Exports)/, reason: 'a node that exports or collects no more' },
  { of: /^Exports: dynamodb:DeleteItem .*Documents/, reason: 'changes that were noted a month ago' },
  { of: /^Feed: .*(Dependencies|\/dependencies\/)/, reason: 'dependencies that no node has for days' },
  { of: /^Feed: .*\/(fan-outs|reports)\//, reason: 'plans of fan-outs, failed resources of canaries' },
  { of: /^Prune: /, reason: 'code, catalogs and reports whose retention has ended: test/shared/fleet/code' },
];

const folder = mkdtempSync(join(tmpdir(), 'understudy-permissions-'));
let emulators: Emulators;
let stores: Stores;
let calls: AwsCalls;
let orchestrated: Readonly<Record<'broker' | 'authority', AwsCalls>>;
let roles: Readonly<Record<string, RolePolicies>>;
/** The edge, and the authority service: in a deployment of two, each has its own work. */
let nodesDoor: FrontDoor;
let operatorsDoor: FrontDoor;
/** The parts as `AwsCalls` knows them, which begin the ids of their roles. */
const EDGE = 'EdgeTaskTask';
const AUTHORITY = 'EdgeAuthorityTaskTask';
const BROKER = 'EdgeBrokerTaskTask';
/** What the authority service does for users of the console alone. */
const CONSOLE = 'console';
/** The functions, by the part of their logical id that follows the folder's. */
const FUNCTIONS = ['Compile', 'Exports', 'NotifyRecord', 'FanOut', 'Feed', 'Prune'] as const;
let template: Template;

function functionId(part: string): string {
  const ids = Object.keys(template.findResources('AWS::Lambda::Function'));
  return ids.find((id) => id.startsWith(part) || id.startsWith(`Workers${part}`)) ?? expect.fail(`no ${part}`);
}

/** Everything that the system does in AWS, as the part of it that does it there. */
beforeAll(async () => {
  ({ template } = await synthesizedStack());
  emulators = await startEmulators();
  const names = await deployNames(emulators.clients, { visibilityMs: 60_000, maxReceives: 5 });
  const [edge, authority, broker] = ['edge', 'authority', 'broker'].map((name) =>
    RolePolicies.ofContainer(template, `${name}.mjs`),
  );
  if (!edge || !authority || !broker) throw new Error('a container has no role');
  const functions = FUNCTIONS.map((part) => [part, RolePolicies.ofFunction(template, functionId(part))] as const);
  roles = {
    [EDGE]: edge,
    [AUTHORITY]: authority,
    [CONSOLE]: authority,
    [BROKER]: broker,
    ...Object.fromEntries(functions),
  };
  calls = new AwsCalls(emulators.clients, namesInTemplate(template, names), roles);
  stores = openAwsStores(names, emulators.clients);
  await createToken(stores, 'secret', 'pipeline', null);
  await storePackage(stores, ...PACKAGE, new Uint8Array(1));
  await new FreshnessPolicies(stores.documents).put('default', { freshness: 'retry' });
  await startFrontDoors();
  await deploy('one');
  await checkIn(WEB);
  await checkIn(MONITOR);
  await work();
  const exported = { certname: WEB, type: 'File', title: `/${WEB}`, tags: ['seen'], parameters: {} };
  await calls.recordDuring('Exports', () => invalidateCollectors([{ before: null, after: exported }], stores));
  await deploy('two');
  await work();
  await keepValues();
  await recordNotify();
  await calls.recordDuring('Feed', () =>
    feed(stores, { ...DEFAULT_RING, restMs: 0, volatileRestMs: 0, lostAfterMs: 0 }),
  );
  await work();
  await stageDeploys();
  const [deadLetters] = (names[ENVIRONMENT_VARIABLES.deadLetterQueueUrls] ?? '').split(' ');
  const job = JSON.stringify({ certname: WEB, generation: 1, reason: 'of the test', at: 1 });
  await emulators.clients.sqs.send(new SendMessageCommand({ QueueUrl: deadLetters, MessageBody: job }));
  const chain = JSON.stringify({ environment: 'production', revision: 'none', chain: 0 });
  const fanOut = names[ENVIRONMENT_VARIABLES.fanOutDeadLetterQueueUrl];
  await emulators.clients.sqs.send(new SendMessageCommand({ QueueUrl: fanOut, MessageBody: chain }));
  await calls.recordDuring(CONSOLE, useConsole);
  await work();
  await administer();
  await unsettle();
  await calls.recordDuring('Feed', () =>
    runAlone(stores, 'feed', 1000, () => feed(stores, { ...DEFAULT_RING, worksOnFanOuts: false })),
  );
  await postFailures();
  await tellAffected();
  await calls.recordDuring('Prune', () => runAlone(stores, 'prune', 1000, () => prune(stores, RETENTION, true)));
  orchestrated = await orchestrate(emulators, template, { broker, authority });
});

afterAll(async () => {
  await emulators.close();
  rmSync(folder, { recursive: true });
});

/** A node becomes due for a run, and one is gone. */
async function recordNotify(): Promise<void> {
  await new FreshnessPolicies(stores.documents).put('default', { freshness: 'retry', notify: 'now' });
  const after = (await stores.nodes.get(WEB))?.catalog;
  if (!after) throw new Error('no catalog');
  const change = { kind: 'catalog', certname: WEB, at: after.compiledAt, after } as const;
  const changes = [
    { ...change, before: { ...after, hash: 'another' } },
    { kind: 'removed', certname: 'gone.example.com', at: after.compiledAt },
  ] as const;
  const count = await calls.recordDuring('NotifyRecord', () => recordChanges(changes, createDueRecorder(stores)));
  expect(count).toBe(1);
}

/** What the feeder does with staged deploys. */
async function stageDeploys(): Promise<void> {
  const [earlier] = (await stores.environments.get('production'))?.history ?? [];
  if (!earlier) throw new Error('nothing was deployed before');
  const canaries = { nodes: [WEB] };
  const request = {
    environment: 'production',
    codeId: earlier.codeId,
    by: 'test',
    canaries,
    plan: createStagePlan({}),
  };
  await beginStage(request, stores);
  await work();
  await calls.recordDuring('Feed', () => judgeStages(stores, false));
  await calls.recordDuring('Feed', () => abortStage('production', stores));
  await work();
  const begun = await beginStage(request, stores);
  if (!begun) throw new Error('the code is in force');
  await calls.recordDuring('Feed', async () => {
    expect(await switchToStage(stores, 'production', begun.stage)).toBe(true);
    await resumeFanOut('production', stores, false);
  });
  await settleEnvironment('production', stores);
  await work();
}

/** A failure that begins, whose alert is a dead letter first. */
async function postFailures(): Promise<void> {
  const answers = [400];
  const receiver = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(answers.shift() ?? 200).end());
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const address = receiver.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`;
  const post = (to: string | null) => calls.recordDuring('Feed', () => postAlerts(to, stores, () => undefined));
  const letters = () => findDeadLetters('alert-url', { certname: null, id: null }, stores);
  await post(url);
  const failing = { environment: 'production', beganWith: null, goodAt: null, failed: 1 };
  const failures = [{ resource: null, message: 'no such tier', file: null, line: null }];
  const at = stores.clock.now();
  await stores.documents.put('failing/compile', WEB, { certname: WEB, at, ...failing, failures });
  await calls.recordDuring('Feed', () => new FailureUpkeep(stores).update());
  await post(url);
  expect(await letters()).toHaveLength(1);
  const choice = { certname: null, id: null };
  await calls.recordDuring(CONSOLE, () => redriveDeadLetters('alert-url', choice, stores));
  await post(null);
  expect((await letters()).map(({ isDue }) => isDue)).toEqual([false]);
  await calls.recordDuring(CONSOLE, () => redriveDeadLetters('alert-url', choice, stores));
  await post(url);
  expect(await letters()).toEqual([]);
  receiver.close();
}

/** As a deploy and a removal leave it that were cut short. */
async function unsettle(): Promise<void> {
  const record = await stores.environments.get('production');
  if (!record) throw new Error('nothing is deployed');
  const removed = { ...record, name: 'removed' };
  await stores.environments.replace(removed, null);
  await stores.documents.put('environment-removals', removed.name, { revision: revisionToken(removed) });
  await stores.environments.replace({ ...record, revision: record.revision + 1 }, record.revision);
}

async function startFrontDoors(): Promise<void> {
  const log = { logError: (message: string, cause: unknown) => expect.fail(`${message}: ${cause}`) };
  const common = { authorityName: 'understudy.example.com', autosign: true, log };
  await calls.recordDuring(AUTHORITY, async () => {
    const authority = { keyBits: 2048 };
    operatorsDoor = await openFrontDoor(stores, { ...common, authority, audience: 'operators' });
    await operatorsDoor.serverCredentials('authority.internal', []);
    await operatorsDoor.serverCredentials('puppet', [], NO_VAULT);
  });
  await calls.recordDuring(EDGE, async () => {
    const keyHolder = { url: 'https://localhost:1', name: 'puppet', vault: NO_VAULT };
    nodesDoor = await openFrontDoor(stores, { ...common, keyHolder, audience: 'nodes' });
    await nodesDoor.serverCredentials('puppet', []);
  });
}

async function ask(method: string, path: string, body?: string | Uint8Array<ArrayBuffer>, who = ADMIN) {
  const isJson = !/file_bucket|certificate_request/.test(path);
  const type = isJson ? 'application/json' : path.includes('bucket') ? 'application/octet-stream' : 'text/plain';
  const headers = { 'X-Authentication': 'secret', 'Content-Type': type, Accept: type };
  const request = { method, headers, ...(body ? { body } : {}) };
  const askDoor = async ({ app }: FrontDoor) => {
    const response = await app.request(path, request, { peer: who });
    await response.arrayBuffer();
    return response.status;
  };
  // The edge has no connection here to what it would forward to.
  const isForwarded = /certificate_request/.test(path);
  const status = isForwarded ? MISDIRECTED : await calls.recordDuring(EDGE, () => askDoor(nodesDoor));
  return status === MISDIRECTED ? calls.recordDuring(AUTHORITY, () => askDoor(operatorsDoor)) : status;
}

/** Uploads the code with this text in its data, and puts it in force. */
async function deploy(text: string): Promise<void> {
  const root = join(folder, text);
  for (const [path, content] of Object.entries({ ...CODE, 'data/all.yaml': `text: ${text}\n` })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  const archive = Uint8Array.from(gzipSync(await buffer(packTar(root))));
  expect(await ask('PUT', '/understudy/v1/code/production', archive)).toBe(200);
  const asked = JSON.stringify({ environments: ['production'], wait: true });
  expect(await ask('POST', '/code-manager/v1/deploys', asked)).toBe(200);
}

/** Works on all chains. The queue hands them to the function in AWS, as with jobs. */
async function tellAffected(): Promise<void> {
  let told = 0;
  for (;;) {
    const received = await stores.fanOut.receive(10);
    if (received.length === 0) break;
    for (const one of received) {
      const report = await calls.recordDuring('FanOut', () => runChain(one.message, stores, () => false));
      told += report.invalidated.length;
      await stores.fanOut.acknowledge(one);
    }
  }
  expect(told).toBeGreaterThan(0);
  const production = await stores.environments.get('production');
  expect(production?.settled).toBe(production?.revision);
}

/** The policy lets it come back at once. */
function checkIn(certname: string): Promise<void> {
  return calls.recordDuring(EDGE, async () => {
    const facts = encodeURIComponent(JSON.stringify({ name: certname, values: { os: 'Debian' } }));
    const body = new URLSearchParams({ environment: 'production', facts_format: 'application/json', facts });
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const path = `/puppet/v3/catalog/${certname}`;
    const request = { method: 'POST', headers, body: body.toString() };
    const response = await nodesDoor.app.request(path, request, { peer: createPeer(certname) });
    expect([503, 200]).toContain(response.status);
  });
}

/**
 * Does all jobs. The queue hands them to the function in AWS, so that taking them needs no
 * permission of the role's own here.
 */
async function work(): Promise<void> {
  const context: WorkerContext = {
    stores,
    snapshots: new SnapshotCache(stores.blobs),
    dependencies: new DependencyCache(stores.blobs),
    compile,
    settings: DEFAULT_COMPILE_SETTINGS,
    server: { name: 'puppet', ip: '127.0.0.1', release: '0' },
    limitMs: 60_000,
  };
  for (;;) {
    const [received] = await stores.queue.receive(1, 0);
    if (!received) return;
    const report = await calls.recordDuring('Compile', () => processCompileJob(received.job, context));
    expect(report.outcome).not.toBe('failed');
    await stores.queue.acknowledge(received);
  }
}

/** Creates a value that code of modules keeps, reads, replaces and removes it. */
async function keepValues(): Promise<void> {
  const values = new KeptValueRecords(stores);
  const change = (from: string | null, text: string | null) =>
    values.store('production', [{ name: 'app/password', from, text }], WEB);
  const version = async () => (await values.versions('production', ['app/password'])).get('app/password') ?? null;
  await calls.recordDuring('Compile', async () => {
    await change(null, 'first');
    await change(await version(), 'second');
    await change(await version(), null);
    expect(await version()).toBeNull();
  });
}

/** What an administrator does in the console, beside what operators do with certificates. */
async function useConsole(): Promise<void> {
  const { access, operatorApi, fleet } = operatorsDoor;
  const names = { login: 'alice', email: 'alice@example.com', displayName: 'Alice' };
  const account = await access.accounts.create({ ...names, isGroup: false, roleIds: [1], password: null });
  const headers = { 'X-Authentication': await access.tokens.create(account, { lifetimeMs: 600_000 }) };
  const get = async (path: string, method = 'GET', content?: object) => {
    const body = content === undefined ? {} : { body: JSON.stringify(content) };
    const response = await operatorApi.request(`/understudy/v1/${path}`, { method, headers, ...body }, { peer: null });
    const text = await response.text();
    expect([path, response.status, text]).toEqual([path, 200, text]);
    return JSON.parse(text);
  };
  // No test runs yet, which `expect.poll` needs.
  const look = async () => expect(await get('overview')).toMatchObject({ isComplete: true });
  await vi.waitFor(look, { timeout: 60_000, interval: 100 });
  const ofNode = ['', '/inputs', '/facts', '/facts/changes', '/catalog', '/history', '/runs'];
  for (const path of ofNode) await get(`nodes/${WEB}${path}`);
  for (const path of ['nodes', 'reports', 'queue', 'certificates?state=issued', 'environments', 'deploys']) {
    await get(path);
  }
  expect((await get('environments/production/diff')).nodes.length).toBeGreaterThan(0);
  expect(await get('dead-letters/fan-out/redrive', 'POST', {})).toEqual({ redriven: 1, unreadable: [] });
  const [letter] = (await get('dead-letters')).deadLetters;
  expect(letter).toMatchObject({ queue: 'compile', certname: WEB, cause: 'of the test' });
  expect(await get('dead-letters/compile/redrive', 'POST', { id: letter.id })).toEqual({ redriven: 1, unreadable: [] });
  await get('environments/production/rollback', 'POST');
  const kept = new KeptAssets(stores.blobs, stores.clock);
  const path = `main-${digestSha256('let a;').slice(0, 32)}.js`;
  await kept.keep([{ path, bytes: Buffer.from('let a;'), type: 'text/javascript', hash: '', isImmutable: true }]);
  expect(await kept.find(path)).toMatchObject({ path });
  await fleet.stop();
}

/** What operators and agents ask of a front door beside catalogs. */
async function administer(): Promise<void> {
  const [node, own] = [`/understudy/v1/nodes/${WEB}`, createPeer(WEB)];
  const report = JSON.stringify({
    transaction_uuid: 'u-1',
    status: 'changed',
    metrics: {},
    logs: [],
    resource_statuses: {},
  });
  for (const [method, path, body, who] of [
    ['GET', '/status/v1/services?level=debug'],
    ['GET', '/metrics'],
    ['GET', node],
    ['PUT', `${node}/classification`, '{"classes": []}'],
    ['DELETE', `${node}/classification`],
    ['PUT', `/understudy/v1/policies/nodes/${WEB}`, '{"hold_seconds": 1}'],
    ['GET', '/understudy/v1/policies'],
    ['DELETE', `/understudy/v1/policies/nodes/${WEB}`],
    ['PUT', `/puppet/v3/report/${WEB}?environment=production`, report, own],
    ['PUT', `/puppet/v3/report/${WEB}?environment=production`, report.replace('changed', 'unchanged'), own],
    ['GET', '/understudy/v1/reports'],
    ['GET', `/understudy/v1/reports/${WEB}/u-1`],
    ['PUT', '/puppet/v3/file_bucket_file/md5/5d41402abc4b2a76b9719d911017c592/a?environment=production', 'hello', own],
    [
      'GET',
      '/puppet/v3/file_bucket_file/md5/5d41402abc4b2a76b9719d911017c592/a?environment=production',
      undefined,
      own,
    ],
    ['GET', `/puppet/v3/node/${WEB}?environment=production`, undefined, own],
    ['GET', '/puppet/v3/file_metadatas/plugins?environment=production&recurse=true', undefined, own],
    ['GET', '/puppet/v3/environments', undefined, own],
    ['GET', '/puppet-ca/v1/certificate_statuses/any'],
    ['GET', `/packages/${PACKAGE.join('/')}`],
    // Signed at once, and prepared with the facts of its check-in.
    ['PUT', `/puppet-ca/v1/certificate_request/${WEB}`, (await makeRequest(WEB)).request],
    ['DELETE', node],
    ['PUT', `/puppet-ca/v1/certificate_request/${MONITOR}`, (await makeRequest(MONITOR)).request],
  ] as const) {
    expect([path, await ask(method, path, body, who)]).toEqual([path, 200]);
  }
  for (const path of ['/status/v1/services?level=debug', '/metrics', `/packages/${PACKAGE.join('/')}`]) {
    const answer = await calls.recordDuring(AUTHORITY, async () =>
      operatorsDoor.app.request(path, {}, { peer: ADMIN }),
    );
    expect([path, answer.status]).toEqual([path, 200]);
    await answer.arrayBuffer();
  }
  await checkIn(WEB);
}

it('is measured on every table, the bucket and the queues', () => {
  const touched = [...calls.getCalls(EDGE), ...calls.getCalls(AUTHORITY)];
  // Those of jobs are measured in orchestrator-permissions.test.ts.
  for (const table of Object.keys(TABLES).filter((name) => name !== 'jobs'))
    expect(touched.join('\n')).toContain(`:table/${table}`);
  expect(touched).toEqual(expect.arrayContaining(['sqs:SendMessage:queue/waiting', 's3:PutObject:bucket/files/*']));
});

describe.each([EDGE, AUTHORITY, CONSOLE, ...FUNCTIONS])('the role of %s', (part) => {
  it('allows all that its code does', () => {
    expect(calls.getCalls(part).length).toBeGreaterThan(0);
    expect(calls.getDenials(part)).toEqual([]);
  });
});

/** Documents by which somebody gains rights: the CA, certificates, users, roles and tokens. */
const GUARDED = [
  'ca',
  'certificates',
  'certificate-requests',
  'access',
  'access-accounts',
  'access-tokens',
  'deploy-tokens',
];
/** What gives a token away, or takes rights away, beside the authority service. */
const MAY_WRITE: Readonly<Record<string, readonly string[]>> = {
  // With an upstream CA, they store its revocation lists.
  EdgeTaskTaskRole: ['ca'],
  // In this stack, the API takes deploys and certificate requests.
  FrontDoorAppRole: GUARDED,
  EdgeAuthorityTaskTaskRole: GUARDED,
};

describe('every other role', () => {
  const roles = () => Object.keys(template.findResources('AWS::IAM::Role'));
  const grantsOf = (id: string, action: string) =>
    GUARDED.filter((collection) => {
      const documents = Object.keys(template.findResources('AWS::DynamoDB::Table')).find((one) =>
        /Documents/.test(one),
      );
      const context = { 'dynamodb:LeadingKeys': [collection] };
      const need = { action: `dynamodb:${action}`, resource: arnOf(documents ?? ''), context };
      return RolePolicies.ofRole(template, id).findDenial(need) === null;
    });

  it('writes neither the CA nor users, roles and tokens', () => {
    const found = roles().flatMap((id) =>
      ['PutItem', 'UpdateItem'].flatMap((action) =>
        grantsOf(id, action).map((collection) => [id, collection] as const),
      ),
    );
    const unexpected = found.filter(([id, collection]) => {
      const part = Object.keys(MAY_WRITE).find((one) => id.startsWith(one));
      return !MAY_WRITE[part ?? '']?.includes(collection);
    });
    expect(found.length).toBeGreaterThan(GUARDED.length);
    expect(unexpected).toEqual([]);
  });
});

describe('the orchestrator', () => {
  it('may do all that its broker and its authority service do', () => {
    const { broker, authority } = orchestrated;
    expect(broker.getCalls(OWN)).toEqual(
      ['DeleteItem', 'GetItem', 'PutItem', 'Query'].map((action) => `dynamodb:${action}:table/documents`),
    );
    expect(authority.getCalls(OWN)).toEqual(
      expect.arrayContaining([
        'dynamodb:PutItem:table/jobs',
        's3:PutObject:bucket/jobs/*',
        's3:PutObject:bucket/schedules/*',
      ]),
    );
    expect([broker.getDenials(OWN), authority.getDenials(OWN)]).toEqual([[], []]);
  });

  it('has a broker that reads and writes only its own collections, and the lists of the CA', () => {
    expect([...new Set(listLeadingKeys(template, BROKER))]).toEqual(['ca', 'pcp-*']);
    expect(orchestrated.broker.getCollections(OWN, 'read').length).toBeGreaterThan(3);
    expect(orchestrated.broker.getCollections(OWN).length).toBeGreaterThan(2);
  });
});

describe('the files of the console', () => {
  it('are written and read by the authority service alone', () => {
    const statements = ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy'].flatMap((type) =>
      Object.entries(template.findResources(type)).filter(([, { Properties }]) =>
        JSON.stringify(Properties.PolicyDocument).includes('/console/*'),
      ),
    );
    // The inline policy is full: one statement is in a managed policy of the same role.
    const roles = new Set(statements.map(([id]) => id.replace(/(?:Default|Overflow)Policy.*$/, '')));
    expect([...roles]).toEqual([`${AUTHORITY}Role`]);
    expect(
      listGrants(template, AUTHORITY)
        .filter((one) => one.endsWith(':bucket/console/*'))
        .toSorted(),
    ).toEqual(['s3:GetObject:bucket/console/*', 's3:PutObject:bucket/console/*']);
  });
});

describe('the role of the API', () => {
  it('allows what the edge and the authority service do, if it serves agents and deploys', () => {
    const role = RolePolicies.ofFunction(template, functionId('FrontDoorApp'));
    expect(calls.listDenialsOf(role, [EDGE, AUTHORITY])).toEqual([]);
  });
});

describe('the role of compiles', () => {
  it('writes only the documents of kept values, why jobs failed, and which nodes do', () => {
    expect([listLeadingKeys(template, 'Compile'), calls.getCollections('Compile')]).toEqual([
      ['kept-values', 'compile-faults', 'failing/compile'],
      ['kept-values'],
    ]);
  });
});

describe('the role of the function that follows exports', () => {
  it('reads the policies, and writes only what changes touched', () => {
    expect(listLeadingKeys(template, 'Exports')).toEqual(['policies', 'changes']);
    expect(calls.getCollections('Exports')).toEqual(['changes']);
  });
});

describe('the role of the edge', () => {
  it('writes only the documents that hold reports, changed facts, its work, and comparisons with another compiler', () => {
    // In this stack another server is the CA, of which the edge stores the revocation lists.
    const writing = roleStatements(template, EDGE).filter(
      ({ Action, Resource }) =>
        /:(Put|Update|Delete)Item/.test(String(Action)) && JSON.stringify(Resource).includes('Documents'),
    );
    const allowed = writing.flatMap(
      ({ Condition }) => Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'],
    );
    expect([...new Set(allowed.flat())].sort()).toEqual([
      'ca',
      'comparisons',
      'fact-history',
      'failing/run',
      'report-index/*',
      'reports/*',
      'unchanged-runs/*',
      'work-hours',
    ]);
    const written = calls.getCollections(EDGE);
    expect(written.length).toBeGreaterThan(2);
    expect(calls.getCollections(AUTHORITY)).toEqual(
      expect.arrayContaining(['ca', 'certificates', 'code-deploys', 'policies', 'staged-code']),
    );
  });

  it('changes no code, dependency, export or catalog', () => {
    const changing = listGrants(template, EDGE).filter((one) => /:(Put|Delete|Update)(Object|Item)/.test(one));
    expect(changing.length).toBeGreaterThan(5);
    const guarded = /files|packs|snapshots|catalogs|fan-outs|environments|dependencies|exports|collectors/;
    expect(changing.filter((one) => guarded.test(one))).toEqual([]);
  });
});

describe('what no call needed', () => {
  it('has a reason', () => {
    const parts = [EDGE, AUTHORITY, BROKER, ...FUNCTIONS];
    const unused = parts.flatMap((part) => (roles[part]?.unused ?? []).map((one) => `${part}: ${one}`));
    const reasons = new Map(UNUSED.map((reason) => [reason, unused.filter((one) => reason.of.test(one))]));
    const known = new Set([...reasons.values()].flat());
    expect(unused.filter((one) => !known.has(one))).toEqual([]);
    // A reason for what is used, or not granted any more, goes.
    expect([...reasons].filter(([, found]) => found.length === 0).map(([{ of }]) => String(of))).toEqual([]);
  });
});

describe('the commands of the SDK', () => {
  it('are all sent at least once under the policies', () => {
    const folder = join(import.meta.dirname, '../../../shared/store/aws');
    const sources = readdirSync(folder).filter((name) => !(name in OTHER_CLIENTS));
    const known = sources.flatMap((name) =>
      [...readFileSync(join(folder, name), 'utf8').matchAll(/new ([A-Z]\w+)Command\(/g)].map(([, command]) => command),
    );
    // The document client's commands send those of the plain client.
    const plain = (name = '') => (/^(Get|Put|Update|Delete|BatchGet|BatchWrite)$/.test(name) ? `${name}Item` : name);
    const sent = new Set(
      [calls, orchestrated.authority, orchestrated.broker].flatMap(({ commands }) =>
        [...commands].map((name) => name.replace(/Command$/, '')),
      ),
    );
    expect(new Set(known).size).toBeGreaterThan(15);
    expect([...new Set(known.map(plain))].filter((name) => !sent.has(name) && !(name in UNSENT))).toEqual([]);
    expect(Object.keys(UNSENT).filter((name) => sent.has(name))).toEqual([]);
  });
});
