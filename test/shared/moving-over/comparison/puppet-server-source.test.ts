import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ClientError } from '../../../../shared/cli/client/client-error.ts';
import type { KnownNode } from '../../../../shared/moving-over/comparison/existing-fleet.ts';
import { PuppetServerSource } from '../../../../shared/moving-over/comparison/puppet-server-source.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';
import { httpServices } from '../../../helpers/http-services.ts';

const folder = mkdtempSync(join(tmpdir(), 'understudy-server-source-'));
const NODE: KnownNode = {
  certname: 'web01.example.com',
  environment: 'staging',
  facts: PuppetHash.of([['role', 'a&b=%20']]),
  trusted: PuppetHash.of([['certname', 'web01.example.com']]),
};
const file = (title: string, more: object = {}) => ({ type: 'File', title, parameters: { mode: '0600' }, ...more });
const CATALOG = {
  resources: [file('/etc/x')],
  edges: [{ source: 'Class[main]', target: 'File[/etc/x]' }],
  classes: [],
};

/** The Puppet Server: what it was asked, and what it answers. */
let server: Server;
let url = '';
let asked: Readonly<Record<string, unknown>>[] = [];
let answer: { readonly status: number; readonly body: string } | 'cut' | 'late';

beforeAll(async () => {
  const { authority } = await httpServices();
  const own = await authority.serverCredentials('localhost', ['localhost']);
  const tls = { cert: own.certificate, key: own.key, ca: authority.certificatePem, requestCert: true };
  server = createServer(tls, async (incoming, outgoing) => {
    let body = '';
    for await (const piece of incoming) body += String(piece);
    const { method, headers } = incoming;
    const subject = (incoming.socket as TLSSocket).getPeerX509Certificate()?.subject;
    asked.push({ method, url: incoming.url, subject, dn: headers['x-client-dn'], type: headers['content-type'], body });
    if (answer === 'cut') outgoing.destroy();
    else if (answer !== 'late') outgoing.writeHead(answer.status).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `https://localhost:${(server.address() as AddressInfo).port}`;
  const { certificate, key } = await authority.generate('compare', [], false);
  for (const [name, text] of Object.entries({ certificate, key, ca: authority.certificatePem })) {
    writeFileSync(join(folder, `${name}.pem`), text);
  }
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  asked = [];
  answer = { status: 200, body: JSON.stringify({ catalog: CATALOG }) };
});

const FILES = ['ca', 'certificate', 'key'].map((name) => join(folder, `${name}.pem`));

function open(api: 'v3' | 'v4', more: { readonly url?: string; readonly certificateFile?: string } = {}) {
  const [caFile = '', certificateFile = '', keyFile = ''] = FILES;
  return new PuppetServerSource({ url, caFile, certificateFile, keyFile, api, timeoutMs: 300, ...more });
}

async function read(api: 'v3' | 'v4' = 'v4'): Promise<unknown> {
  const source = open(api);
  try {
    return await source.readCatalog(NODE).catch((error: unknown) => String(error));
  } finally {
    source.close();
  }
}

describe('a Puppet Server that compiles', () => {
  it('is asked over v4 for a catalog that it does not store', async () => {
    expect(await read()).toEqual(CATALOG);
    const [{ body, ...head } = {}] = asked;
    const type = 'application/json';
    expect(head).toEqual({ method: 'POST', url: '/puppet/v4/catalog', subject: 'CN=compare', dn: 'CN=compare', type });
    expect(JSON.parse(String(body))).toEqual({
      certname: 'web01.example.com',
      persistence: { facts: false, catalog: false },
      environment: 'staging',
      facts: { values: { role: 'a&b=%20' } },
      trusted_facts: { values: { certname: 'web01.example.com' } },
      options: { prefer_requested_environment: true },
    });
  });

  it('is asked over v3 as an agent asks', async () => {
    answer = { status: 200, body: JSON.stringify(CATALOG) };
    expect(await read('v3')).toEqual(CATALOG);
    const form = new URLSearchParams(String(asked[0]?.body));
    expect(asked[0]).toMatchObject({
      method: 'POST',
      url: '/puppet/v3/catalog/web01.example.com?environment=staging',
      type: 'application/x-www-form-urlencoded',
    });
    expect([form.get('environment'), form.get('facts_format')]).toEqual(['staging', 'application/json']);
    expect(JSON.parse(decodeURIComponent(form.get('facts') ?? ''))).toEqual({
      name: 'web01.example.com',
      values: { role: 'a&b=%20' },
    });
  });

  it.each<[string, typeof answer, string]>([
    [
      'a failed compile',
      { status: 500, body: '{"message":"no"}' },
      'NodeUnreadable: the server answered with status 500: no',
    ],
    [
      'an error of v4',
      { status: 400, body: '{"kind":"x","msg":"bad"}' },
      'NodeUnreadable: the server answered with status 400: bad',
    ],
    ['text', { status: 404, body: ' gone\n' }, 'NodeUnreadable: the server answered with status 404: gone'],
    ['no JSON', { status: 200, body: '<p>' }, 'NodeUnreadable: the server answered with no catalog'],
    [
      'a resource without title',
      { status: 200, body: '{"catalog":{"resources":[{"type":"File"}]}}' },
      'NodeUnreadable: the server answered with no catalog',
    ],
    [
      'a refusal',
      { status: 403, body: '{"message":"Forbidden"}' },
      'ClientError: URL forbids our certificate: Forbidden',
    ],
    [
      'a full queue',
      { status: 503, body: '' },
      'ServiceUnreachable: URL cannot be reached: it answered with status 503',
    ],
    ['a cut connection', 'cut', 'ServiceUnreachable: URL cannot be reached: socket hang up'],
    ['silence', 'late', 'ServiceUnreachable: URL cannot be reached: it does not answer'],
  ])('that answers with %s has no catalog', async (_, given, message) => {
    answer = given;
    expect(String(await read()).replace(url, 'URL')).toBe(message);
  });

  it('returns exported resources over v4, which agents do not get', () => {
    const exported = [
      { certname: 'a', type: 'File', title: '/etc/x', tags: [], parameters: {} },
      { certname: 'a', type: 'File', title: '/etc/y', tags: [], parameters: { mode: '0600' } },
    ];
    const comparable = (api: 'v3' | 'v4') => open(api).toComparable({ catalog: CATALOG, exported });
    expect(comparable('v3')).toEqual(CATALOG);
    expect(comparable('v4')).toEqual({ ...CATALOG, resources: [file('/etc/x'), file('/etc/y', { exported: true })] });
  });

  it('is compared without the containment of exported resources', async () => {
    const resources = [file('/etc/x'), file('/etc/y', { exported: true })];
    const edges = [...CATALOG.edges, { source: 'Class[main]', target: 'File[/etc/y]' }];
    answer = { status: 200, body: JSON.stringify({ catalog: { ...CATALOG, resources, edges } }) };
    expect(await read()).toEqual({ ...CATALOG, resources });
  });

  it.each([
    [
      { url: 'http://localhost:8140' },
      "'http://localhost:8140' is not an address of a Puppet Server, such as https://HOST:8140",
    ],
    [
      { url: 'https://localhost/puppet' },
      "'https://localhost/puppet' is not an address of a Puppet Server, such as https://HOST:8140",
    ],
  ])('is not opened with %j', (more, message) => {
    expect(() => open('v4', more)).toThrow(new ClientError(message));
  });

  it('is not opened without a certificate', () => {
    const none = join(folder, 'none.pem');
    expect(() => open('v4', { certificateFile: none })).toThrow(`the file '${none}' cannot be read: ENOENT`);
    const key = join(folder, 'key.pem');
    expect(() => open('v4', { certificateFile: key })).toThrow(`the file '${key}' has no certificate: `);
  });
});
