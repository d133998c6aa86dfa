import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { CatalogAnswer, FactsText } from '../../../shared/fleet/catalogs/catalog-service.ts';
import { createApp } from '../../../shared/http/app.ts';
import { PuppetHash } from '../../../shared/puppet/types/values/puppet-hash.ts';
import { collectGarbage } from '../../helpers/collect-garbage.ts';
import { createPeer, httpServices, type TestServices } from '../../helpers/http-services.ts';

const WEB = createPeer('web01.example.com', '0a', [['pp_role', 'web']]);
const PATH = '/puppet/v3/catalog/web01.example.com';
const CATALOG = '{"version":1,"name":"web01.example.com","resources":[]}';
const FACTS = { name: 'web01.example.com', values: { os: { family: 'Debian' }, cores: 4, load: 1.5, ü: 'a+b %' } };
const current: CatalogAnswer = { status: 'current', catalog: gzipSync(CATALOG), hash: 'h', codeId: 'c' };
let http: TestServices;

beforeEach(async () => {
  http = await httpServices();
  http.catalogs.answers = () => current;
});

/** The body as an agent sends it: facts encoded once more than the form. */
function form(facts: string, fields: Record<string, string> = {}): string {
  const encoded = encodeURIComponent(facts);
  return new URLSearchParams({
    facts_format: 'application/json',
    facts: encoded,
    environment: 'production',
    ...fields,
  }).toString();
}

async function post(body: string, headers: Record<string, string> = {}, query = '?environment=production') {
  const init = { method: 'POST', body, headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers } };
  return http.app.request(PATH + query, init, { peer: WEB });
}

describe('POST catalog', () => {
  it('checks in with the facts, the environment and what the certificate says', async () => {
    await post(form(JSON.stringify(FACTS)));
    const [checkIn] = http.catalogs.asked;
    expect(checkIn).toMatchObject({ certname: 'web01.example.com', environment: 'production' });
    expect(checkIn?.facts?.get('cores')).toBe(4n);
    expect(checkIn?.facts?.get('load')).toBe(1.5);
    expect(checkIn?.facts?.get('ü')).toBe('a+b %');
    expect(checkIn?.trusted.get('extensions')).toEqual(PuppetHash.of([['pp_role', 'web']]));
  });

  describe('with very many facts', () => {
    const manyFacts = (count: number) => {
      const values = Object.fromEntries(Array.from({ length: count }, (_, at) => [`fact${at}`, at]));
      return JSON.stringify({ name: 'web01.example.com', values });
    };

    /** How often the event loop came around while `work` was done. */
    async function countTurns(work: () => Promise<unknown>): Promise<number> {
      let turns = 0;
      let isDone = false;
      const turn = () => {
        turns += 1;
        if (!isDone) setImmediate(turn);
      };
      setImmediate(turn);
      await work();
      isDone = true;
      return turns;
    }

    it('leaves the event loop to others while it reads them, one request after another', async () => {
      const body = form(manyFacts(40_000));
      const statuses: number[] = [];
      const turns = await countTurns(async () => {
        const answers = await Promise.all([post(body), post(body)]);
        statuses.push(...answers.map(({ status }) => status));
      });
      expect(statuses).toEqual([200, 200]);
      expect(http.catalogs.asked.map(({ facts }) => facts?.size)).toEqual([40_000, 40_000]);
      // Each pauses 20 times.
      expect(turns).toBeGreaterThanOrEqual(40);
    });

    it('refuses more than 100,000 values', async () => {
      const answer = await post(form(manyFacts(99_999)));
      expect(answer.status).toBe(413);
      expect(await answer.json()).toEqual({
        message: 'Payload Too Large: The facts have more than 100000 values',
        issue_kind: 'RUNTIME_ERROR',
      });
      expect((await post(form(manyFacts(99_997)))).status).toBe(200);
    });

    it('names the place of an error in a long text', async () => {
      const answer = await post(form(`${manyFacts(10_000).slice(0, -1)}, oops}`));
      expect(await answer.json()).toMatchObject({
        message:
          'Server Error: Could not intern from json: unexpected token at \'{"name":"web01.example.com","values":{"fact0":0,"fact1":1,"f\'',
      });
    });

    it('refuses a form with more than 1,000 parameters', async () => {
      expect((await post(`${form(JSON.stringify(FACTS))}${'&a'.repeat(997)}`)).status).toBe(200);
      const answer = await post(`${form(JSON.stringify(FACTS))}${'&a'.repeat(998)}`);
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ message: 'Bad Request: The form has more than 1000 parameters' });
    });
  });

  it("calls the certificate's extensions as the operator does", async () => {
    const trustedNames = new Map([['1.3.6.1.4.1.34380.1.2.7', 'rack']]);
    const named = createApp({ ...http.services, settings: { ...http.services.settings, trustedNames } });
    const who = createPeer('web01.example.com', '0a', [['1.3.6.1.4.1.34380.1.2.7', 'r7']]);
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const init = { method: 'POST', body: form(JSON.stringify(FACTS)), headers };
    await named.request(`${PATH}?environment=production`, init, { peer: who });
    expect(http.catalogs.asked[0]?.trusted.get('extensions')).toEqual(PuppetHash.of([['rack', 'r7']]));
  });

  it('checks in with the facts that are kept when those that are sent are null', async () => {
    await post(form('null'));
    expect(http.catalogs.asked.at(-1)?.facts).toBeNull();
  });

  it('looks at the facts of so many at a time; one that is held makes room for others', async () => {
    const held: (() => void)[] = [];
    let answer = () => {};
    const answered = new Promise<CatalogAnswer>((resolve) => {
      answer = () => resolve(current);
    });
    http.catalogs.answers = () =>
      new Promise((resolve) => {
        held.push(() => resolve({ kind: 'held', wait: () => answered }));
      });
    const answers = [1, 2, 3].map(() => post(form(JSON.stringify(FACTS))));
    await expect.poll(() => held.length).toBe(2);
    held[0]?.();
    await expect.poll(() => held.length, { interval: 5 }).toBe(3);
    for (const accept of held) accept();
    answer();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it('keeps neither the body nor parsed facts of a request that is held, and parses its text again', async () => {
    const parsed: WeakRef<PuppetHash>[] = [];
    let finish: (facts: FactsText | null) => void = () => {};
    let held: FactsText | null = null;
    http.catalogs.answers = ({ facts }) => {
      if (facts) parsed.push(new WeakRef(facts));
      const wait = (text: FactsText | null) =>
        new Promise<CatalogAnswer>((resolve) => {
          held = text;
          finish = () => resolve(current);
        });
      return { kind: 'held', wait };
    };
    await collectGarbage();
    const before = process.memoryUsage().arrayBuffers;
    const answer = post(
      form(JSON.stringify({ ...FACTS, values: { ...FACTS.values, padding: 'x'.repeat(8_000_000) } })),
    );
    await expect.poll(() => held).not.toBeNull();
    http.catalogs.asked.length = 0;
    await collectGarbage();
    expect(parsed.map((facts) => facts.deref()?.size)).toEqual([undefined]);
    // A thread of its own frees buffers, some time after the collection.
    const countBytes = async () => {
      await collectGarbage();
      return process.memoryUsage().arrayBuffers - before;
    };
    await expect.poll(countBytes).toBeLessThan(4_000_000);
    expect((await (held as FactsText | null)?.parse())?.get('cores')).toBe(4n);
    finish(null);
    expect((await answer).status).toBe(200);
  });

  it.each([
    ['application/vnd.puppet.rich+json, application/json', '{"__ptype":"Regexp","__pvalue":"a"}'],
    ['application/json, text/pson', '"/a/"'],
    ['text/pson', '"/a/"'],
  ])('sends values to an agent that accepts %s as it reads them', async (accept, value) => {
    const text = (shown: string) => `{"resources":[{"type":"Notify","title":"x","parameters":{"message":${shown}}}]}`;
    const catalog = gzipSync(text('{"__ptype":"Regexp","__pvalue":"a"}'));
    http.catalogs.answers = () => ({ ...current, catalog });
    const response = await post(form(JSON.stringify(FACTS)), { Accept: accept });
    expect(await response.text()).toBe(text(value));
  });

  it('sends the catalog byte for byte, compressed for those who take it', async () => {
    const packed = await post(form(JSON.stringify(FACTS)), {
      Accept: 'application/vnd.puppet.rich+json, application/json, text/pson',
      'Accept-Encoding': 'gzip;q=1.0,deflate;q=0.6,identity;q=0.3',
    });
    expect(packed.status).toBe(200);
    expect(packed.headers.get('Content-Type')).toBe('application/vnd.puppet.rich+json; charset=utf-8');
    expect(packed.headers.get('Content-Encoding')).toBe('gzip');
    expect(gunzipSync(await packed.bytes()).toString()).toBe(CATALOG);
    const plain = await post(form(JSON.stringify(FACTS)), { Accept: 'application/json' });
    expect(plain.headers.get('Content-Type')).toBe('application/json;charset=utf-8');
    expect(plain.headers.get('Content-Encoding')).toBeNull();
    expect(await plain.text()).toBe(CATALOG);
  });

  it.each<[string, CatalogAnswer, number, string]>([
    [
      'a failed compile',
      {
        status: 'failed',
        message: 'Evaluation Error: boom (file: /x.pp, line: 1, column: 2) on node web01.example.com',
      },
      500,
      '{"message":"Server Error: Evaluation Error: boom (file: /x.pp, line: 1, column: 2) on node web01.example.com","issue_kind":"RUNTIME_ERROR"}',
    ],
    [
      'nothing in time',
      { status: 'unavailable', retryAfterSeconds: 47 },
      503,
      '{"message":"Service Unavailable: no catalog could be compiled in time","issue_kind":"RUNTIME_ERROR"}',
    ],
    [
      'no environment at all',
      { status: 'unknown-environment', environment: 'production' },
      404,
      '{"message":"Not Found: Could not find environment \'production\': no code is deployed on this server","issue_kind":"RUNTIME_ERROR"}',
    ],
  ])('answers %s', async (_, answer, status, body) => {
    http.catalogs.answers = () => answer;
    const response = await post(form(JSON.stringify(FACTS)));
    expect([response.status, await response.text()]).toEqual([status, body]);
    expect(response.headers.get('Retry-After')).toBe(status === 503 ? '47' : null);
  });

  it('tells the ones too many to come back, before their body is read, and lets others in when one is answered', async () => {
    const answers: (() => void)[] = [];
    http.catalogs.answers = () => ({
      kind: 'held',
      wait: () => new Promise((resolve) => answers.push(() => resolve(current))),
    });
    const held = [1, 2, 3, 4].map(() => post(form(JSON.stringify(FACTS))));
    await expect.poll(() => answers.length).toBe(4);
    const refused = await post(form(JSON.stringify(FACTS)));
    expect([refused.status, await refused.json()]).toEqual([
      503,
      { message: 'Service Unavailable: too many nodes request catalogs', issue_kind: 'RUNTIME_ERROR' },
    ]);
    const seconds = Number(refused.headers.get('Retry-After'));
    expect(seconds).toBeGreaterThanOrEqual(30);
    expect(seconds).toBeLessThanOrEqual(210);
    for (const answer of answers) answer();
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    http.catalogs.answers = () => current;
    expect((await post(form(JSON.stringify(FACTS)))).status).toBe(200);
  });

  it.each([
    [
      'application/vnd.puppet.rich+json, application/json, text/pson',
      'application/vnd.puppet.rich+json; charset=utf-8',
    ],
    ['application/json', 'application/json;charset=utf-8'],
    ['text/pson', 'text/pson;charset=utf-8'],
  ])('answers in the format that is asked for: %s', async (accept, type) => {
    http.catalogs.answers = () => current;
    const response = await post(form(JSON.stringify(FACTS)), { Accept: accept });
    expect([response.status, response.headers.get('Content-Type')]).toEqual([200, type]);
  });

  it.each([
    [{ static_catalog: 'true', checksum_type: 'sha256.sha384.sha512.sha224.md5' }, 'sha256'],
    [{ static_catalog: 'true', checksum_type: 'gost.sha1.md5' }, 'sha1'],
    [{ static_catalog: 'true', checksum_type: 'md5lite.md5' }, 'md5lite'],
    [{ static_catalog: 'true', checksum_type: 'etag.sha256' }, 'etag'],
    [{ static_catalog: 'true', checksum_type: 'mtime' }, null],
    [{ static_catalog: 'false', checksum_type: 'sha256' }, null],
    [{}, null],
  ])('asks for a static catalog with the first type of checksums in common: %j', async (fields, checksumType) => {
    await post(form(JSON.stringify(FACTS), fields));
    expect(http.catalogs.asked[0]?.checksumType).toBe(checksumType);
  });

  it('passes over etag at the level of Puppet 8, which does not know it', async () => {
    const app = createApp({ ...http.services, settings: { ...http.services.settings, language: 'puppet-8' } });
    const body = form(JSON.stringify(FACTS), { static_catalog: 'true', checksum_type: 'etag.sha384' });
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const peer = createPeer('web01.example.com');
    await app.request(`${PATH}?environment=production`, { method: 'POST', body, headers }, { peer });
    expect(http.catalogs.asked[0]?.checksumType).toBe('sha384');
  });

  it.each([
    ['puppet-8', 'master', ':none'],
    ['openvox-8', 'master', ':none, :etag'],
    ['openvox-9', 'server', ':none, :etag'],
  ] as const)('refuses at %s an agent whose types of checksums nobody knows', async (language, word, end) => {
    const app = createApp({ ...http.services, settings: { ...http.services.settings, language } });
    const body = form(JSON.stringify(FACTS), { static_catalog: 'true', checksum_type: 'gost.crc' });
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const peer = createPeer('web01.example.com');
    const response = await app.request(`${PATH}?environment=production`, { method: 'POST', body, headers }, { peer });
    expect(response.status).toBe(500);
    const known = ':sha256, :sha256lite, :md5, :md5lite, :sha1, :sha1lite, :sha512, :sha384, :sha224, :mtime, :ctime';
    expect(await response.json()).toMatchObject({
      message: `Server Error: Unable to find a common checksum type between agent 'gost.crc' and ${word} '[${known}, ${end}]'.`,
    });
  });

  it('tells an agent that checks its environment of the other one with a catalog that has nothing else', async () => {
    http.catalogs.answers = () => ({ status: 'other-environment', environment: 'staging' });
    const response = await post(form(JSON.stringify(FACTS), { check_environment: 'true' }));
    expect(http.catalogs.asked[0]).toMatchObject({ checkEnvironment: true, environment: 'production' });
    expect([response.status, await response.text()]).toEqual([
      200,
      '{"tags":[],"name":"web01.example.com","version":null,"code_id":null,"catalog_uuid":"8e1cc7e4-816d-8702-a1c0-8544b40e38ea","catalog_format":2,"environment":"staging","resources":[],"edges":[],"classes":[]}',
    ]);
    expect(response.headers.get('Content-Type')).toBe('application/vnd.puppet.rich+json; charset=utf-8');
  });

  it('gives a node that asks for an unknown environment the default one, as Puppet Server does', async () => {
    http.catalogs.answers = ({ environment }) =>
      environment === 'production' ? current : { status: 'unknown-environment', environment };
    const response = await post(form(JSON.stringify(FACTS)), {}, '?environment=doesnotexist');
    expect(response.status).toBe(200);
    expect(http.catalogs.asked.map((checkIn) => checkIn.environment)).toEqual(['doesnotexist', 'production']);
  });

  it.each<[string, string, number, string]>([
    ['no JSON', form('notjson'), 500, "Server Error: Could not intern from json: unexpected token at 'notjson'"],
    ['another format', form('x', { facts_format: 'yaml' }), 500, 'Server Error: Unsupported facts format'],
    [
      'no format',
      'facts=x&environment=production',
      500,
      'Server Error: Facts but no fact format provided for web01.example.com',
    ],
    [
      'another node',
      form('{"name":"base01.example.com","values":{}}'),
      500,
      'Server Error: Catalog for "web01.example.com" was requested with fact definition for the wrong node ("base01.example.com").',
    ],
    [
      'no name',
      form('{"values":{}}'),
      500,
      'Server Error: Catalog for "web01.example.com" was requested with fact definition for the wrong node (null).',
    ],
    ['an array', form('[]'), 400, 'Bad Request: The facts are not a JSON object'],
    [
      'no values',
      form('{"name":"web01.example.com","values":[]}'),
      400,
      "Bad Request: The 'values' of the facts are not a JSON object",
    ],
    [
      'a broken encoding',
      'facts_format=pson&facts=%25zz&environment=production',
      400,
      'Bad Request: The facts are not URL-encoded UTF-8',
    ],
  ])('refuses facts with %s', async (_, body, status, message) => {
    const response = await post(body);
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ message, issue_kind: 'RUNTIME_ERROR' });
    expect(http.catalogs.asked).toEqual([]);
  });

  it('tells a held client that its request is worked on, and the final status stays right', async () => {
    const stillWorking = vi.fn();
    const app = createApp({ ...http.services, settings: { ...http.services.settings, stillWorkingMs: 5 } });
    http.catalogs.answers = async () => {
      await expect.poll(() => stillWorking.mock.calls.length, { interval: 5 }).toBeGreaterThanOrEqual(2);
      return { status: 'failed', message: 'late' };
    };
    const response = await app.request(
      `${PATH}?environment=production`,
      {},
      { peer: WEB, reportProgress: stillWorking },
    );
    expect(response.status).toBe(500);
    const told = stillWorking.mock.calls.length;
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(stillWorking.mock.calls.length).toBe(told);
  });
});

describe('GET catalog', () => {
  it('checks in without facts', async () => {
    const response = await http.app.request(`${PATH}?environment=production`, {}, { peer: WEB });
    expect(await response.text()).toBe(CATALOG);
    expect(http.catalogs.asked[0]?.facts).toBeNull();
  });
});

describe('PUT facts', () => {
  it('checks in without waiting for a catalog', async () => {
    const path = '/puppet/v3/facts/web01.example.com?environment=production';
    await http.environments.replace(
      { name: 'production', revision: 1, codeId: 'c', deployedAt: 0, by: 'test', settled: 1, history: [] },
      null,
    );
    const init = { method: 'PUT', body: JSON.stringify(FACTS), headers: { 'Content-Type': 'application/json' } };
    const response = await http.app.request(path, init, { peer: WEB });
    expect(response.status).toBe(200);
    expect(http.catalogs.asked[0]?.facts?.get('cores')).toBe(4n);
  });
});
