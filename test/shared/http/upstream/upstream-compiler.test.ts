import { X509Certificate } from 'node:crypto';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ComparisonStore } from '../../../../shared/fleet/comparisons/comparison-store.ts';
import { FreshnessPolicies } from '../../../../shared/fleet/policies/freshness-policies.ts';
import { createApp } from '../../../../shared/http/app.ts';
import { ShadowComparisons } from '../../../../shared/http/upstream/shadow-comparisons.ts';
import { UpstreamCompiler } from '../../../../shared/http/upstream/upstream-compiler.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';
import { createPeer, httpServices, type TestServices } from '../../../helpers/http-services.ts';

const NODE = 'web01.example.com';
const catalogOf = (content: string) => ({
  resources: [{ type: 'File', title: '/etc/x', parameters: { content } }],
  edges: [],
  classes: [],
});

interface Asked {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly subject: string | undefined;
  readonly dn: unknown;
  readonly accept: unknown;
  readonly body: string;
}

/** The Puppet Server: what it was asked, and what it answers next. */
let server: Server;
let asked: Asked[] = [];
type Answer = { readonly status: number; readonly body: string; readonly headers?: Readonly<Record<string, string>> };
let answers: (Answer | 'cut' | 'late')[] = [];
const CATALOG: Answer = { status: 200, body: JSON.stringify(catalogOf('old')) };

let here: TestServices;
let app: TestServices['app'];
let compiler: UpstreamCompiler;
let shadows: ShadowComparisons;
let peer: ReturnType<typeof createPeer>;
let credentials: { certificate: string; key: string; trusted: string };
let certificate: Uint8Array;
let url = '';
const ADMIN = createPeer('admin', 'ad', [['pp_cli_auth', 'true']]);

beforeAll(async () => {
  const { authority } = await httpServices();
  const own = await authority.serverCredentials('localhost', ['127.0.0.1']);
  const tls = { cert: own.certificate, key: own.key, ca: authority.certificatePem, requestCert: true };
  server = createServer(tls, async (incoming, outgoing) => {
    let body = '';
    for await (const piece of incoming) body += String(piece);
    const subject = (incoming.socket as TLSSocket).getPeerX509Certificate()?.subject;
    const { method, headers } = incoming;
    asked.push({ method, url: incoming.url, subject, dn: headers['x-client-dn'], accept: headers.accept, body });
    const answer = answers.shift() ?? CATALOG;
    if (answer === 'late') return;
    if (answer === 'cut') outgoing.destroy();
    else outgoing.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers }).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `https://localhost:${(server.address() as AddressInfo).port}`;
  credentials = { ...(await authority.generate('puppet.example.com', [], false)), trusted: authority.certificatePem };
  certificate = new X509Certificate((await authority.generate(NODE, [], false)).certificate).raw;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

beforeEach(async () => {
  [asked, answers] = [[], []];
  here = await httpServices();
  peer = { ...createPeer(NODE), certificate };
  await serveWith(1);
});

/** A slow machine answers late, too: only the test of a late answer is in a hurry. */
async function serveWith(catalogsAtOnce: number | null, timeoutMs = 60_000): Promise<void> {
  const { documents, clock, services, catalogs } = here;
  const readCredentials = async () => ({ ...credentials, timeoutMs });
  const upstream = catalogsAtOnce === null ? null : { url, readCredentials, catalogsAtOnce };
  compiler = new UpstreamCompiler(documents, clock, upstream);
  shadows = new ShadowComparisons({ documents, clock, catalogs, log: services.log });
  app = createApp({ ...services, compiler, shadows });
}

/** Waits until a changed policy counts. */
async function choose(key: string, whose: 'understudy' | 'upstream' | 'compare'): Promise<void> {
  await new FreshnessPolicies(here.documents).put(key, { compiler: whose });
  here.clock.time += 5000;
}

const FACTS = new URLSearchParams({
  environment: 'production',
  facts_format: 'application/json',
  facts: encodeURIComponent(JSON.stringify({ name: NODE, values: { role: 'web' } })),
}).toString();

async function askForCatalog(headers: Readonly<Record<string, string>> = {}) {
  const type = { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' };
  const request = { method: 'POST', headers: { ...type, ...headers }, body: FACTS };
  const answer = await app.request(`/puppet/v3/catalog/${NODE}?environment=production`, request, { peer });
  return { status: answer.status, text: await answer.text(), headers: answer.headers };
}

const ours = (content: string) => {
  here.catalogs.answers = () => ({
    status: 'current',
    catalog: gzipSync(JSON.stringify(catalogOf(content))),
    hash: 'x',
    codeId: null,
  });
};

describe('the policy `compiler`', () => {
  it('has catalogs of the upstream passed on, as the node asked', async () => {
    await choose(`nodes/${NODE}`, 'upstream');
    answers = [{ status: 200, body: '{"odd":  1}', headers: { 'x-puppet-version': '7.9.5' } }];
    const { status, text, headers } = await askForCatalog();
    expect([status, text, headers.get('x-puppet-version')]).toEqual([200, '{"odd":  1}', '7.9.5']);
    expect(asked).toEqual([
      {
        method: 'POST',
        url: `/puppet/v3/catalog/${NODE}?environment=production`,
        subject: 'CN=puppet.example.com',
        dn: `CN=${NODE}`,
        accept: 'application/json',
        body: FACTS,
      },
    ]);
    expect(here.catalogs.asked).toEqual([]);
  });

  it('is that of the node, else of its environment, else of all; a change counts within five seconds', async () => {
    ours('new');
    await choose('default', 'upstream');
    await choose('environments/production', 'understudy');
    expect((await askForCatalog()).text).toContain('new');
    await choose(`nodes/${NODE}`, 'upstream');
    expect((await askForCatalog()).text).toContain('old');
    await new FreshnessPolicies(here.documents).delete(`nodes/${NODE}`);
    here.clock.time += 4999;
    expect((await askForCatalog()).text).toContain('old');
    here.clock.time += 1;
    expect((await askForCatalog()).text).toContain('new');
  });

  it('has the files of such a catalog come from the upstream, too', async () => {
    await choose('environments/production', 'compare');
    answers = [{ status: 200, body: 'content', headers: { 'content-type': 'application/octet-stream' } }];
    const path = '/puppet/v3/file_content/modules/x/y?environment=production';
    const answer = await app.request(path, { headers: { Accept: '*/*' } }, { peer });
    expect([answer.status, await answer.text()]).toEqual([200, 'content']);
    expect(asked.map((one) => one.url)).toEqual([path]);
  });

  it('answers 503 where there is no upstream', async () => {
    await serveWith(null);
    await choose('default', 'upstream');
    const { status, text, headers } = await askForCatalog();
    expect([status, headers.get('retry-after')]).toEqual([503, '300']);
    expect(text).toContain("the node's policy names an upstream compiler, and this server has none");
  });

  it('is read once a minute where there is no upstream', async () => {
    await serveWith(null);
    const list = vi.spyOn(here.documents, 'list');
    for (const wait of [0, 5000, 54_999, 1]) {
      here.clock.time += wait;
      await askForCatalog();
    }
    expect(list.mock.calls.filter(([collection]) => collection === 'policies')).toHaveLength(2);
  });
});

describe('an upstream in trouble', () => {
  beforeEach(() => choose('default', 'upstream'));

  it.each<[string, Answer, number, string | null]>([
    ['a failed compile', { status: 500, body: '{"message":"oh"}' }, 500, null],
    ['too much load', { status: 503, body: 'busy', headers: { 'retry-after': '77' } }, 503, '77'],
    ['a refusal', { status: 403, body: 'no' }, 403, null],
  ])('has %s passed on unchanged', async (_, answer, status, retry) => {
    answers = [answer];
    const got = await askForCatalog();
    expect([got.status, got.text, got.headers.get('retry-after')]).toEqual([status, answer.body, retry]);
  });

  it('is asked again when a connection breaks, and gives 503 with Retry-After when that is in vain', async () => {
    answers = ['cut'];
    expect((await askForCatalog()).status).toBe(200);
    answers = ['cut', 'cut'];
    const vain = await askForCatalog();
    expect([vain.status, vain.headers.get('retry-after')]).toEqual([503, '30']);
    expect(asked).toHaveLength(4);
  });

  it('gives 503 when it does not answer in time, and is not asked again', async () => {
    await serveWith(1, 300);
    answers = ['late', 'late'];
    expect((await askForCatalog()).status).toBe(503);
    expect(asked.length).toBeLessThanOrEqual(1);
  });

  it('compiles as many catalogs at a time as it may; the others wait', async () => {
    const statuses = await Promise.all(Array.from({ length: 3 }, async () => (await askForCatalog()).status));
    expect(statuses).toEqual([200, 200, 200]);
  });
});

describe('the policy `compare`', () => {
  const kept = async () => {
    await shadows.settle();
    return new ComparisonStore(here.documents).get(NODE);
  };
  beforeEach(() => choose('default', 'compare'));

  it('serves the upstream, compiles here, and keeps what differs', async () => {
    ours('new');
    expect((await askForCatalog()).text).toBe(CATALOG.body);
    expect(await kept()).toEqual({
      certname: NODE,
      environment: 'production',
      at: here.clock.now(),
      outcome: 'different',
      changes: [{ kind: 'changed', resource: 'File[/etc/x]', parameter: 'content', from: 'old', to: 'new' }],
      omitted: 0,
    });
    expect(here.catalogs.asked.map(({ facts }) => facts?.get('role'))).toEqual(['web']);
    ours('old');
    await askForCatalog();
    expect(await kept()).toMatchObject({ outcome: 'equal' });
    const summary = await app.request('/understudy/v1/comparisons', {}, { peer: ADMIN });
    expect(await summary.json()).toMatchObject({ compared: 1, equal: 1, groups: [] });
    const path = `/understudy/v1/nodes/${NODE}/comparison`;
    const one = await app.request(path, {}, { peer: ADMIN });
    expect(await one.json()).toMatchObject({ certname: NODE, outcome: 'equal' });
    const none = await app.request(path.replace('web01', 'web02'), {}, { peer: ADMIN });
    expect(none.status).toBe(404);
  });

  it.each<[string, Answer, () => void, object]>([
    [
      'our failure',
      CATALOG,
      () => {
        here.catalogs.answers = () => ({ status: 'failed', message: 'oh' });
      },
      { outcome: 'failing', message: 'oh' },
    ],
    [
      'a missing environment',
      CATALOG,
      () => {
        here.catalogs.answers = () => ({ status: 'unknown-environment', environment: 'production' });
      },
      { outcome: 'failing', message: "the environment 'production' is not deployed here" },
    ],
    ['no catalog in time', CATALOG, () => {}, { outcome: 'unknown', message: 'no catalog could be compiled in time' }],
    [
      'a failure of the upstream',
      { status: 500, body: 'boom' },
      () => ours('new'),
      { outcome: 'unknown', message: 'the upstream answered 500: boom' },
    ],
  ])('keeps %s', async (_, answer, prepare, outcome) => {
    answers = [answer];
    prepare();
    expect((await askForCatalog()).text).toBe(answer.body);
    expect(await kept()).toMatchObject(outcome);
  });

  it('counts and logs nodes for which there is no room, once a minute', async () => {
    here.catalogs.answers = () => new Promise(() => {});
    const entries: string[] = [];
    const { documents, clock, catalogs, services } = here;
    const log = { ...services.log, logEntry: (entry: string) => entries.push(entry) };
    shadows = new ShadowComparisons({ documents, clock, catalogs, log });
    app = createApp({ ...services, compiler, shadows });
    const checkIn = { certname: NODE, environment: 'production', facts: null, trusted: new PuppetHash() };
    const theirs = { status: 200, bytes: new Uint8Array(1), isRich: false };
    const add = (bytes = theirs.bytes) =>
      shadows.add({ ...checkIn, checkEnvironment: false, checksumType: null }, { ...theirs, bytes });
    expect([add(), add(new Uint8Array(256 * 1024 * 1024))]).toEqual([true, false]);
    expect(Array.from({ length: 99 }, () => add())).not.toContain(false);
    expect([add(), add()]).toEqual([false, false]);
    clock.time += 60_000;
    expect((await askForCatalog()).text).toBe(CATALOG.body);
    expect(entries).toEqual([
      `1 node waits for its comparison, so others were left out until their next run: 1, the last ${NODE}`,
      `100 nodes wait for their comparison, so others were left out until their next run: 3, the last ${NODE}`,
    ]);
    expect(await services.metrics.registry.metrics()).toMatch(/^understudy_comparisons_skipped_total 1$/m);
  });

  it('sums all nodes up once in 30 seconds', async () => {
    const list = vi.spyOn(here.documents, 'list');
    const sum = async () => (await app.request('/understudy/v1/comparisons', {}, { peer: ADMIN })).json();
    expect(await Promise.all([sum(), sum()])).toEqual([expect.objectContaining({ compared: 0 }), await sum()]);
    const count = () => list.mock.calls.filter(([collection]) => collection === 'comparisons').length;
    expect(count()).toBe(1);
    here.clock.time += 30_000;
    await sum();
    expect(count()).toBe(2);
  });

  it('answers with the nodes that are added up when that takes long, and begins no other sum meanwhile', async () => {
    const { documents } = here;
    const node = { environment: 'production', at: 1, outcome: 'equal' } as const;
    for (let index = 0; index < 201; index += 1) {
      await new ComparisonStore(documents).put({ ...node, certname: `n${String(index).padStart(3, '0')}` });
    }
    const gate = Promise.withResolvers<void>();
    const list = documents.list.bind(documents);
    let pages = 0;
    vi.spyOn(documents, 'list').mockImplementation(async (...given) => {
      pages += 1;
      if (given[3] === 'n199') await gate.promise;
      return list(...given);
    });
    const sum = async () => (await app.request('/understudy/v1/comparisons', {}, { peer: ADMIN })).json();
    expect(await sum()).toMatchObject({ compared: 200, isComplete: false });
    here.clock.time += 60_000;
    expect([await sum(), pages]).toMatchObject([{ compared: 200, isComplete: false }, 2]);
    gate.resolve();
    await gate.promise;
    expect([await sum(), pages]).toMatchObject([{ compared: 201, isComplete: true }, 2]);
  });
});
