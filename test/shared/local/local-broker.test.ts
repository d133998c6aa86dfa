import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { createServer, type Server } from 'node:net';
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
import { CHEAP_COST } from '../../helpers/access-world.ts';
import { PxpAgent, PxpClient, type PxpCredentials } from '../../helpers/pxp-agent.ts';

const folder = mkdtempSync(join(tmpdir(), 'understudy-pcp-'));
const data = join(folder, 'data');
const controlRepo = join(folder, 'control-repo');
const AGENT = 'web01.example.com';
const ID = '6c1a52f8-3a8f-4a62-9d55-0e5b0b8f3f11';
let stores: EmbeddedStores;
let authority: CertificateAuthority;
let server: LocalServer;
let lines: string[];

async function start(...flags: readonly string[]): Promise<LocalServer> {
  lines = [];
  return startLocalServer(
    readLocalOptions(['--control-repo', controlRepo, '--data', data, '--port', '0', '--autosign', ...flags], {
      workers: 1,
    }),
    {
      hostname: 'localhost',
      uid: process.getuid?.() ?? 0,
      workerModule: new URL('../../helpers/stuck-worker.ts', import.meta.url),
      print: (printed) => lines.push(...printed.split('\n')),
      onFailure: (error) => {
        throw error;
      },
      readLoad: () => 0,
    },
  );
}

async function issue(certname: string, isAdministrator = false): Promise<PxpCredentials> {
  const { certificate, key } = await authority.generate(certname, [], isAdministrator);
  return { certificate, key, trusted: authority.certificatePem };
}

beforeAll(async () => {
  mkdirSync(join(controlRepo, 'environments/production/manifests'), { recursive: true });
  writeFileSync(join(controlRepo, 'environments/production/manifests/site.pp'), '');
  stores = openEmbeddedStores(data);
  const vault = openKeyFileVault(join(data, 'ca-key-file'), true);
  authority = await CertificateAuthority.open(stores.documents, stores.clock, {
    name: 'localhost',
    autosign: true,
    keyBits: 2048,
    vault,
  });
  writeFileSync(join(folder, 'allowed'), '# who may do everything\nconsole.example.com\n');
  server = await start('--pcp-port', '0', '--access-port', '0', '--access-allow-list', join(folder, 'allowed'));
});

afterAll(async () => {
  await server.stop();
  stores.close();
  rmSync(folder, { recursive: true });
});

describe('the access API of npm start', () => {
  async function ask(method: string, path: string, body: object | null, credentials?: PxpCredentials) {
    const tls = {
      ca: authority.certificatePem,
      ...(credentials && { cert: credentials.certificate, key: credentials.key }),
    };
    const question = request({ host: 'localhost', port: server.accessPort, method, path, agent: false, ...tls });
    question.end(body === null ? undefined : JSON.stringify(body));
    const [answer] = (await once(question, 'response')) as [IncomingMessage];
    return [answer.statusCode, JSON.parse(await text(answer))];
  }

  it('gives tokens to users of the data directory, and deploys with them', async () => {
    const access = new AccessService({ ...stores, secrets: systemSecrets }, { passwordCost: CHEAP_COST });
    const names = { login: 'amari', email: '', displayName: 'Amari', isGroup: false };
    await access.accounts.create({ ...names, roleIds: [4], password: await access.hash('Welc0me!') });
    const [status, { token }] = await ask('POST', '/rbac-api/v1/auth/token', { login: 'amari', password: 'Welc0me!' });
    expect(status).toBe(200);
    const question = request({
      host: 'localhost',
      port: server.port,
      path: '/code-manager/v1/deploys/status',
      headers: { 'X-Authentication': token },
      agent: false,
      ca: authority.certificatePem,
    });
    question.end();
    const [answer] = (await once(question, 'response')) as [IncomingMessage];
    answer.resume();
    expect(answer.statusCode).toBe(200);
  });

  it('prints refused log-ins, without a login that nobody has', async () => {
    await ask('POST', '/rbac-api/v1/auth/token', { login: 'hunter2', password: 'x' });
    expect(lines.join('\n')).toContain('refused the log-in of an unknown user: user-unauthenticated');
    expect(lines.join('\n')).not.toContain('hunter2');
  });

  it('knows the certificates of the allow list', async () => {
    const current = '/rbac-api/v1/users/current';
    const [status, user] = await ask('GET', current, null, await issue('console.example.com'));
    expect([status, user.login]).toEqual([200, 'api_user']);
    expect((await ask('GET', current, null, await issue('web07.example.com')))[0]).toBe(401);
  });
});

describe('the PCP broker of npm start', () => {
  it('is in the agent configuration that is printed', () => {
    expect(server.pcpPort).toBeGreaterThan(0);
    expect(server.greeting).toContain(`wss://localhost:${server.pcpPort}/pcp2/`);
  });

  it('carries requests to an agent, and its answers', async () => {
    const agent = await PxpAgent.connect(server.pcpPort ?? 0, await issue(AGENT));
    const controller = await PxpClient.connect(server.pcpPort ?? 0, await issue('ctl.example.com', true), 'tool');
    const target = `pcp://${AGENT}/agent`;
    const request = { transaction_id: ID, module: 'echo', action: 'echo', params: { argument: 'é✓' } };
    controller.send('rpc_blocking_request', target, request);
    const results = { transaction_id: ID, results: { outcome: 'é✓' } };
    expect(await controller.next()).toEqual(['rpc_blocking_response', results]);
    for (let round = 0; round < 2; round += 1) controller.send('rpc_non_blocking_request', target, request);
    expect(await controller.next()).toEqual(['rpc_provisional_response', { transaction_id: ID }]);
    expect(await controller.next()).toEqual(['rpc_non_blocking_response', results]);
    expect(await controller.next()).toEqual(['rpc_provisional_response', { transaction_id: ID }]);
    controller.send('inventory_request', 'pcp:///server', { query: ['pcp://*/agent'] });
    expect(await controller.next()).toEqual(['inventory_response', { uris: [target] }]);
    agent.send('rpc_blocking_request', 'pcp://ctl.example.com/tool', request);
    controller.send('rpc_blocking_request', 'pcp://nobody/agent', request);
    expect(await controller.next()).toEqual(['error_message', 'Not connected.']);
    controller.close();
    agent.close();
  });

  it('ends the connection of a certificate that is revoked, and takes it no more', async () => {
    const credentials = await issue('web02.example.com');
    const agent = await PxpAgent.connect(server.pcpPort ?? 0, credentials);
    await authority.revoke('web02.example.com');
    expect(await agent.ended).toBe('1012 CRL reloaded');
    await expect(PxpAgent.connect(server.pcpPort ?? 0, credentials)).rejects.toThrow();
  });

  it('is not there when it is switched off, or when the default port is in use', async () => {
    await server.stop();
    server = await start('--pcp-port', 'off');
    expect(server.pcpPort).toBeNull();
    expect(server.greeting).not.toContain('pxp-agent.conf');
    await server.stop();
    // Another program that has the port may end in between.
    for (let other = await occupy(8142); ; other = await occupy(8142)) {
      server = await start();
      await new Promise((resolve) => (other === null ? resolve(null) : other.close(resolve)));
      if (other !== null || server.pcpPort === null) break;
      await server.stop();
    }
    expect(server.pcpPort).toBeNull();
  });
});

/** Listens on a port; null when another program does already. */
function occupy(port: number): Promise<Server | null> {
  return new Promise((resolve) => {
    const other = createServer();
    other.once('error', () => resolve(null));
    other.listen({ host: '127.0.0.1', port }, () => resolve(other));
  });
}
