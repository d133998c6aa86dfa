import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AccessService } from '../../../shared/access/accounts/access-service.ts';
import { CertificateAuthority } from '../../../shared/access/ca/authority.ts';
import { type LocalServer, startLocalServer } from '../../../shared/local/local-server.ts';
import { readLocalOptions } from '../../../shared/local/options.ts';
import { openKeyFileVault } from '../../../shared/store/embedded/key-file-vault.ts';
import { type EmbeddedStores, openEmbeddedStores } from '../../../shared/store/embedded/stores.ts';
import { systemSecrets } from '../../../shared/store/system-secrets.ts';
import { PxpAgent, type PxpCredentials } from '../../helpers/pxp-agent.ts';

const folder = mkdtempSync(join(tmpdir(), 'understudy-orchestrator-'));
const [data, controlRepo] = [join(folder, 'data'), join(folder, 'control-repo')];
const NODE = 'web01.example.com';
let stores: EmbeddedStores;
let server: LocalServer;
let credentials: PxpCredentials;
let token: string;

function start(...flags: readonly string[]): Promise<LocalServer> {
  const ports = ['--port', '0', '--pcp-port', '0', '--access-port', 'off', '--console-port', 'off'];
  return startLocalServer(
    readLocalOptions(['--control-repo', controlRepo, '--data', data, ...ports, ...flags], { workers: 1 }),
    {
      hostname: 'localhost',
      uid: process.getuid?.() ?? 0,
      workerModule: new URL('../../helpers/stuck-worker.ts', import.meta.url),
      print: () => {},
      onFailure: (error) => {
        throw error;
      },
      readLoad: () => 0,
    },
  );
}

interface Answer {
  readonly code: number | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

function ask(method: string, path: string, body?: unknown): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { 'X-Authentication': token, 'Content-Type': 'application/json' };
    const address = { host: 'localhost', port: server.orchestratorPort, path: `/orchestrator/v1${path}` };
    const sent = request({ ...address, method, headers, ca: credentials.trusted }, (response) => {
      text(response).then((answer) => resolve({ code: response.statusCode, body: JSON.parse(answer) }), reject);
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

async function waitForJob(name: string): Promise<Readonly<Record<string, unknown>>> {
  for (;;) {
    const { body: job } = await ask('GET', `/jobs/${name}`);
    if (['finished', 'failed', 'stopped'].includes(String(job.state))) return job;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

beforeAll(async () => {
  mkdirSync(join(controlRepo, 'environments/production/manifests'), { recursive: true });
  writeFileSync(join(controlRepo, 'environments/production/manifests/site.pp'), '');
  stores = openEmbeddedStores(data);
  const vault = openKeyFileVault(join(data, 'ca-key-file'), true);
  const authority = await CertificateAuthority.open(stores.documents, stores.clock, {
    name: 'localhost',
    autosign: true,
    keyBits: 2048,
    vault,
  });
  const { certificate, key } = await authority.generate(NODE, [], false);
  credentials = { certificate, key, trusted: authority.certificatePem };
  const access = new AccessService({ ...stores, secrets: systemSecrets });
  const admin = await access.accounts.findByLogin('admin');
  if (admin) token = await access.tokens.create(admin, { lifetimeMs: 3600_000 });
  server = await start('--orchestrator-port', '0');
});

afterAll(async () => {
  await server.stop();
  stores.close();
  rmSync(folder, { recursive: true });
});

describe('the orchestrator of npm start', () => {
  it('runs a command on a connected node, and shows what came of it', async () => {
    const agent = await PxpAgent.open(server.pcpPort ?? 0, credentials);
    agent.results['command run'] = ({ command }) => ({ exitcode: 0, stdout: `ran ${command}\n` });
    expect(await ask('GET', `/inventory/${NODE}`)).toMatchObject({ code: 200, body: { name: NODE, connected: true } });
    const scope = { nodes: [NODE] };
    const made = await ask('POST', '/command/task', { task: 'bolt_shim::command', params: { command: 'id' }, scope });
    const id = `https://localhost:${server.orchestratorPort}/orchestrator/v1/jobs/1`;
    expect(made).toEqual({ code: 202, body: { job: { id, name: '1' } } });
    expect(await waitForJob('1')).toMatchObject({ state: 'finished', node_states: { finished: 1 } });
    const { body } = await ask('GET', '/jobs/1/nodes');
    expect(body.items).toMatchObject([{ name: NODE, result: { stdout: 'ran id\n', stderr: '', exit_code: 0 } }]);
    expect(agent.runs).toBe(1);
    agent.close();
  });

  it('resumes a job when it is started again', async () => {
    const agent = await PxpAgent.open(server.pcpPort ?? 0, credentials);
    const begun = new Promise<string>((resolve) => {
      agent.results['command run'] = () => {
        resolve('begun');
        return {};
      };
    });
    const body = { task: 'bolt_shim::command', params: { command: 'id' }, scope: { nodes: [NODE] } };
    await ask('POST', '/command/task', body);
    await begun;
    agent.close();
    await server.stop();
    server = await start('--orchestrator-port', '0');
    expect((await ask('GET', '/jobs/2')).code).toBe(200);
    const again = await PxpAgent.open(server.pcpPort ?? 0, credentials);
    again.results['status query'] = ({ transaction_id: asked }) => ({
      transaction_id: asked,
      status: 'success',
      exitcode: 0,
      stdout: 'as it was\n',
    });
    expect(await waitForJob('2')).toMatchObject({ state: 'finished' });
    const { body: nodes } = await ask('GET', '/jobs/2/nodes');
    expect(nodes.items).toMatchObject([{ state: 'finished', result: { stdout: 'as it was\n' } }]);
    again.close();
  });

  it('is not there when it is switched off', async () => {
    const isFollowing = async () => (await stores.nodeChanges.read('notify', 1)).pass === null;
    expect(await isFollowing()).toBe(true);
    await server.stop();
    server = await start('--orchestrator-port', 'off');
    expect(server.orchestratorPort).toBeNull();
    // Changes of nodes are not kept for it.
    expect(await isFollowing()).toBe(false);
  });
});
