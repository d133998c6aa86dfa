import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CertificateAuthority } from '../../shared/access/ca/authority.ts';
import { FreshnessPolicies } from '../../shared/fleet/policies/freshness-policies.ts';
import { readPolicyEntry } from '../../shared/fleet/policies/policy-fields.ts';
import { listReports } from '../../shared/fleet/reports/node-reports.ts';
import { runAsAgent } from '../../shared/http/agent-run.ts';
import { type LocalServer, startLocalServer } from '../../shared/local/local-server.ts';
import { readLocalOptions } from '../../shared/local/options.ts';
import { openKeyFileVault } from '../../shared/store/embedded/key-file-vault.ts';
import { type EmbeddedStores, openEmbeddedStores } from '../../shared/store/embedded/stores.ts';
import { hasPuppet } from '../helpers/puppet.ts';
import { PxpAgent, type PxpCredentials } from '../helpers/pxp-agent.ts';
import { PuppetAgent } from './puppet-agent.ts';

const folder = mkdtempSync(join(tmpdir(), 'understudy-notify-'));
const data = join(folder, 'data');
const controlRepo = join(folder, 'control-repo');
const [WEB, WEB2, DB] = ['web01.example.com', 'web02.example.com', 'db01.example.com'] as const;
const REAL = 'web03.example.com';
const agents = new Map<string, PxpAgent>();
/** Counts the runs of each node, by its own and because it was notified. */
const runs = new Map<string, number>();
const identities = new Map<string, PxpCredentials>();
const puppet = hasPuppet() ? new PuppetAgent(REAL) : null;
const changed = [WEB, WEB2, ...(puppet === null ? [] : [REAL])];
let stores: EmbeddedStores;
let server: LocalServer;

function write(path: string, text: string): void {
  const file = join(controlRepo, 'environments/production', path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text);
}

function start(): Promise<LocalServer> {
  const ports = [
    '--port',
    '0',
    '--pcp-port',
    '0',
    '--access-port',
    'off',
    '--orchestrator-port',
    '0',
    '--console-port',
    'off',
  ];
  return startLocalServer(
    readLocalOptions(['--control-repo', controlRepo, '--data', data, '--autosign', ...ports], { workers: 1 }),
    {
      hostname: 'localhost',
      uid: process.getuid?.() ?? 0,
      workerModule: new URL('../../functions/local-worker.ts', import.meta.url),
      print: () => {},
      onFailure: (error) => {
        throw error;
      },
      readLoad: () => 0,
    },
  );
}

/** Runs a node: a real agent where there is one. */
async function run(certname: string): Promise<unknown> {
  runs.set(certname, (runs.get(certname) ?? 0) + 1);
  const result = { transaction_uuid: 'u', environment: 'production', status: 'changed', metrics: {}, exitcode: 0 };
  if (certname === REAL && puppet !== null) {
    const { code, output } = await puppet.run(server.port);
    return [0, 2].includes(code) ? result : { ...result, status: 'failed', exitcode: code, error: output };
  }
  const { certificate, key } = identities.get(certname) ?? { certificate: '', key: '' };
  await runAsAgent(`https://localhost:${server.port}/`, { certname, certificate, key }, {});
  return result;
}

/** How many nodes finished in all jobs. */
async function countFinished(): Promise<number> {
  const jobs = await stores.jobs.list('job', 0, 100);
  return jobs.reduce((sum, { body }) => sum + (body.nodeStates.finished ?? 0), 0);
}

async function connect(certname: string): Promise<void> {
  const credentials = identities.get(certname);
  if (credentials === undefined) throw new Error(`no certificate for ${certname}`);
  const agent = await PxpAgent.open(server.pcpPort ?? 0, credentials);
  agent.results['pxp-module-puppet run'] = () => run(certname);
  agents.set(certname, agent);
}

beforeAll(async () => {
  write('hiera.yaml', 'version: 5\nhierarchy:\n  - { name: role, path: "%{trusted.hostname}.yaml" }\n');
  write('data/web01.yaml', 'motto: first\n');
  for (const name of ['web02', 'web03', 'db01']) write(`data/${name}.yaml`, 'motto: same\n');
  write('manifests/site.pp', "notify { lookup('motto'): }\n");
  stores = openEmbeddedStores(data);
  const vault = openKeyFileVault(join(data, 'ca-key-file'), true);
  const options = { name: 'localhost', autosign: true, keyBits: 2048, vault };
  const authority = await CertificateAuthority.open(stores.documents, stores.clock, options);
  for (const certname of [WEB, WEB2, DB]) {
    identities.set(certname, { ...(await authority.generate(certname, [], false)), trusted: authority.certificatePem });
  }
  server = await start();
  for (const certname of [WEB, WEB2, DB]) {
    await run(certname);
    await connect(certname);
  }
  if (puppet !== null) {
    await run(REAL);
    const ssl = (kind: string) => readFileSync(join(puppet.folder, 'ssldir', kind, `${REAL}.pem`), 'utf8');
    const own = { certificate: ssl('certs'), key: ssl('private_keys') };
    identities.set(REAL, { ...own, trusted: authority.certificatePem });
    await connect(REAL);
  }
  const policy = readPolicyEntry({ notify: 'now' });
  await new FreshnessPolicies(stores.documents).put('environments/production', policy);
});

afterAll(async () => {
  for (const agent of agents.values()) agent.close();
  await server?.stop();
  stores?.close();
  rmSync(folder, { recursive: true, force: true });
});

it('has nodes run whose Hiera data changed, and no other, within seconds', async () => {
  runs.clear();
  for (const name of ['web01', 'web02', 'web03']) write(`data/${name}.yaml`, 'motto: another\n');
  await expect.poll(countFinished).toBe(changed.length);
  expect([...runs].sort()).toEqual(changed.map((name) => [name, 1]));
  if (puppet === null) return;
  const [report] = await listReports(stores, { certname: REAL, limit: 1 });
  expect(report).toMatchObject({ status: 'changed' });
});

it('has a node run when it connects, also after a restart', async () => {
  runs.clear();
  agents.get(DB)?.close();
  write('data/db01.yaml', 'motto: another\n');
  await expect.poll(async () => (await stores.nodes.get(DB))?.compiles).toBe(2);
  for (const agent of agents.values()) agent.close();
  await server.stop();
  server = await start();
  for (const certname of [WEB, DB]) await connect(certname);
  await expect.poll(countFinished).toBe(1 + changed.length);
  expect([...runs]).toEqual([[DB, 1]]);
});
