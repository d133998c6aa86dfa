import { readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CertificateAuthority } from '../../shared/access/ca/authority.ts';
import { CONNECTIONS } from '../../shared/config/connections.ts';
import { createApp } from '../../shared/http/app.ts';
import { type EdgeServer, startEdgeServer } from '../../shared/http/listener/edge-server.ts';
import { httpServices, type TestServices } from '../helpers/http-services.ts';
import { hasPuppet } from '../helpers/puppet.ts';
import { makeFolderOnDisk } from '../helpers/temporary-folder.ts';
import { runPuppet } from './puppet-process.ts';

const folder = makeFolderOnDisk('ssl');
const NAME = 'ssl.example.com';
let http: TestServices;
let authority: CertificateAuthority;
let edge: EdgeServer;
let allow = false;

/** `puppet ssl ACTION` of a node with all of its files in one folder. */
async function ssl(action: string, ...more: readonly string[]): Promise<string> {
  const folders = ['confdir', 'vardir', 'ssldir', 'rundir', 'logdir', 'publicdir', 'codedir'];
  const flags = folders.flatMap((name) => [`--${name}`, join(folder, name)]);
  const server = [
    '--server',
    'localhost',
    '--serverport',
    String(edge.port),
    '--certname',
    NAME,
    '--keylength',
    '2048',
  ];
  const args = ['ssl', action, '--color', 'false', ...server, ...flags, ...more];
  return (await runPuppet(args, { HOME: folder })).output;
}

function ask(method: string, path: string): Promise<{ status: number; text: string }> {
  const [cert, key] = ['certs', 'private_keys'].map((kind) =>
    readFileSync(join(folder, 'ssldir', kind, `${NAME}.pem`)),
  );
  const options = {
    host: 'localhost',
    port: edge.port,
    ca: authority.certificatePem,
    cert,
    key,
    method,
    path,
    agent: false,
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(options, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, text }));
    });
    outgoing.on('error', reject).end();
  });
}

describe.skipIf(!hasPuppet())('puppet ssl', () => {
  beforeAll(async () => {
    http = await httpServices();
    http.clock.time = Math.floor(Date.now() / 1000) * 1000;
    const open = (names: boolean) =>
      CertificateAuthority.open(http.documents, http.clock, { name: 'x', autosign: true, allowSubjectAltNames: names });
    const [strict, generous] = [await open(false), await open(true)];
    authority = strict;
    const apps = [strict, generous].map((one) => createApp({ ...http.services, authority: one }));
    const fetch = (...[asked, bindings]: Parameters<TestServices['app']['fetch']>) =>
      (allow ? apps[1] : apps[0])?.fetch(asked, bindings) ?? new Response(null, { status: 500 });
    edge = await startEdgeServer({
      app: { fetch },
      credentials: await strict.serverCredentials('localhost', []),
      trusted: strict.certificatePem,
      host: '127.0.0.1',
      port: 0,
      clock: http.clock,
      connections: CONNECTIONS.frontDoor,
      reportFailure: (error) => http.errors.push(error),
    });
  });
  afterAll(async () => {
    await edge?.close(0);
    rmSync(folder, { recursive: true, force: true });
  });

  it('submit_request with other names is refused, and signed where that is allowed', async () => {
    const refused = await ssl('submit_request', '--dns_alt_names', 'a,b');
    expect(refused).toContain(`Could not submit certificate request for '${NAME}'`);
    expect(refused).toContain('due to a conflict on the server');
    expect(await authority.faultOfRequest(NAME)).toBe(
      `CSR '${NAME}' contains extra subject alternative names (DNS:a, DNS:b), which are disallowed.`,
    );
    await authority.refuse(NAME);
    allow = true;
    const signed = await ssl('submit_request', '--dns_alt_names', 'a,b');
    expect(signed).toContain(`Notice: Downloaded certificate '${NAME}' with fingerprint (SHA256)`);
  });

  it('download_cert, bootstrap, verify and show agree with it', async () => {
    expect(await ssl('download_cert')).toContain(`Notice: Downloaded certificate '${NAME}'`);
    expect(await ssl('bootstrap')).toContain('Notice: Completed SSL initialization');
    const verified = await ssl('verify');
    expect(verified).toContain("Notice: Verified CA certificate 'CN=Puppet Root CA: ");
    expect(verified).toContain("Notice: Verified CA certificate 'CN=Puppet CA: understudy.example.com'");
    expect(verified).toContain(`Notice: Verified client certificate 'CN=${NAME}'`);
    const shown = await ssl('show');
    expect(shown).toContain(`DNS:${NAME}, DNS:a, DNS:b`);
  });

  it('verifies a renewed certificate of the same key', async () => {
    const { status, text } = await ask('POST', '/puppet-ca/v1/certificate_renewal');
    expect(status).toBe(200);
    rmSync(join(folder, 'ssldir', 'certs', `${NAME}.pem`));
    expect(await ssl('download_cert')).toContain(`Notice: Downloaded certificate '${NAME}'`);
    expect(readFileSync(join(folder, 'ssldir', 'certs', `${NAME}.pem`), 'utf8').trim()).toBe(text.trim());
    expect(await ssl('verify')).toContain(`Notice: Verified client certificate 'CN=${NAME}'`);
  });

  it('learns of a revocation from the refreshed list', async () => {
    const list = join(folder, 'ssldir', 'crl.pem');
    const before = statSync(list);
    utimesSync(list, before.atime, new Date(http.clock.time - 3_600_000));
    http.clock.time += 2000;
    await authority.revoke(NAME);
    const output = await ssl('bootstrap', '--crl_refresh_interval', '1', '--waitforcert', '0');
    expect(readFileSync(list, 'utf8')).toBe((await authority.revocationLists()).pem);
    expect(output).toContain(`Error: Certificate 'CN=${NAME}' is revoked`);
    expect((await ask('POST', '/puppet-ca/v1/certificate_renewal')).status).toBe(403);
  });

  it('clean makes room for another one', async () => {
    await authority.clean(NAME);
    expect(await ssl('clean')).toContain('Notice: Removed certificate');
    expect(await ssl('submit_request')).toContain(`Notice: Downloaded certificate '${NAME}'`);
  });
});
