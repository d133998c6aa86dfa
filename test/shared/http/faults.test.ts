import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CertificateAuthority } from '../../../shared/access/ca/authority.ts';
import { runWorker } from '../../../shared/fleet/compiles/worker-loop.ts';
import { listReports } from '../../../shared/fleet/reports/node-reports.ts';
import { type FrontDoor, openFrontDoor } from '../../../shared/http/front-door.ts';
import { CompileWorld } from '../../helpers/compile-world.ts';
import { FaultyStores } from '../../helpers/faulty-stores.ts';
import { createPeer } from '../../helpers/http-services.ts';

const NODES = 12;
const ROUNDS = 6;
const ENVIRONMENT = 'environment=production';
const LARGE = 'x'.repeat(300_000);
const world = new CompileWorld();
const faulty = new FaultyStores(world.stores, 20261121);
const stopping = new AbortController();
const logged: unknown[] = [];
let door: FrontDoor;
let working: Promise<void>;

beforeAll(async () => {
  world.write({
    'environments/production/modules/profile/files/large.txt': LARGE,
    'environments/production/modules/profile/lib/facter/one.rb': 'one',
  });
  for (let index = 0; index < NODES; index += 1) world.addScript(certname(index), { facts: [['round']] });
  await world.deploy();
  const authorityOptions = { name: 'faults', autosign: true, keyBits: 2048 };
  await CertificateAuthority.open(world.stores.documents, world.stores.clock, authorityOptions);
  door = await openFrontDoor(faulty.stores, {
    authorityName: 'faults',
    autosign: true,
    log: { logError: (_, cause) => logged.push(cause) },
    hold: { holdMs: 400 },
    settings: { reportsKept: 1000 },
  });
  const { stores } = world;
  working = runWorker(
    {
      context: world.context,
      queue: stores.queue,
      documents: stores.documents,
      changes: stores.changes,
      invalidate: stores,
    },
    { onStart: () => {}, onReport: () => {}, onFault: (error) => logged.push(error) },
    stopping.signal,
  );
});

afterAll(async () => {
  stopping.abort();
  await working;
  world.close();
});

function certname(index: number): string {
  return `n${index}.example.com`;
}

/** What a node asks in one round, and whether an answer 200 to it is right. */
interface Ask {
  readonly method: string;
  readonly path: string;
  readonly type?: string;
  readonly body?: string;
  readonly isRight: (text: string) => boolean;
}

function asksOf(index: number, round: number): readonly Ask[] {
  const name = certname(index);
  const facts = JSON.stringify({ name, values: { round } });
  const form = `facts_format=application%2Fjson&facts=${encodeURIComponent(encodeURIComponent(facts))}`;
  const parts = { metrics: {}, logs: [], resource_statuses: {} };
  const report = JSON.stringify({ host: name, status: 'changed', transaction_uuid: `${index}-${round}`, ...parts });
  const backup = `backup ${index} ${round}`;
  const digest = createHash('sha256').update(backup).digest('hex');
  return [
    { method: 'GET', path: `node/${name}?${ENVIRONMENT}`, isRight: (text) => JSON.parse(text).name === name },
    {
      method: 'GET',
      path: `file_metadatas/plugins?recurse=true&${ENVIRONMENT}`,
      isRight: (text) => JSON.parse(text).length === 3,
    },
    { method: 'GET', path: `file_content/modules/profile/large.txt?${ENVIRONMENT}`, isRight: (text) => text === LARGE },
    {
      method: 'PUT',
      path: `facts/${name}?${ENVIRONMENT}`,
      type: 'application/json',
      body: facts,
      isRight: () => true,
    },
    {
      method: 'POST',
      path: `catalog/${name}?${ENVIRONMENT}`,
      type: 'application/x-www-form-urlencoded',
      body: form,
      isRight: (text) => JSON.parse(text).name === name,
    },
    {
      method: 'PUT',
      path: `report/${name}?${ENVIRONMENT}`,
      type: 'application/json',
      body: report,
      isRight: () => true,
    },
    {
      method: 'PUT',
      path: `file_bucket_file/sha256/${digest}?${ENVIRONMENT}`,
      type: 'application/octet-stream',
      body: backup,
      isRight: () => true,
    },
  ];
}

interface Outcome {
  readonly status: number | 'broken off';
  readonly ask: Ask;
}

/**
 * Sends one request. Throws when the answer is wrong: neither right, nor "later", nor broken off
 * where all can see it.
 */
async function send(ask: Ask, index: number): Promise<Outcome> {
  const { method, path, type, body } = ask;
  const headers = { Accept: '*/*', ...(type === undefined ? {} : { 'Content-Type': type }) };
  const init = { method, headers, ...(body === undefined ? {} : { body }) };
  const response = await door.app.request(`/puppet/v3/${path}`, init, {
    peer: { ...createPeer(certname(index)), issuer: door.authority.issuerName },
  });
  const text = await response.text().catch(() => null);
  if (text === null) return { status: 'broken off', ask };
  const isLater = response.status === 503 && Number(response.headers.get('Retry-After')) > 0;
  const isRight = response.status === 200 && ask.isRight(text);
  if (!isLater && !isRight) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 200)}`);
  return { status: response.status, ask };
}

async function sendAll(round: number): Promise<readonly Outcome[]> {
  const nodes = Array.from({ length: NODES }, (_, index) => index);
  const outcomes = await Promise.all(
    nodes.map(async (index) => {
      const all: Outcome[] = [];
      for (const ask of asksOf(index, round)) all.push(await send(ask, index));
      return all;
    }),
  );
  return outcomes.flat();
}

describe('stores that fail', () => {
  const accepted: Ask[] = [];

  it.each([0.05, 0.2, 0.5])(
    'now and then (%d of the calls) lead to right answers or to 503',
    async (rate) => {
      faulty.rate = rate;
      const statuses = new Map<number | string, number>();
      for (let round = 0; round < ROUNDS; round += 1) {
        for (const { status, ask } of await sendAll(rate * 1000 + round)) {
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          if (status === 200 && ask.method === 'PUT') accepted.push(ask);
        }
      }
      expect(faulty.failed).toBeGreaterThan(10);
      expect(statuses.get(503)).toBeGreaterThan(0);
      expect([...statuses.keys()].every((status) => [200, 503, 'broken off'].includes(status))).toBe(true);
    },
    120_000,
  );

  it('altogether lead to 503 for all, and every cause is logged', async () => {
    faulty.rate = 1;
    logged.length = 0;
    const outcomes = await sendAll(9000);
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set([503]));
    expect(logged.length).toBeGreaterThanOrEqual(outcomes.length);
  });

  it('lose nothing that was accepted, and all is served when they are back', async () => {
    faulty.rate = 0;
    const last = 10_000;
    for (let index = 0; index < NODES; index += 1) {
      for (const ask of asksOf(index, last)) {
        // The hold is short: what is compiled meanwhile is there the next time.
        await expect.poll(async () => (await send(ask, index)).status).toBe(200);
      }
    }
    for (const { path, body } of accepted) {
      const [kind, name = ''] = path.split(/[/?]/);
      if (kind === 'file_bucket_file') await expect(backupOf(path)).resolves.toBe(body);
      if (kind === 'report') expect(await hasReport(name, JSON.parse(body ?? '').transaction_uuid)).toBe(true);
    }
    for (let index = 0; index < NODES; index += 1) {
      const record = await world.stores.nodes.get(certname(index));
      expect(record?.built).toBe(record?.wanted);
      const blob = await world.stores.blobs.get(`catalogs/${record?.catalog?.hash}`);
      expect(gunzipSync(blob ?? new Uint8Array()).toString()).toContain(String(last));
    }
  });
});

async function backupOf(path: string): Promise<string> {
  for (let index = 0; index < NODES; index += 1) {
    const response = await door.app.request(
      `/puppet/v3/${path}`,
      {},
      { peer: { ...createPeer(certname(index)), issuer: door.authority.issuerName } },
    );
    if (response.status === 200) return response.text();
  }
  return 'lost';
}

async function hasReport(certname: string, uuid: string): Promise<boolean> {
  const kept = await listReports(world.stores, { certname, limit: 1000 });
  return kept.some(({ transactionUuid }) => transactionUuid === uuid);
}
