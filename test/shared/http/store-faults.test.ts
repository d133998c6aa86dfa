import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openFrontDoor } from '../../../shared/http/front-door.ts';
import { StoreFaults } from '../../../shared/http/store-faults.ts';
import { openEmbeddedStores } from '../../../shared/store/embedded/stores.ts';
import type { ReadServers } from '../../../shared/store/ports/servers.ts';
import { StoreRefused, StoreUnavailable } from '../../../shared/store/ports/store-errors.ts';
import type { Stores } from '../../../shared/store/ports/stores.ts';
import { createPeer, deployFiles, httpServices, type TestServices } from '../../helpers/http-services.ts';
import { TWO_SERVERS } from '../../helpers/two-servers.ts';

const FULL = "data directory 'd': database or disk is full";
const REPORT = JSON.stringify({ status: 'changed', metrics: {}, logs: [], resource_statuses: {} });
let http: TestServices;
let door: Awaited<ReturnType<typeof openFrontDoor>>;
let isFull: boolean;
let warnings: string[];
let readServers: ReadServers;

beforeEach(async () => {
  isFull = false;
  warnings = [];
  readServers = async () => ({ ...TWO_SERVERS, warnings: [] });
  http = await httpServices();
  // Nobody's patience ends in this test.
  http.clock.sleep = () => new Promise(() => {});
  await deployFiles(http, 'production', { 'environments/production/manifests/site.pp': '' });
  const blobs = new Proxy(http.blobs, {
    get(target, name) {
      if (name === 'put' && isFull) return () => Promise.reject(new StoreRefused(FULL));
      const found: unknown = Reflect.get(target, name);
      return typeof found === 'function' ? found.bind(target) : found;
    },
  });
  const directory = mkdtempSync(join(tmpdir(), 'understudy-faults-'));
  const embedded = openEmbeddedStores(directory, { clock: http.clock });
  rmSync(directory, { recursive: true });
  const { documents, environments } = http;
  const stores: Stores = { ...embedded, documents, environments, blobs };
  door = await openFrontDoor(stores, {
    authorityName: 'x',
    autosign: true,
    authority: { keyType: 'ec' },
    log: { logError: (message) => http.errors.push(message) },
    readWarnings: () => warnings,
    readServers: () => readServers(),
  });
});

async function get(path: string) {
  const response = await door.app.request(path, {}, { peer: null });
  return { status: response.status, text: await response.text() };
}

async function report() {
  const path = '/puppet/v3/report/web01.example.com?environment=production';
  const init = { method: 'PUT', body: REPORT, headers: { 'Content-Type': 'application/json' } };
  const peer = { ...createPeer('web01.example.com'), issuer: door.authority.issuerName };
  return door.app.request(path, init, { peer });
}

describe('a store that cannot be written', () => {
  it('answers 503 with Retry-After, and shows the cause in the status until it is mended', async () => {
    expect((await report()).status).toBe(200);
    expect(await get('/status/v1/simple')).toEqual({ status: 200, text: 'running' });
    isFull = true;
    http.clock.time += 5000;
    const refused = await report();
    expect([refused.status, refused.headers.get('Retry-After'), await refused.json()]).toEqual([
      503,
      '120',
      { message: 'Service Unavailable: the store cannot be used', issue_kind: 'RUNTIME_ERROR' },
    ]);
    expect(await get('/status/v1/simple')).toEqual({ status: 503, text: 'error' });
    expect(JSON.parse((await get('/status/v1/services/server')).text)).toMatchObject({
      state: 'error',
      active_alerts: [{ severity: 'critical', message: `store: ${FULL}` }],
    });
    isFull = false;
    expect((await report()).status).toBe(200);
    http.clock.time += 60_000;
    expect(await get('/status/v1/simple')).toEqual({ status: 200, text: 'running' });
  });

  it('still gives what it only reads', async () => {
    isFull = true;
    await report();
    expect((await get('/puppet-ca/v1/certificate/ca')).status).toBe(200);
  });
});

it('shows a deploy that failed as a warning, while all services run', async () => {
  warnings = ['production was not deployed: broken'];
  const { status, text } = await get('/status/v1/services');
  expect(status).toBe(200);
  const { server, ca } = JSON.parse(text);
  expect([server.state, server.active_alerts, ca.active_alerts]).toEqual([
    'running',
    [{ severity: 'warning', message: 'production was not deployed: broken' }],
    [],
  ]);
});

it('shows the servers that share a database without addresses, and what is weak about them', async () => {
  readServers = async () => TWO_SERVERS;
  const { server } = JSON.parse((await get('/status/v1/services?level=debug')).text);
  expect(server.active_alerts).toEqual(TWO_SERVERS.warnings.map((message) => ({ severity: 'warning', message })));
  const { own, servers, database, leaders } = server.status.experimental;
  expect([own, leaders]).toEqual([TWO_SERVERS.own, TWO_SERVERS.leaders]);
  const shown = TWO_SERVERS.servers.map(({ host: _host, process: _process, ...one }) => one);
  expect(servers).toEqual(shown);
  expect(database).toMatchObject({ version: '15.4', lagBytes: 4096, connections: { open: 4, idle: 3, waiting: 1 } });
  expect(JSON.stringify(server)).not.toContain('postgresql://');
});

it('shows its own state while the shared database cannot be looked at', async () => {
  readServers = () => Promise.reject(new StoreUnavailable('the database'));
  const { status, text } = await get('/status/v1/services');
  expect([status, JSON.parse(text).server.active_alerts]).toEqual([200, []]);
});

it('notes no fault that passes by itself', async () => {
  const faults = new StoreFaults(http.clock);
  faults.note(new StoreUnavailable('busy'));
  faults.note(new Error('x'));
  await faults.check();
  faults.note(new StoreRefused(FULL));
  await expect(faults.check()).rejects.toThrow(FULL);
});
