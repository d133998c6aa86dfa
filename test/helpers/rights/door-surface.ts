import { createHash, createHmac } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createToken } from '../../../shared/access/tokens/deploy-tokens.ts';
import { GitSourceStore } from '../../../shared/fleet/sources/code-source-store.ts';
import { createApp } from '../../../shared/http/app.ts';
import type { Peer } from '../../../shared/http/endpoint.ts';
import { endpointsFor } from '../../../shared/http/endpoints.ts';
import { verifyPeer } from '../../../shared/http/listener/peer.ts';
import { storePackage } from '../../../shared/http/packages/package-store.ts';
import { openAccessWorld } from '../access-world.ts';
import { makeRequest } from '../certificate-request.ts';
import { deployFiles, type TestServices } from '../http-services.ts';
import { JOB, run } from '../job-records.ts';
import { type Identity, type RouteRequest, requestOf, type Surface } from './describe-surface.ts';
import { NODE, requestsOfOperators, seedFleet } from './operator-surface.ts';

const FORWARDER = 'edge.example.com';
const HOUR_MS = 3600_000;
const CONTENT = 'kept';
const SHA256 = createHash('sha256').update(CONTENT).digest('hex');
const MODULE = 'environments/files/modules/demo';
const FILES = {
  [`${MODULE}/files/x`]: CONTENT,
  [`${MODULE}/tasks/hello.sh`]: 'echo hello',
  [`${MODULE}/plans/init.pp`]: 'plan demo() {}',
};
const SECRET = 'hook';
const PUSH = '{"ref": "refs/heads/main"}';

/** What a client shows: a certificate, a token, and the certificate that it says it speaks for. */
export interface Caller {
  readonly peer: Peer | null;
  readonly token?: string;
  readonly assertedPem?: string;
}

export interface DoorSurface extends Surface<Caller> {
  readonly identities: readonly Identity<Caller>[];
}

/** The front door with all of its routes. */
export async function openDoorSurface(): Promise<DoorSurface> {
  const world = openAccessWorld();
  const fleet = await seedFleet({ access: world.access, forwarders: new Set([FORWARDER]) });
  const { http } = fleet;
  http.catalogs.answers = () => ({ status: 'current', catalog: gzipSync('{}'), hash: 'h', codeId: null });
  const codeId = await deployFiles(http, 'files', FILES);
  await http.blobs.put(`jobs/7/files/${SHA256}`, Buffer.from(CONTENT));
  await http.services.jobs.create('job', 7, JOB, { isOpen: true, expiresAt: null });
  await http.services.jobs.commit('job', 7, 1, { body: JOB, nodes: [run(NODE)] }, 'asked');
  await storePackage(http, '8.0.0', 'agent.deb', Buffer.from(CONTENT));
  const secretFile = join(mkdtempSync(join(tmpdir(), 'understudy-rights-')), 'secret');
  writeFileSync(secretFile, SECRET);
  const main = { name: 'main', url: 'https://git.example.com/x', key: null, prefix: null, author: null };
  await new GitSourceStore(http.services).put({ ...main, secretFile });
  const identities = await listCallers(http, world);
  const kept = requestsOfNodes(codeId)['PUT /puppet/v3/file_bucket_file/*'];
  const node = identities.find(([name]) => name === 'node itself')?.[1].peer ?? null;
  if (kept !== undefined) await http.app.fetch(requestOf('PUT', kept), { peer: node });
  await fleet.keep();
  const app = createApp(http.services);
  const routes = endpointsFor('all').flatMap(({ methods, path }) => methods.map((method) => `${method} ${path}`));
  const requests = {
    ...requestsOfNodes(codeId),
    ...requestsOfCode(),
    ...(await requestsOfAuthority(http)),
    ...requestsOfOperators(fleet.codeId),
  };
  const isHere = (name: string) => routes.includes(name.replace(/ \(.*\)$/, ''));
  return {
    identities,
    routes: [...new Set(routes)],
    requests: Object.fromEntries(Object.entries(requests).filter(([name]) => isHere(name))),
    async ask(method, request, { peer, token, assertedPem }) {
      const sent = requestOf(method, request);
      if (token !== undefined) sent.headers.set('X-Authentication', token);
      if (assertedPem !== undefined) sent.headers.set('X-Client-Cert', encodeURIComponent(assertedPem));
      const answer = await app.fetch(sent, { peer });
      await answer.body?.cancel();
      return answer.status;
    },
    renew: () => fleet.renew(),
  };
}

/** Nodes, administrators, forwarding doors and users, with what no longer counts. */
async function listCallers(
  http: TestServices,
  { addUser, tokenOf, access }: ReturnType<typeof openAccessWorld>,
): Promise<readonly Identity<Caller>[]> {
  const { authority, clock } = http;
  const certify = async (certname: string, lifetimeMs?: number): Promise<string> => {
    await http.documents.put('certificate-requests', certname, { pem: (await makeRequest(certname)).request });
    const pem = await authority.sign(certname, lifetimeMs);
    if (pem === null) throw new Error('the certificate is signed');
    return pem;
  };
  const readPeer = (pem: string): Peer => {
    const peer = verifyPeer(pem, authority.certificatePem, clock.now());
    if (peer === null) throw new Error('the certificate is valid');
    return peer;
  };
  const expired = await certify('expired.example.com', 1000);
  const dead = await certify('dead.example.com');
  await authority.revoke('dead.example.com');
  const own = (await authority.findCertificate(NODE)) ?? '';
  const other = await certify('web02.example.com');
  const admin = (await authority.generate('admin.example.com', [], true)).certificate;
  const deadAdmin = (await authority.generate('former.example.com', [], true)).certificate;
  await authority.revoke('former.example.com');
  const edge = readPeer(await certify(FORWARDER));
  const forwarding = (assertedPem: string): Caller => ({ peer: edge, assertedPem });
  clock.time += 2000;
  const users: Identity<Caller>[] = [];
  for (const [index, name] of ['Administrators', 'Operators', 'Viewers', 'Code Deployers', 'no role'].entries()) {
    await addUser(`u${index}`, name === 'no role' ? [] : [index + 1]);
    users.push([`user: ${name}`, { peer: null, token: await tokenOf(`u${index}`) }]);
  }
  const gone = await addUser('gone', [1]);
  const token = await tokenOf('gone');
  await access.revoke(gone);
  await createToken(http, 'deploy', 'pipeline', null);
  await createToken(http, 'late', 'pipeline', -HOUR_MS);
  return [
    ['none', { peer: null }],
    ['node itself', { peer: readPeer(own) }],
    ['other node', { peer: readPeer(other) }],
    ['revoked node', { peer: readPeer(dead) }],
    ['administrator', { peer: readPeer(admin) }],
    ['revoked administrator', { peer: readPeer(deadAdmin) }],
    ['forwarding door', { peer: edge }],
    ['forwarded node itself', forwarding(own)],
    ['forwarded other node', forwarding(other)],
    ['forwarded revoked node', forwarding(dead)],
    ['forwarded expired node', forwarding(expired)],
    ['forwarded administrator', forwarding(admin)],
    ['other node that asserts to be an administrator', { peer: readPeer(other), assertedPem: admin }],
    ['none that asserts to be an administrator', { peer: null, assertedPem: admin }],
    ...users,
    ['user: revoked', { peer: null, token }],
    ['deploy token', { peer: null, token: 'deploy' }],
    ['deploy token of a node', { peer: readPeer(other), token: 'deploy' }],
    ['expired deploy token', { peer: null, token: 'late' }],
  ];
}

async function requestsOfAuthority({ authority }: TestServices): Promise<Record<string, RouteRequest>> {
  const ca = '/puppet-ca/v1';
  const headers = { 'Content-Type': 'text/plain' };
  const { request } = await makeRequest('fresh.example.com');
  const { pem } = await authority.revocationLists();
  return {
    [`GET ${ca}/certificate_revocation_list/:certname`]: { path: `${ca}/certificate_revocation_list/ca` },
    [`GET ${ca}/certificate/:certname`]: { path: `${ca}/certificate/${NODE}` },
    [`GET ${ca}/certificate_request/:certname`]: { path: `${ca}/certificate_request/new.example.com` },
    [`PUT ${ca}/certificate_request/:certname`]: {
      path: `${ca}/certificate_request/fresh.example.com`,
      body: request,
      headers,
    },
    [`POST ${ca}/certificate_renewal`]: { path: `${ca}/certificate_renewal`, body: '', headers },
    [`PUT ${ca}/certificate_revocation_list`]: { path: `${ca}/certificate_revocation_list`, body: pem, headers },
  };
}

function requestsOfNodes(codeId: string): Record<string, RouteRequest> {
  const v3 = '/puppet/v3';
  const [query, file] = ['?environment=files', 'modules/demo/x'];
  const facts = JSON.stringify({ name: NODE, values: { os: 'linux' } });
  const form = new URLSearchParams({ facts_format: 'application/json', facts, environment: 'files' }).toString();
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const report = { status: 'changed', transaction_uuid: 'u-2', metrics: {}, logs: [], resource_statuses: {} };
  const bucket = `${v3}/file_bucket_file/sha256/${SHA256}${query}`;
  const v4 = { certname: NODE, environment: 'files', persistence: { facts: false, catalog: false } };
  const read = (route: string, path: string) => ({ [`GET ${route}`]: { path } });
  return {
    ...read('/metrics/v2/:verb', '/metrics/v2/list'),
    ...read('/metrics/v2/:verb/:name{.+}', '/metrics/v2/list/understudy'),
    ...read('/job-files/:job{\\d{1,15}}/:sha256{[0-9a-f]{64}}', `/job-files/7/${SHA256}`),
    ...Object.fromEntries(
      ['install.bash', 'install.ps1'].map((file) => [
        `GET /packages/:version/${file}`,
        { path: `/packages/current/${file}`, headers: { Host: 'puppet.example.com' } },
      ]),
    ),
    ...read('/packages/:version/:path{.+}', '/packages/8.0.0/agent.deb'),
    ...read('/status/v1/simple/:service', '/status/v1/simple/ca'),
    ...read('/status/v1/services/:service', '/status/v1/services/ca'),
    ...read(`${v3}/node/:certname`, `${v3}/node/${NODE}${query}`),
    ...read(`${v3}/file_metadatas/*`, `${v3}/file_metadatas/modules/demo${query}&recurse=true`),
    ...read(`${v3}/file_metadata/*`, `${v3}/file_metadata/${file}${query}`),
    ...read(`${v3}/file_content/*`, `${v3}/file_content/${file}${query}`),
    ...read(`${v3}/static_file_content/*`, `${v3}/static_file_content/modules/demo/files/x${query}&code_id=${codeId}`),
    ...read(`${v3}/catalog/:certname`, `${v3}/catalog/${NODE}?${form}`),
    [`POST ${v3}/catalog/:certname`]: { path: `${v3}/catalog/${NODE}${query}`, body: form, headers },
    'POST /puppet/v4/catalog': { path: '/puppet/v4/catalog', body: v4 },
    [`PUT ${v3}/report/:certname`]: { path: `${v3}/report/${NODE}${query}`, body: report },
    [`PUT ${v3}/facts/:certname`]: { path: `${v3}/facts/${NODE}${query}`, body: facts },
    ...read(`${v3}/file_bucket_file/*`, bucket),
    [`PUT ${v3}/file_bucket_file/*`]: {
      path: bucket,
      body: CONTENT,
      headers: { 'Content-Type': 'application/octet-stream' },
    },
    ...read(`${v3}/environment_classes/*`, `${v3}/environment_classes${query}`),
    ...read(`${v3}/environment_modules/*`, `${v3}/environment_modules${query}`),
    ...read(`${v3}/environment_transports/*`, `${v3}/environment_transports${query}`),
    ...read(`${v3}/tasks`, `${v3}/tasks${query}`),
    ...read(`${v3}/tasks/:module/:task`, `${v3}/tasks/demo/hello${query}`),
    ...read(`${v3}/plans`, `${v3}/plans${query}`),
    ...read(`${v3}/plans/:module/:plan`, `${v3}/plans/demo/init${query}`),
  };
}

function requestsOfCode(): Record<string, RouteRequest> {
  const signature = createHmac('sha256', SECRET).update(PUSH).digest('hex');
  const hook = '/understudy/v1/code-sources/main/webhook';
  const api = '/puppet-admin-api/v1';
  const commit = { 'repo-id': 'puppet-code', 'submodule-id': 'production' };
  return {
    'POST /file-sync/v1/commit': { path: '/file-sync/v1/commit', body: commit },
    'POST /file-sync/v1/commit (all)': { path: '/file-sync/v1/commit', body: { 'commit-all': true } },
    'POST /file-sync/v1/publish': { path: '/file-sync/v1/publish', body: {} },
    'POST /file-sync/v1/force-sync': { path: '/file-sync/v1/force-sync', body: {} },
    'PUT /understudy/v1/code/:environment': { path: '/understudy/v1/code/production', body: 'archive' },
    'POST /understudy/v1/code-sources/:name/webhook': {
      path: hook,
      body: PUSH,
      headers: { 'X-Hub-Signature-256': `sha256=${signature}` },
    },
    'POST /understudy/v1/code-sources/:name/webhook (without a signature)': { path: hook, body: PUSH },
    'POST /code-manager/v1/webhook': { path: '/code-manager/v1/webhook?type=github', body: PUSH },
    ...Object.fromEntries(
      ['GET', 'POST', 'PUT', 'DELETE'].map((method) => [`${method} ${api}/*`, { path: `${api}/other` }]),
    ),
    [`DELETE ${api}/environment-cache`]: { path: `${api}/environment-cache` },
    [`DELETE ${api}/jruby-pool`]: { path: `${api}/jruby-pool` },
  };
}
