import { gzipSync } from 'node:zlib';
import type { APIGatewayProxyEventV2, Context, DynamoDBRecord } from 'aws-lambda';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ENVIRONMENT_VARIABLES, TABLES } from '../../shared/config/deployment.ts';
import { INVENTORY_VARIABLES } from '../../shared/config/inventory.ts';
import { variableOf } from '../../shared/config/read-setting.ts';
import { storeFacts } from '../../shared/fleet/facts/facts-blob.ts';
import { storeQuietRun, storeReport } from '../../shared/fleet/reports/node-reports.ts';
import { PuppetHash } from '../../shared/puppet/types/values/puppet-hash.ts';
import { openAwsStores } from '../../shared/store/aws/stores.ts';
import type { Stores } from '../../shared/store/ports/stores.ts';
import { deployNames, type Emulators, startEmulators } from '../helpers/aws-emulators.ts';
import { TableStream } from '../helpers/table-stream.ts';

const url = process.env.TEST_INVENTORY_POSTGRES;
const LONG = { getRemainingTimeInMillis: () => 900_000 } as Context;
let emulators: Emulators;
let stores: Stores;
let streams: readonly TableStream[];

beforeAll(async () => {
  emulators = await startEmulators();
  const names = await deployNames(emulators.clients, { visibilityMs: 30_000, maxReceives: 3 });
  for (const [name, value] of Object.entries({ ...names, ...emulators.variables })) vi.stubEnv(name, value);
  vi.stubEnv(INVENTORY_VARIABLES.url, 'postgresql://127.0.0.1:1/none');
  vi.stubEnv(INVENTORY_VARIABLES.producer, 'puppet.example.com');
  vi.stubEnv(variableOf('puppetdbFactInterval'), '3600');
  vi.stubEnv(variableOf('puppetdbBlockedFacts'), 'uptime');
  stores = openAwsStores(names, emulators.clients);
  streams = (['nodes', 'documents'] as const).map(
    (name) =>
      new TableStream(emulators.clients.dynamodb, names[ENVIRONMENT_VARIABLES[`${name}Table`]] ?? '', TABLES[name]),
  );
  for (const method of ['warn', 'error'] as const) vi.spyOn(console, method).mockImplementation(() => undefined);
});
afterAll(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  await emulators.close();
});

async function takeRecords(): Promise<readonly DynamoDBRecord[]> {
  const records = (await Promise.all(streams.map((stream) => stream.takeRecords()))).flat();
  return records.map((record, index) => ({ ...record, dynamodb: { ...record.dynamodb, SequenceNumber: `s${index}` } }));
}

async function deliver(records: readonly DynamoDBRecord[]) {
  const { handler } = await import('../../functions/inventory-feed.ts');
  return handler({ Records: [...records] });
}

const summaryOf = (certname: string) => ({
  certname,
  receivedAt: Date.now(),
  status: 'unchanged',
  environment: 'production',
  time: new Date().toISOString(),
  puppetVersion: '8.0.0',
  transactionUuid: null,
  noop: false,
});

async function addNode(certname: string): Promise<void> {
  const { nodes, blobs } = stores;
  const facts = PuppetHash.of([
    ['kernel', 'Linux'],
    ['uptime', '2 days'],
  ]);
  const said = { facts, trusted: PuppetHash.of([['certname', certname]]) };
  await nodes.markSeen(certname, 'production', Date.now());
  await nodes.factsStored(certname, await storeFacts(blobs, said, Date.now()));
}

describe('the feed of the inventory', () => {
  it('connects to nothing for records that change nothing of interest', async () => {
    await stores.nodes.markSeen('a.test', 'production', 1);
    const records = await takeRecords();
    await stores.nodes.markSeen('a.test', 'production', 2);
    expect(await deliver([...(await takeRecords())])).toEqual({ batchItemFailures: [] });
    expect(records).toHaveLength(1);
    expect(console.error).not.toHaveBeenCalled();
  });

  it('has records come again while the database is away', async () => {
    await addNode('a.test');
    const records = await takeRecords();
    expect(await deliver(records)).toEqual({ batchItemFailures: [{ itemIdentifier: 's0' }] });
  });
});

describe('answers to manifests', () => {
  it('say that the database is away', async () => {
    const { handler } = await import('../../functions/inventory-answers.ts');
    const call = { method: 'ask', queries: ['nodes {}'], watcher: null } as const;
    expect(await handler(call)).toEqual({ fault: expect.stringContaining('127.0.0.1:1') });
  });
});

describe('queries that the console passes on', () => {
  it('say that the database is away', async () => {
    const { handler } = await import('../../functions/inventory-answers.ts');
    const request = { method: 'GET', path: '/pdb/query/v4/nodes', parameters: [], headers: {}, origin: '', body: '' };
    expect(await handler({ method: 'pass', request })).toEqual({ fault: expect.stringContaining('127.0.0.1:1') });
  });
});

describe.skipIf(url === undefined)('with a server', () => {
  beforeAll(async () => {
    const pool = new Pool({ connectionString: url });
    await pool.query('drop schema public cascade');
    await pool.query('create schema public');
    await pool.end();
    vi.stubEnv(INVENTORY_VARIABLES.url, url);
  });

  async function ask(query: string): Promise<unknown> {
    const { handler } = await import('../../functions/inventory.ts');
    const event = {
      rawPath: '/pdb/query/v4',
      rawQueryString: new URLSearchParams({ query }).toString(),
      headers: {},
      isBase64Encoded: false,
      requestContext: { domainName: 'api.test', http: { method: 'GET' } },
    };
    const { statusCode, body } = await handler(event as APIGatewayProxyEventV2);
    expect(statusCode, body).toBe(200);
    return JSON.parse(body ?? '');
  }

  it('feeds facts without blocked ones, and each report, and answers queries', async () => {
    await addNode('a.test');
    await storeQuietRun(stores, { ...summaryOf('a.test'), quiet: {} });
    expect(await deliver(await takeRecords())).toEqual({ batchItemFailures: [] });
    expect(await ask('inventory[facts.kernel, facts.uptime]{}')).toEqual([
      { 'facts.kernel': 'Linux', 'facts.uptime': null },
    ]);
    expect(await ask('nodes[certname, latest_report_status]{}')).toEqual([
      { certname: 'a.test', latest_report_status: 'unchanged' },
    ]);
  });

  it('applies commands before they are answered', async () => {
    const { handler } = await import('../../functions/inventory.ts');
    const event = {
      rawPath: '/pdb/cmd/v1',
      rawQueryString: 'command=deactivate_node&version=3&certname=a.test&secondsToWaitForCompletion=20',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ certname: 'a.test', producer_timestamp: new Date(Date.now() + 1000).toISOString() }),
      isBase64Encoded: false,
      requestContext: { domainName: 'api.test', http: { method: 'POST' } },
    };
    const answer = await handler(event as unknown as APIGatewayProxyEventV2);
    expect([answer.statusCode, JSON.parse(answer.body ?? '')]).toEqual([
      200,
      { uuid: expect.any(String), processed: true, timed_out: false },
    ]);
    expect(await ask('nodes[certname]{}')).toEqual([]);
  });

  it('answers manifests, and invalidates the nodes that depend on an answer when it changes', async () => {
    const { handler } = await import('../../functions/inventory-answers.ts');
    const query = 'inventory[certname] { facts.kernel = "Linux" }';
    await addNode('watcher.test');
    const call = { method: 'ask', queries: [query], watcher: { certname: 'watcher.test', generation: 1 } } as const;
    const result = await handler(call);
    expect(result).toMatchObject({ values: [{ error: null }] });
    expect(await deliver(await takeRecords())).toEqual({ batchItemFailures: [] });
    const { wanted, reasons } = (await stores.nodes.get('watcher.test')) ?? {};
    expect([wanted, reasons]).toEqual([1, [`the answer changed to the query ${query}`]]);
  });

  it('answers what the console passes on, and takes no command from it', async () => {
    const { handler } = await import('../../functions/inventory-answers.ts');
    const pass = (path: string, method = 'GET', parameters: readonly (readonly [string, string])[] = []) =>
      handler({ method: 'pass', request: { method, path, parameters, headers: {}, origin: 'https://a', body: '' } });
    await addNode('passed.test');
    await deliver(await takeRecords());
    const query = 'inventory[certname] { certname = "passed.test" }';
    expect(await pass('/pdb/query/v4', 'GET', [['query', query]])).toEqual({
      values: [{ status: 200, headers: expect.anything(), body: '[{"certname":"passed.test"}]' }],
    });
    expect(await pass('/pdb/cmd/v1', 'POST')).toMatchObject({ values: [{ status: 302 }] });
  });

  it('passes over all nodes once, and again when a record could not be handled', async () => {
    const { handler } = await import('../../functions/inventory-maintenance.ts');
    await addNode('b.test');
    await takeRecords();
    expect(await handler({}, LONG)).toEqual({ commands: 0, isPassComplete: true, nodesBrought: 1 });
    expect(await ask('inventory[certname]{ certname = "b.test" }')).toEqual([{ certname: 'b.test' }]);
    await addNode('c.test');
    await storeReport(stores, { ...summaryOf('c.test'), status: 'failed' }, gzipSync('no report'), {
      kept: 9,
      days: 9,
    });
    const unreadable = {
      eventName: 'MODIFY',
      dynamodb: { SequenceNumber: 's', NewImage: { collection: { S: 'reports/c.test' }, document: { S: '{' } } },
    };
    await takeRecords();
    expect(await deliver([unreadable as DynamoDBRecord])).toEqual({ batchItemFailures: [] });
    expect(await handler(null, LONG)).toMatchObject({ isPassComplete: true });
    expect(await ask('inventory[certname]{ certname = "c.test" }')).toEqual([{ certname: 'c.test' }]);
    expect(await handler({ pass: true }, { getRemainingTimeInMillis: () => 0 } as Context)).toMatchObject({
      isPassComplete: false,
    });
  });
});
