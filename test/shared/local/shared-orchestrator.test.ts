import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AccessService } from '../../../shared/access/accounts/access-service.ts';
import { CertificateAuthority } from '../../../shared/access/ca/authority.ts';
import type { ConsoleAsset } from '../../../shared/http/console/console-files.ts';
import { type LocalServer, startLocalServer } from '../../../shared/local/local-server.ts';
import { readLocalOptions } from '../../../shared/local/options.ts';
import { openKeyFileVault } from '../../../shared/store/embedded/key-file-vault.ts';
import { openPostgresStores, type PostgresStores } from '../../../shared/store/postgres/stores.ts';
import { systemSecrets } from '../../../shared/store/system-secrets.ts';
import { digestSha256 } from '../../../shared/util/digest.ts';
import { deployFolder } from '../../helpers/deploy-folder.ts';
import { PxpAgent, type PxpCredentials } from '../../helpers/pxp-agent.ts';
import { canSharePostgres, createTestDatabase } from '../../helpers/shared-postgres.ts';

const folder = mkdtempSync(join(tmpdir(), 'understudy-shared-orchestrator-'));
const NODE = 'web01.example.com';
/** A compile worker that waits for its end. */
const IDLE = 'import { parentPort } from "node:worker_threads"; parentPort.once("message", () => process.exit(0));';
const PLAN = `plan demo(TargetSpec $targets) {
  return run_command('id', $targets).map |$result| { $result['stdout'] }
}
`;
let url: string;
let stores: PostgresStores;
let one: LocalServer;
let two: LocalServer;
let credentials: PxpCredentials;
let token: string;

/** A file of the console that only the server of this name has. */
function assetOf(name: string): ConsoleAsset {
  const [bytes, hash] = [Buffer.from(`release(${name})`), digestSha256(`release(${name})`)];
  const type = 'text/javascript; charset=utf-8';
  return { path: `main-${hash.slice(0, 32)}.js`, bytes, type, hash, isImmutable: true };
}

function start(name: string): Promise<LocalServer> {
  const ports = [
    '--port',
    '0',
    '--pcp-port',
    '0',
    '--orchestrator-port',
    '0',
    '--access-port',
    'off',
    '--console-port',
    '0',
  ];
  const keys = ['--key-file', join(folder, 'values-key'), '--ca-key-file', join(folder, 'ca-key')];
  const shared = ['--database', url, '--server-name', 'localhost', '--data', join(folder, name)];
  mkdirSync(join(folder, name));
  return startLocalServer(readLocalOptions([...shared, ...keys, ...ports], { workers: 1 }), {
    hostname: name,
    uid: process.getuid?.() ?? 0,
    planModule: new URL('../../../functions/local-plan-worker.ts', import.meta.url),
    workerModule: new URL(`data:text/javascript,${encodeURIComponent(IDLE)}`),
    print: () => {},
    onFailure: (error) => {
      throw error;
    },
    readLoad: () => 0,
    loadConsole: async () => [assetOf(name), { ...assetOf(name), path: 'index.html', isImmutable: false }],
  });
}

function ask(server: LocalServer, method: string, path: string, body?: unknown) {
  return new Promise<{ readonly code: number | undefined; readonly body: Readonly<Record<string, unknown>> }>(
    (resolve, reject) => {
      const headers = { 'X-Authentication': token, 'Content-Type': 'application/json' };
      const address = { host: 'localhost', port: server.orchestratorPort, path: `/orchestrator/v1${path}` };
      const sent = request({ ...address, method, headers, ca: credentials.trusted }, (response) => {
        text(response).then((answer) => resolve({ code: response.statusCode, body: JSON.parse(answer) }), reject);
      });
      sent.on('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    },
  );
}

/** What the front door of a server answers a client with a certificate. */
function read(server: LocalServer, path: string, port = server.port): Promise<string> {
  const { certificate: cert, key, trusted: ca } = credentials;
  return new Promise((resolve, reject) => {
    const sent = request({ host: 'localhost', port, path, cert, key, ca }, (response) => {
      text(response).then(resolve, reject);
    });
    sent.on('error', reject);
    sent.end();
  });
}

describe.skipIf(!canSharePostgres())('orchestrators of servers that share a database', () => {
  beforeAll(async () => {
    url = await createTestDatabase();
    for (const name of ['values-key', 'ca-key']) writeFileSync(join(folder, name), randomBytes(32).toString('hex'));
    stores = await openPostgresStores(url, { directory: folder, connections: 2, isCommand: true });
    const manifests = join(folder, 'control-repo/environments/production/manifests');
    mkdirSync(manifests, { recursive: true });
    writeFileSync(join(manifests, 'site.pp'), '');
    const plans = join(folder, 'control-repo/environments/production/modules/demo/plans');
    mkdirSync(plans, { recursive: true });
    writeFileSync(join(plans, 'init.pp'), PLAN);
    writeFileSync(join(plans, 'endless.pp'), 'plan demo::endless() {\n  ctrl::sleep(3600)\n}\n');
    await deployFolder(stores, join(folder, 'control-repo'), 'production', 'test');
    const vault = openKeyFileVault(join(folder, 'ca-key'), false);
    const settings = { name: 'localhost', autosign: true, keyType: 'ec', vault } as const;
    const authority = await CertificateAuthority.open(stores.documents, stores.clock, settings);
    const { certificate, key } = await authority.generate(NODE, [], false);
    credentials = { certificate, key, trusted: authority.certificatePem };
    const access = new AccessService({ ...stores, secrets: systemSecrets });
    const admin = await access.accounts.findByLogin('admin');
    if (admin) token = await access.tokens.create(admin, { lifetimeMs: 3600_000 });
    [one, two] = [await start('one'), await start('two')];
  });
  afterAll(async () => {
    await Promise.all([one?.stop(), two?.stop()]);
    await stores?.close();
    rmSync(folder, { recursive: true });
  });

  it('reach an agent at the broker of another one, and all show the job', async () => {
    const agent = await PxpAgent.open(one.pcpPort ?? 0, credentials);
    agent.results['command run'] = ({ command }) => ({ exitcode: 0, stdout: `ran ${command}\n` });
    await expect.poll(() => ask(two, 'GET', `/inventory/${NODE}`)).toMatchObject({ body: { connected: true } });
    const body = { task: 'bolt_shim::command', params: { command: 'id' }, scope: { nodes: [NODE] } };
    const made = await ask(two, 'POST', '/command/task', body);
    expect(made.code).toBe(202);
    await expect.poll(() => ask(one, 'GET', '/jobs/1')).toMatchObject({ body: { state: 'finished' } });
    const { body: nodes } = await ask(one, 'GET', '/jobs/1/nodes');
    expect(nodes.items).toMatchObject([{ name: NODE, result: { stdout: 'ran id\n', exit_code: 0 } }]);
    expect(agent.runs).toBe(1);
    agent.close();
  });

  it('run plans with agents at the broker of another one, and all show the plan', async () => {
    const agent = await PxpAgent.open(one.pcpPort ?? 0, credentials);
    agent.results['command run'] = ({ command }) => ({ exitcode: 0, stdout: `ran ${command}\n` });
    await expect.poll(() => ask(two, 'GET', `/inventory/${NODE}`)).toMatchObject({ body: { connected: true } });
    const made = await ask(two, 'POST', '/command/plan_run', { plan_name: 'demo', params: { targets: NODE } });
    expect(made.code).toBe(202);
    const read = () => ask(one, 'GET', `/plan_jobs/${made.body.name}`);
    await expect.poll(read).toMatchObject({ body: { state: 'success', result: ['ran id\n'] } });
    agent.close();
  });

  it('stop plans of each other, and end those of a server that is gone', async () => {
    const { body: begun } = await ask(one, 'POST', '/command/plan_run', { plan_name: 'demo::endless', params: {} });
    const ofPlan = await stores.jobs.get('plan', Number(begun.name));
    if (ofPlan === null) throw new Error('the plan is not stored');
    const read = (name: unknown) => ask(two, 'GET', `/plan_jobs/${name}`);
    await ask(two, 'POST', '/command/stop_plan', { plan_job: begun.name });
    expect(await read(begun.name)).toMatchObject({
      body: { state: 'failure', result: { kind: 'puppetlabs.orchestrator/plan-stopped' } },
    });
    // A server ran the same plan as another plan job, and ended without a word.
    const left = await stores.jobs.takeNumbers('ledgers', 1);
    const now = Date.now();
    await stores.jobs.create('plan', left, ofPlan.body, { isOpen: true, expiresAt: now + 3600_000 });
    await stores.jobs.claim('plan', left, { owner: 'gone', until: now + 1000 }, now);
    expect(await read(left)).toMatchObject({ body: { state: 'running' } });
    await expect
      .poll(() => read(left))
      .toMatchObject({
        body: { state: 'failure', result: { kind: 'puppetlabs.orchestrator/plan-ended', details: { jobs: [] } } },
      });
  });

  it('show each other an agent that moved', async () => {
    const agent = await PxpAgent.open(two.pcpPort ?? 0, credentials);
    await expect.poll(() => ask(one, 'GET', `/inventory/${NODE}`)).toMatchObject({ body: { connected: true } });
    agent.close();
    await expect.poll(() => ask(one, 'GET', `/inventory/${NODE}`)).toMatchObject({ body: { connected: false } });
  });

  it('have the files of the console that another release names', async () => {
    const servers = [one, two].map(
      (server) => (path: string) => read(server, `/console/${path}`, server.consolePort ?? 0),
    );
    expect(await Promise.all(servers.map((ask) => ask('index.html')))).toEqual(['release(one)', 'release(two)']);
    for (const ask of servers) {
      for (const name of ['one', 'two']) expect(await ask(assetOf(name).path)).toBe(`release(${name})`);
      expect(await ask(assetOf('three').path)).toMatch(/^There is no file/);
    }
  });

  it('show each other, and what each leads', async () => {
    // The servers have a view of each other for 15 seconds: the first may have come too early.
    const readNotified = async () => (await Promise.all([one, two].map((own) => read(own, '/metrics')))).join('\n');
    await expect.poll(readNotified).toContain('understudy_leads{work="notify"} 1');
    const metrics = await Promise.all([read(one, '/metrics'), read(two, '/metrics')]);
    const values = metrics.map(
      (lines) => new Map(lines.split('\n').map((line) => [line.split(' ')[0], line.split(' ')[1]])),
    );
    for (const work of ['feed', 'notify', 'prune', 'stages']) {
      expect(values.map((value) => value.get(`understudy_leads{work="${work}"}`)).sort()).toEqual(['0', '1']);
    }
    for (const value of values) {
      expect(value.get('understudy_servers{state="alive"}')).toBe('2');
      expect(value.get('understudy_database_synchronous')).toBe('0');
      expect(value.has('understudy_database_lag_bytes')).toBe(false);
      expect(Number(value.get('understudy_database_connections{state="open"}'))).toBeGreaterThan(0);
      expect(Math.abs(Number(value.get('understudy_database_clock_offset_seconds')))).toBeLessThan(5);
    }
    const { server } = JSON.parse(await read(two, '/status/v1/services?level=debug'));
    const { own, servers, database } = server.status.experimental;
    expect(servers).toMatchObject([{ isAlive: true }, { isAlive: true }]);
    expect(servers.map(({ name }: { readonly name: string }) => name)).toContain(own);
    expect(database).toMatchObject({ replication: 'none', hasChecksums: true });
    expect(server.active_alerts).toEqual([]);
  });
});
