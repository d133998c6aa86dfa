import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestLogEntry } from '../../../../shared/http/access-log.ts';
import type { Peer } from '../../../../shared/http/endpoint.ts';
import { createInventoryTlsApp } from '../../../../shared/http/operator/inventory-tls-app.ts';
import { answerInventory, type InventoryServices } from '../../../../shared/http/routes/inventory/inventory-app.ts';
import { createAdministration } from '../../../../shared/inventory/commands/administration.ts';
import { FixedAccess } from '../../../helpers/fixed-access.ts';
import { type InventoryWorld, openInventoryWorld } from '../../../helpers/inventory-world.ts';
import { fillInventory } from '../routes/inventory/inventory-data.ts';

let world: InventoryWorld;
const logged: RequestLogEntry[] = [];
beforeAll(async () => {
  world = await openInventoryWorld();
  await fillInventory(world);
});
afterAll(() => world.remove());

const peer = (certname: string): Peer => ({
  certname,
  serial: '1',
  extensions: new Map(),
  issuer: 'CN=ca',
  certificate: new Uint8Array(),
});
const access = new FixedAccess({
  viewer: [['nodes', 'view_data', '*']],
  editor: [['nodes', 'edit_data', '*']],
  keeper: [
    ['nodes', 'edit_data', '*'],
    ['nodes', 'view_data', '*'],
  ],
});

interface Sent {
  readonly path?: string;
  readonly peer?: Peer | null;
  readonly token?: string;
  readonly body?: string;
  readonly allowed?: readonly string[];
}

async function send(
  { path = NODES, peer = null, token, body, allowed }: Sent,
  services: InventoryServices = world.services,
): Promise<string> {
  const app = createInventoryTlsApp({
    ...world.services,
    answer: (request) => answerInventory(request, services),
    access,
    isRevoked: async ({ certname }) => certname === 'revoked.test',
    allowedCertnames: allowed === undefined ? null : new Set(allowed),
    log: { access: (entry) => logged.push(entry), logError: () => {} },
  });
  const headers = new Headers({ Host: 'inventory.test:8081' });
  if (token !== undefined) headers.set('X-Authentication', token);
  if (body !== undefined) headers.set('Content-Type', 'application/json');
  const request = new Request(
    `https://localhost${path}`,
    body === undefined ? { headers } : { method: 'POST', headers, body },
  );
  const answer = await app.fetch(request, { peer });
  const text = await answer.text();
  return `${answer.status} ${answer.headers.get('Location') ?? text}`;
}

const NODES = `/pdb/query/v4?query=${encodeURIComponent('nodes[certname] { certname = "alpha.test" }')}`;
const FOUND = '200 [{"certname":"alpha.test"}]';
const COMMAND =
  '/pdb/cmd/v1?command=deactivate_node&version=3&certname=new.test&producer-timestamp=2026-11-03T00:00:00.000Z';

describe('the TLS port of the inventory', () => {
  it.each<[string, Sent, string]>([
    ['any certificate of the CA, without a list', { peer: peer('web01.test') }, FOUND],
    ['a certificate on the list', { peer: peer('web01.test'), allowed: ['web01.test'] }, FOUND],
    [
      'a certificate that is not on the list',
      { peer: peer('web02.test'), allowed: ['web01.test'] },
      "403 Permission denied: The client certificate name web02.test doesn't appear in the certificate allowlist. Is your master's (or other PuppetDB client's) certname listed in PuppetDB's certificate-allowlist file?",
    ],
    [
      'a revoked certificate, also when it is on the list',
      { peer: peer('revoked.test'), allowed: ['revoked.test'] },
      '403 Permission denied: The client certificate revoked.test is revoked',
    ],
    [
      'nobody',
      {},
      '401 Permission denied: The request has neither a client certificate of this CA nor a token (X-Authentication)',
    ],
    ['a token that may view data', { token: 'viewer' }, FOUND],
    ['a token in the address', { path: `${NODES}&token=viewer` }, FOUND],
    ['an unknown token', { token: 'nobody', peer: peer('web01.test') }, '401 Permission denied: The token is unknown'],
    [
      'a token that may only edit',
      { token: 'editor' },
      '403 Permission denied: User editor lacks the permission nodes:view_data:*',
    ],
    [
      'a command with a token that may only view',
      { token: 'viewer', path: COMMAND, body: '{}' },
      '403 Permission denied: User viewer lacks the permission nodes:edit_data:*',
    ],
    [
      'a command below the path of commands with a token that may only view',
      { token: 'viewer', path: COMMAND.replace('?', '/x?'), body: '{}' },
      '403 Permission denied: User viewer lacks the permission nodes:edit_data:*',
    ],
    [
      'a redirection to the address that was asked',
      { peer: peer('web01.test'), path: '/pdb/nothing' },
      '302 https://inventory.test:8081/pdb/nothing/dashboard/index.html',
    ],
    [
      'a path that leads upwards',
      { peer: peer('web01.test'), path: '/pdb/query/v4/facts/%2e%2e%2fx' },
      '400 Invalid relative path (.. or .) in: /pdb/query/v4/facts/../x',
    ],
  ])('answers %s', async (_, sent, expected) => {
    expect(await send(sent)).toBe(expected);
  });

  it('takes commands of a token that may edit', async () => {
    const body = JSON.stringify({ certname: 'new.test', producer_timestamp: '2026-11-03T00:00:00.000Z' });
    expect(await send({ token: 'editor', path: COMMAND, body })).toMatch(/^200 \{"uuid":"[-0-9a-f]{36}"\}$/);
  });

  it('shows the status to each certificate, and the log never shows a token', async () => {
    expect(await send({ path: '/status/v1/services/puppetdb-status', peer: peer('a.test'), allowed: [] })).toMatch(
      /^200 /,
    );
    expect(await send({ path: '/status/v1/services/puppetdb-status' })).toMatch(/^401 /);
    expect(logged.length).toBeGreaterThan(5);
    expect(JSON.stringify(logged)).not.toContain('viewer');
  });
});

describe('readers that ask for much and read nothing', () => {
  const STALLED = `/pdb/query/v4?query=${encodeURIComponent('facts[certname, value] { name = "large" }')}`;
  /** Of each of so many nodes; an answer has three megabytes. */
  const [NODES_OF_FACT, FACT] = [30, 'x'.repeat(100_000)];

  beforeAll(async () => {
    for (let node = 0; node < NODES_OF_FACT; node += 1) {
      await world.apply('replace facts', 5, {
        ...{ certname: `large${node}.test`, environment: 'production', values: { large: FACT } },
        ...{ producer_timestamp: '2026-11-05T00:00:00.000Z', producer: null },
      });
    }
  });

  it.each<[string, (reader: number) => string]>([
    ['one certificate', () => 'stalled.test'],
    ['eight certificates', (reader) => `stalled${reader % 8}.test`],
  ])('keep no answer from another client, with %s', async (_, certnameOf) => {
    const app = createInventoryTlsApp({
      ...world.services,
      answer: (request) => answerInventory(request, world.services),
      access,
      isRevoked: async () => false,
      allowedCertnames: null,
      log: { logError: () => {} },
    });
    const ask = async (client: string, path: string) =>
      app.fetch(new Request(`https://localhost${path}`), { peer: peer(client), client });
    // Each of eight certificates sends two, the most that are answered at a time.
    const stalled = Array.from({ length: 16 }, (_, reader) => ask(certnameOf(reader), STALLED));
    await stalled[0];
    const other = await ask('other.test', NODES);
    expect(`${other.status} ${await other.text()}`).toBe(FOUND);
    // When they go on, they get all.
    const counts = stalled.map(async (answer) => JSON.parse(await (await answer).text()).length);
    expect(await Promise.all(counts)).toEqual(stalled.map(() => NODES_OF_FACT));
  });
});

it('answers two queries of a client at a time, and those of others meanwhile', async () => {
  let asked = 0;
  const held: (() => void)[] = [];
  const app = createInventoryTlsApp({
    ...world.services,
    answer: async () => {
      asked += 1;
      async function* rows(): AsyncGenerator<string> {
        yield '[';
        await new Promise<void>((resolve) => held.push(resolve));
        yield ']';
      }
      return { status: 200, headers: {}, body: rows() };
    },
    access,
    isRevoked: async () => false,
    allowedCertnames: null,
    log: { logError: () => {} },
  });
  const ask = async (client: string) =>
    app.fetch(new Request(`https://localhost${NODES}`), { peer: peer(client), client });
  const first = Array.from({ length: 5 }, () => ask('one.test'));
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  await settle();
  expect(asked).toBe(2);
  const other = await ask('other.test');
  expect(asked).toBe(3);
  // A client that leaves before it read a row makes room, too.
  await other.body?.cancel();
  const releasing = setInterval(() => {
    for (const go of held.splice(0)) go();
  }, 1);
  const reading = first.map(async (answer) => (await answer).text());
  expect(await Promise.all(reading)).toEqual(Array.from({ length: 5 }, () => '[]'));
  clearInterval(releasing);
  expect(asked).toBe(6);
});

describe('the administration', () => {
  const services = () => {
    const retention = { nodeMs: null, purgeMs: 0, reportMs: null };
    return { ...world.services, administration: createAdministration({ ...world, retention, now: () => Date.now() }) };
  };
  const command = (body: object, who: Sent = { peer: peer('admin.test'), allowed: ['admin.test'] }) =>
    send({ path: '/pdb/admin/v1/cmd', body: JSON.stringify(body), ...who }, services());
  const DELETE = { command: 'delete', version: 1, payload: { certname: 'alpha.test' } };

  it('is for listed certificates, and for tokens of users who may edit', async () => {
    expect(await command(DELETE, { peer: peer('any.test') })).toMatch(/^403 .*administration API/);
    expect(await command(DELETE, { peer: peer('any.test'), allowed: ['admin.test'] })).toMatch(/^403 /);
    expect(await command(DELETE, { token: 'viewer' })).toMatch(/^403 .*edit_data/);
    const archive = (token: string) => send({ path: '/pdb/admin/v1/archive', token }, services());
    expect(await archive('viewer')).toMatch(/^403 .*edit_data/);
    expect(await archive('editor')).toMatch(/^403 .*view_data/);
    expect(await archive('keeper')).toMatch(/^200 /);
    expect(await send({})).toBe(
      '401 Permission denied: The request has neither a client certificate of this CA nor a token (X-Authentication)',
    );
  });

  it.each([
    [{ command: 'drop', version: 1, payload: [] }, 'The command must be clean or delete'],
    [{ command: 'clean', version: 2, payload: [] }, 'The command must be clean or delete'],
    [{ command: 'clean', version: 1, payload: ['all'] }, 'The payload of clean must be a list of expire_nodes'],
    [{ command: 'clean', version: 1 }, 'The payload of clean must be a list of expire_nodes'],
    [{ command: 'delete', version: 1, payload: {} }, 'The payload of delete must be'],
  ])('refuses %o', async (body, message) => {
    expect(await command(body)).toContain(`400 {"error":"${message}`);
  });

  it('has metrics for every certificate, under the names of PuppetDB', async () => {
    const ask = (path: string) => send({ path, peer: peer('any.test'), allowed: [] }, services());
    const read = (name: string) => ask(`/metrics/v2/read/puppetlabs.puppetdb.population:name=${name}`);
    expect(await ask('/metrics/v2/list')).toContain('"puppetlabs.puppetdb.population":{"name=num-nodes"');
    expect(await read('num-nodes')).toMatch(/"value":\{"Value":\d+\}/);
    expect(await read('nothing')).toContain('"status":404');
    expect(await ask('/metrics/v2/read/java.lang:type=Memory')).toContain('"HeapMemoryUsage"');
    expect(await ask('/metrics/v1/mbeans')).toMatch(/^404/);
  });

  it('summarizes, cleans, deletes a node with all that it has, and keeps the others', async () => {
    const summary = await send(
      { path: '/pdb/admin/v1/summary-stats', peer: peer('admin.test'), allowed: ['admin.test'] },
      services(),
    );
    expect(Object.keys(JSON.parse(summary.slice(4)))).toContain('table_usage');
    expect(
      await command({ command: 'clean', version: 1, payload: [['purge_nodes', { batch_limit: 5 }], 'other'] }),
    ).toBe('200 {"ok":true}');
    const count = async (entity: string) =>
      send({
        path: `/pdb/query/v4?query=${encodeURIComponent(`${entity}[count()] {certname = "alpha.test"}`)}`,
        peer: peer('any.test'),
      });
    const before = await Promise.all(['nodes', 'facts', 'resources', 'reports'].map(count));
    expect(before.every((one) => one !== '200 [{"count":0}]')).toBe(true);
    const nodes = async () =>
      send({ path: `/pdb/query/v4?query=${encodeURIComponent('nodes[certname] {}')}`, peer: peer('any.test') });
    const others = (await nodes()).replace(/\{"certname":"alpha.test"\},?/, '');
    expect(await command(DELETE)).toBe('200 {"deleted":"alpha.test"}');
    expect(await Promise.all(['nodes', 'facts', 'resources', 'reports'].map(count))).toEqual(
      Array.from({ length: 4 }, () => '200 [{"count":0}]'),
    );
    expect((await nodes()).replace(/,\]$/, ']')).toBe(others.replace(/,\]$/, ']'));
  });
});
