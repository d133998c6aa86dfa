import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { DynamoDBRecord, SQSRecord } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ENVIRONMENT_VARIABLES } from '../../shared/config/deployment.ts';
import { MEASURES } from '../../shared/config/metrics.ts';
import { switchEnvironment } from '../../shared/fleet/code/deploy.ts';
import { startFanOut } from '../../shared/fleet/fan-out/settle-environment.ts';
import { FreshnessPolicies } from '../../shared/fleet/policies/freshness-policies.ts';
import { NotifyBook } from '../../shared/orchestrator/notify/notify-book.ts';
import { openAwsStores } from '../../shared/store/aws/stores.ts';
import type { CompileJob } from '../../shared/store/ports/compile-queue.ts';
import type { Stores } from '../../shared/store/ports/stores.ts';
import { deployNames, type Emulators, startEmulators } from '../helpers/aws-emulators.ts';
import { deployFolder, prepareFolder } from '../helpers/deploy-folder.ts';

const repo = mkdtempSync(join(tmpdir(), 'understudy-functions-'));
const NODE = 'web.example.com';
let emulators: Emulators;
let stores: Stores;
let lines: string[];

beforeAll(async () => {
  emulators = await startEmulators();
  const names = await deployNames(emulators.clients, { visibilityMs: 30_000, maxReceives: 3 });
  for (const [name, value] of Object.entries({ ...names, ...emulators.variables })) vi.stubEnv(name, value);
  // Where the function keeps packs.
  vi.stubEnv('TMPDIR', mkdtempSync(join(repo, 'kept-')));
  vi.stubEnv(ENVIRONMENT_VARIABLES.serverName, 'puppet.example.com');
  vi.stubEnv(ENVIRONMENT_VARIABLES.serverAddress, '192.0.2.7');
  stores = openAwsStores(names, emulators.clients);
  for (const method of ['info', 'warn', 'error'] as const)
    vi.spyOn(console, method).mockImplementation(() => undefined);
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
});
afterAll(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  await emulators.close();
  rmSync(repo, { recursive: true });
});
beforeEach(() => {
  lines = [];
});

function write(path: string, content: string): void {
  const file = join(repo, 'environments/production', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}
const deploy = () => deployFolder(stores, repo, 'production', 'test');
const record = (body: string, messageId = 'm1') => ({ messageId, body }) as SQSRecord;
const metrics = () => lines.filter((line) => line.includes('_aws')).map((line) => JSON.parse(line));
const waitingJobs = async () => (await stores.queue.receive(10, 0)).map(({ job }) => job);

async function compileJobs(...jobs: readonly CompileJob[]) {
  const { handler } = await import('../../functions/compile.ts');
  return handler({ Records: jobs.map((job, index) => record(JSON.stringify(job), `m${index}`)) });
}

describe('the compile function', () => {
  it('compiles real manifests and commits, and counts', async () => {
    write(
      'manifests/site.pp',
      `node default { notify { 'hello': message => "\${server_facts['servername']} \${server_facts['serverip']}" } }`,
    );
    await deploy();
    await stores.nodes.markSeen(NODE, 'production', 1);
    await stores.nodes.want(NODE, 'first catalog', 1, { asked: true });
    const job = { certname: NODE, generation: 1, reason: 'first catalog', at: 1 };
    expect(await compileJobs(job, job)).toEqual({ batchItemFailures: [] });
    const node = await stores.nodes.get(NODE);
    expect(node).toMatchObject({ wanted: 1, built: 1, compiles: 1, failure: null });
    const blob = await stores.blobs.get(`catalogs/${node?.catalog?.hash}`);
    const catalog = JSON.parse(gunzipSync(blob ?? new Uint8Array()).toString());
    expect(catalog).toMatchObject({ name: NODE, environment: 'production', code_id: node?.catalog?.codeId });
    const parameters = { message: 'puppet.example.com 192.0.2.7' };
    expect(catalog.resources).toContainEqual(expect.objectContaining({ type: 'Notify', title: 'hello', parameters }));
    expect(metrics()).toMatchObject([{ [MEASURES.compileJobs.cloudWatch.compiled]: 1 }]);
  });

  it('keeps a failure of the manifest as the result', async () => {
    write('manifests/site.pp', `fail('no')`);
    expect((await deploy()).nodes).toEqual([NODE]);
    const [job] = await waitingJobs();
    expect(job).toMatchObject({ certname: NODE, generation: 2, reason: 'environment production deployed' });
    expect(await compileJobs(...(job ? [job] : []))).toEqual({ batchItemFailures: [] });
    expect((await stores.nodes.get(NODE))?.failure?.message).toBe(
      'Evaluation Error: Error while evaluating a Function Call, no (file: /etc/puppetlabs/code/environments/production/manifests/site.pp, line: 1, column: 1) on node web.example.com',
    );
    expect(metrics()).toMatchObject([{ [MEASURES.compileJobs.cloudWatch.failed]: 1 }]);
  });

  it('counts packs that are missing, and compiles without them', async () => {
    write('manifests/site.pp', `notify { "one \${lookup('one')}": }`);
    write('hiera.yaml', 'version: 5\nhierarchy: [{ name: data, paths: [one.yaml, two.yaml] }]\n');
    write('data/one.yaml', 'one: 1');
    write('data/two.yaml', 'two: 2');
    await deploy();
    for (const { key } of (await stores.blobs.list('packs/')).entries) await stores.blobs.delete(key);
    const [job] = await waitingJobs();
    expect(await compileJobs(...(job ? [job] : []))).toEqual({ batchItemFailures: [] });
    expect((await stores.nodes.get(NODE))?.failure).toBeNull();
    const { compileJobs: outcomes, missingPacks } = MEASURES;
    expect(metrics()).toMatchObject([{ [outcomes.cloudWatch.compiled]: 1, [missingPacks.cloudWatch]: 1 }]);
  });

  it('reports only the messages of a batch that met a fault', async () => {
    const { handler } = await import('../../functions/compile.ts');
    const job = { certname: NODE, generation: 2, reason: 'done already', at: 1 };
    const answer = await handler({
      Records: [record('no job', 'bad1'), record(JSON.stringify(job), 'good'), record('{"certname":1}', 'bad2')],
    });
    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'bad1' }, { itemIdentifier: 'bad2' }] });
    expect(metrics()).toMatchObject([{ [MEASURES.jobFaults.cloudWatch]: 1 }, { [MEASURES.jobFaults.cloudWatch]: 1 }]);
  });

  it('has a job that met a fault come again sooner than one whose function died', async () => {
    const { handler } = await import('../../functions/compile.ts');
    const { AwsCompileQueue } = await import('../../shared/store/aws/compile-queue.ts');
    const again = vi.spyOn(AwsCompileQueue.prototype, 'retryAfter').mockResolvedValue();
    const damaged = 'damaged.example.com';
    await stores.nodes.markSeen(damaged, 'production', 1);
    await stores.nodes.want(damaged, 'x', 1, { asked: true });
    await stores.blobs.put(`facts/${damaged}`, Buffer.from('no gzip'));
    const job = { certname: damaged, generation: 1, reason: 'x', at: 1 };
    const name = process.env[ENVIRONMENT_VARIABLES.expressQueueUrl]?.split('/').at(-1);
    for (const received of [1, 2, 3, 4, 5, 6]) {
      const one = {
        ...record(JSON.stringify(job)),
        receiptHandle: `receipt ${received}`,
        eventSourceARN: `arn:aws:sqs:us-east-1:000000000000:${name}`,
        attributes: { ApproximateReceiveCount: String(received) } as SQSRecord['attributes'],
      };
      expect(await handler({ Records: [one] })).toEqual({ batchItemFailures: [{ itemIdentifier: 'm1' }] });
    }
    const calls = again.mock.calls;
    again.mockRestore();
    expect(calls.map(([received]) => received)).toMatchObject(
      [1, 2, 3, 4, 5, 6].map((receiveCount) => ({
        job,
        queue: 'express',
        receipt: `receipt ${receiveCount}`,
        receiveCount,
      })),
    );
    for (const [index, longest] of [10, 30, 120, 600, 10, 0].entries()) {
      const delay = calls[index]?.[1];
      expect(delay).toBeGreaterThanOrEqual(longest * 500);
      expect(delay).toBeLessThanOrEqual(longest * 1000);
    }
  });

  it('has a job that met a lease come again when that ends', async () => {
    const { handler } = await import('../../functions/compile.ts');
    const { AwsCompileQueue } = await import('../../shared/store/aws/compile-queue.ts');
    const again = vi.spyOn(AwsCompileQueue.prototype, 'retryAfter').mockResolvedValue();
    const leased = 'leased.example.com';
    await stores.nodes.markSeen(leased, 'production', 1);
    await stores.nodes.want(leased, 'x', 1, { asked: true });
    const now = stores.clock.now();
    await stores.nodes.lease(leased, now, now + 60_000, 'of the dead');
    const name = process.env[ENVIRONMENT_VARIABLES.waitingQueueUrl]?.split('/').at(-1);
    const one = {
      ...record(JSON.stringify({ certname: leased, generation: 1, reason: 'x', at: 1 })),
      receiptHandle: 'receipt',
      eventSourceARN: `arn:aws:sqs:us-east-1:000000000000:${name}`,
      attributes: { ApproximateReceiveCount: '1' } as SQSRecord['attributes'],
    };
    expect(await handler({ Records: [one] })).toEqual({ batchItemFailures: [{ itemIdentifier: 'm1' }] });
    const [received, delay] = again.mock.calls[0] ?? [];
    again.mockRestore();
    expect(received).toMatchObject({ id: 'm1', receipt: 'receipt', queue: 'waiting' });
    expect(delay).toBeGreaterThan(50_000);
    expect(delay).toBeLessThanOrEqual(60_000);
    expect(metrics()).toEqual([]);
    // It is the lease's own job that comes again.
    await stores.nodes.lease(leased, now, now + 60_000, 'of the dead');
    expect(await handler({ Records: [{ ...one, messageId: 'of the dead' }] })).toEqual({ batchItemFailures: [] });
    expect(await stores.nodes.get(leased)).toMatchObject({ built: 1 });
  });
});

describe('the exports function', () => {
  const image = (title: string, ip: string) => ({
    type: { S: 'Host' },
    id: { S: `a.example.com#${title}` },
    resource: { S: JSON.stringify({ certname: 'a.example.com', type: 'Host', title, tags: [], parameters: { ip } }) },
  });
  const streamed = (dynamodb: DynamoDBRecord['dynamodb']) => ({ eventName: 'MODIFY', dynamodb }) as DynamoDBRecord;

  it('invalidates the nodes that collect what changed, before or after', async () => {
    const { handler } = await import('../../functions/exports.ts');
    for (const certname of ['old', 'new', 'other']) {
      await stores.nodes.markSeen(certname, 'production', 1);
      await stores.exports.replaceCollectors(certname, 1, [
        { certname, type: 'Host', query: ['title', '==', certname] },
      ]);
    }
    const answer = await handler({
      Records: [
        streamed({ OldImage: image('old', '1') }),
        streamed({ NewImage: image('new', '1') }),
        streamed({ OldImage: { ...image('other', '1'), generation: { N: '1' } }, NewImage: image('other', '1') }),
        streamed({ NewImage: { type: { S: '#a.example.com' }, id: { S: 'head' } } }),
      ],
    });
    expect(answer).toEqual({ batchItemFailures: [] });
    const jobs = (await waitingJobs()).sort((a, b) => (a.certname < b.certname ? -1 : 1));
    expect(jobs).toMatchObject([
      { certname: 'new', generation: 1, reason: 'export Host[new] of a.example.com changed' },
      { certname: 'old', generation: 1, reason: 'export Host[old] of a.example.com changed' },
    ]);
    expect((await stores.nodes.get('other'))?.wanted).toBe(0);
  });
});

describe('the notify function', () => {
  it('makes a node due whose catalog changed, and no other', async () => {
    const { handler } = await import('../../functions/notify.ts');
    await new FreshnessPolicies(stores.documents).put('default', { notify: 'paced' });
    const catalog = (await stores.nodes.get(NODE))?.catalog;
    const image = (certname: string, hash: string) => ({
      certname: { S: certname },
      catalog: { S: JSON.stringify({ ...catalog, hash }) },
    });
    const change = (certname: string, before: string, after: string) =>
      ({ dynamodb: { OldImage: image(certname, before), NewImage: image(certname, after) } }) as DynamoDBRecord;
    const Records = [change(NODE, 'one', 'two'), change('other', 'one', 'one'), change('gone', 'one', 'two')];
    expect(await handler({ Records })).toEqual({ batchItemFailures: [] });
    const book = new NotifyBook(stores.documents);
    expect(await book.listDue('production|paced|any', 10, '')).toMatchObject([{ certname: NODE, tries: 0 }]);
    expect(console.info).toHaveBeenCalledWith('nodes are due for a run', { nodes: 1 });
  });
});

describe('the fan-out function', () => {
  const ample = { getRemainingTimeInMillis: () => 60_000 };

  it('invalidates the nodes of a chain, sends it again when the time is over, and settles the environment', async () => {
    const { handler } = await import('../../functions/fan-out.ts');
    write('manifests/site.pp', 'notify { "fan-out": }');
    const { codeId } = await prepareFolder(stores, repo, 'production');
    await switchEnvironment(stores, 'production', codeId, 'test');
    const before = await stores.nodes.get(NODE);
    const plan = await startFanOut('production', stores);
    expect(plan?.chains).toBeGreaterThan(0);
    for (let chain = 0; chain < (plan?.chains ?? 0); chain += 1) {
      const message = { environment: 'production', revision: plan?.revision, chain };
      const remaining = { getRemainingTimeInMillis: () => (chain % 2 === 0 ? 0 : 60_000) };
      expect(await handler({ Records: [record(JSON.stringify(message))] }, remaining)).toEqual({
        batchItemFailures: [],
      });
    }
    expect(await stores.nodes.get(NODE)).toMatchObject({ wanted: (before?.wanted ?? 0) + 1 });
    const production = await stores.environments.get('production');
    expect(production?.settled).toBe(production?.revision);
    expect((await waitingJobs()).map(({ certname }) => certname)).toContain(NODE);
  });

  it('reports a message that met a fault', async () => {
    const { handler } = await import('../../functions/fan-out.ts');
    const answer = await handler({ Records: [record('no message', 'bad')] }, ample);
    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'bad' }] });
  });
});

describe('the feed function', () => {
  it('feeds the ring and measures its lag', async () => {
    const { handler } = await import('../../functions/feed.ts');
    // One job was given up above.
    const report = await handler({}, { getRemainingTimeInMillis: () => 60_000 });
    expect(report).toMatchObject({ settled: [], asked: 1, fed: 4 });
    expect(metrics()).toMatchObject([{ [MEASURES.ringLag.cloudWatch]: Math.round((report?.lagMs ?? 0) / 1000) }]);
  });
});
