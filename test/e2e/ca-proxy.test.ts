/**
 * Our front door before the CA of a real Puppet Server. It is started only with
 * `UPDATE_FIXTURES=puppetserver`.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REGISTERED_EXTENSIONS } from '../../shared/access/ca/oids.ts';
import { x509 } from '../../shared/access/ca/x509.ts';
import { makeRequest, textExtension } from '../helpers/certificate-request.ts';
import { makeFolderOnDisk } from '../helpers/temporary-folder.ts';
import { EditableControlRepo } from './control-repo.ts';
import { LocalProcess } from './local-process.ts';
import { PuppetAgent } from './puppet-agent.ts';
import { Asking, type ReplayAnswer, type ReplayRequest } from './replay/asking.ts';
import { PuppetServer, startsPuppetServer } from './replay/puppetserver.ts';

const MINUTES = 60_000;
const NODE = 'node.example.com';
const ADMIN = 'admin.example.com';
const PROXY = 'compiler.example.com';
const FACTS = { tier: 'silver' };
const CA = '/puppet-ca/v1';
const folder = makeFolderOnDisk('ca-proxy');
const agent = new PuppetAgent(NODE);
let upstream: PuppetServer;
let local: LocalProcess;
/** Asks us. */
let here: Asking;

beforeAll(async () => {
  if (!startsPuppetServer()) return;
  const code = join(folder, 'upstream-code');
  mkdirSync(join(code, 'environments/production/manifests'), { recursive: true });
  const autosign = `${ADMIN}\n${PROXY}\nauto.example.com\noperator.example.com\n`;
  upstream = await PuppetServer.start(join(folder, 'upstream'), code, { autosign, believesProxies: true });
  const controlRepo = new EditableControlRepo(join(folder, 'control-repo'));
  local = await LocalProcess.start({
    data: join(folder, 'data'),
    controlRepo: controlRepo.directory,
    autosign: false,
    flags: ['--ca-upstream', `https://localhost:${upstream.port}`, ...(await ourCertificate())],
  });
  here = new Asking(local.port);
});

afterAll(async () => {
  await local?.end('SIGTERM');
  await upstream?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/**
 * A certificate of that CA, for the name by which agents call us; and the options that say where it
 * is.
 */
async function ourCertificate(): Promise<readonly string[]> {
  const names = new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: 'localhost' }]);
  const { request, key } = await makeRequest(PROXY, { extensions: [names] });
  const headers = { 'Content-Type': 'text/plain' };
  const submitted = await direct({
    method: 'PUT',
    url: `${CA}/certificate_request/${PROXY}`,
    who: null,
    headers,
    body: request,
  });
  expect([submitted.status, submitted.body]).toEqual([200, expect.anything()]);
  const texts = {
    '--tls-certificate': (await direct(get(`certificate/${PROXY}`, null))).body,
    '--tls-key': key,
    '--tls-ca': (await direct(get('certificate/ca', null))).body,
  };
  return Object.entries(texts).flatMap(([option, text]) => {
    const file = join(folder, `${option.replace('--', '')}.pem`);
    writeFileSync(file, text);
    return [option, file];
  });
}

/** Asks the upstream CA itself, as a proxy that says who asks. */
function direct(request: ReplayRequest): Promise<ReplayAnswer> {
  const { who } = request;
  const identity: Record<string, string> =
    who === null ? { 'X-Client-Verify': 'NONE' } : { 'X-Client-Verify': 'SUCCESS', 'X-Client-DN': `CN=${who}` };
  return upstream.asking.ask({ ...request, who: null, headers: { ...request.headers, ...identity } });
}

function get(path: string, who: string | null, headers: Readonly<Record<string, string>> = {}): ReplayRequest {
  return { method: 'GET', url: `${CA}/${path}`, who, headers };
}

function put(path: string, body: object, who: string | null): ReplayRequest {
  const headers = { 'Content-Type': 'application/json' };
  return { method: 'PUT', url: `${CA}/${path}`, who, headers, body: JSON.stringify(body) };
}

async function stateOf(certname: string): Promise<unknown> {
  const { status, body } = await here.ask(get(`certificate_status/${certname}`, ADMIN));
  return status === 200 ? JSON.parse(body).state : status;
}

function essence({ status, headers, body }: ReplayAnswer) {
  return { status, type: headers['content-type'], puppet: headers['x-puppet-version'] !== undefined, body };
}

describe.skipIf(!startsPuppetServer())("a real Puppet Server's CA behind us", () => {
  it('has the requests of agents, and signs them when an administrator says so', async () => {
    const waiting = await agent.run(local.port, FACTS);
    expect(waiting.output).toContain(`Certificate for ${NODE} has not been signed yet`);
    expect(await stateOf(NODE)).toBe('requested');
    const bySomebody = await here.ask(
      put(`certificate_status/${NODE}`, { desired_state: 'signed' }, 'auto.example.com'),
    );
    expect(bySomebody.status).toBe(403);
    const signed = await here.ask(put(`certificate_status/${NODE}`, { desired_state: 'signed' }, ADMIN));
    expect([signed.status, signed.body]).toEqual([204, '']);
    const { code, output } = await agent.run(local.port, FACTS);
    expect(output).toContain('Notice: motto: common motto');
    expect(code).toBe(2);
  });

  it.each<ReplayRequest>([
    get('certificate/ca', null),
    get(`certificate/${NODE}`, null),
    get('certificate/nosuch', null),
    get('certificate_request/nosuch', null),
    get('certificate_revocation_list/ca', null),
    get('certificate/ca', null, { 'If-Modified-Since': new Date(Date.now() + 86_400_000).toUTCString() }),
    get('certificate_revocation_list/ca', null, {
      'If-Modified-Since': new Date(Date.now() + 86_400_000).toUTCString(),
    }),
    get(`certificate_status/${NODE}`, ADMIN),
    get('certificate_status/nosuch', ADMIN),
    get(`certificate_status/${NODE}`, 'auto.example.com'),
    get(`certificate_status/${NODE}`, null),
    get('certificate_statuses/all', ADMIN),
    get('certificate_statuses/all?state=signed', ADMIN),
    get('certificate_statuses/all', null),
    get('expirations', ADMIN),
    get('expirations', null),
    get('nosuch', ADMIN),
    put('certificate_status/nosuch', { desired_state: 'signed' }, ADMIN),
    put('certificate_status/nosuch', { desired_state: 'bogus' }, ADMIN),
    put('clean', { certnames: ['nosuch'] }, ADMIN),
    put('clean', {}, ADMIN),
    { ...put('sign', { certnames: ['nosuch'] }, ADMIN), method: 'POST' },
    { ...put('sign/all', {}, ADMIN), method: 'POST' },
    { ...put('certificate_renewal', {}, NODE), method: 'POST' },
    { ...put('certificate_renewal', {}, null), method: 'POST' },
    { ...put('certificate_request/bad', {}, null), headers: { 'Content-Type': 'text/plain' }, body: 'no request' },
    { method: 'DELETE', url: `${CA}/certificate_status/nosuch`, who: ADMIN },
    { method: 'DELETE', url: `${CA}/certificate_request/nosuch`, who: ADMIN },
  ])('answers through us as it does itself: $method $url as $who', async (request) => {
    // Our helper for certificates would enrol a node that has one already.
    const asked = request.who === NODE ? { ...request, who: 'auto.example.com' } : request;
    expect(essence(await here.ask(asked))).toEqual(essence(await direct(asked)));
  });

  it('believes nobody who says by himself who he is', async () => {
    const claims = { 'X-Client-Verify': 'SUCCESS', 'X-Client-DN': `CN=${ADMIN}` };
    for (const who of ['auto.example.com', null]) {
      expect((await here.ask(get('certificate_statuses/all', who, claims))).status).toBe(403);
    }
  });

  it('lets in by an extension of the certificate, which we show it', async () => {
    await here.enrol('operator.example.com', [textExtension(`${REGISTERED_EXTENSIONS}.13`, 'ca-operator')]);
    const { status, body } = await here.ask(get('certificate_statuses/all', 'operator.example.com'));
    expect([status, body]).toEqual([200, expect.stringContaining(NODE)]);
  });

  it('revokes: the agent is forbidden everything as soon as we have the new list', async () => {
    const revoked = await here.ask(put(`certificate_status/${NODE}`, { desired_state: 'revoked' }, ADMIN));
    expect(revoked.status).toBe(204);
    expect(await stateOf(NODE)).toBe('revoked');
    const list = await here.ask(get('certificate_revocation_list/ca', null));
    expect(new x509.X509Crl(list.body).entries).toHaveLength(1);
    const ask = () => agent.run(local.port, FACTS, 0, ['--certificate_revocation', 'false']);
    await expect
      .poll(async () => (await ask()).output, { timeout: 3 * MINUTES, interval: 10_000 })
      .toContain('Forbidden request: /puppet/v3/catalog/node.example.com (method :post)');
  });

  it('cleans, and the node gets another certificate', async () => {
    expect((await here.ask({ ...get(`certificate_status/${NODE}`, ADMIN), method: 'DELETE' })).status).toBe(204);
    expect(await stateOf(NODE)).toBe(404);
    rmSync(join(agent.folder, 'ssldir'), { recursive: true });
    await agent.run(local.port, FACTS);
    await here.ask(put(`certificate_status/${NODE}`, { desired_state: 'signed' }, ADMIN));
    const { output } = await agent.run(local.port, FACTS);
    expect(output).toContain(`Downloaded certificate for ${NODE}`);
    expect(output).toContain('Notice: motto: common motto');
  });

  it('may be away: agents are served, the CA is told to come back to', async () => {
    await upstream.stop();
    const { code, output } = await agent.run(local.port, FACTS);
    expect(output).toContain('Notice: motto: common motto');
    expect(code).toBe(2);
    for (const request of [get('certificate/ca', null), put('certificate_request/x', {}, null)]) {
      const { status, headers } = await here.ask(request);
      expect([status, headers['retry-after']]).toEqual([503, '30']);
    }
    const newcomer = await new PuppetAgent('late.example.com').run(local.port, FACTS);
    // This release of the agent waits as it is told to, and stumbles then; later ones come back.
    expect(newcomer.output).toContain('Sleeping for 30 seconds before retrying the request');
  });
});
