import { X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { CertificateAuthority } from '../../../../../shared/access/ca/authority.ts';
import { NO_VAULT } from '../../../../../shared/access/ca/authority-record.ts';
import { importAuthority } from '../../../../../shared/access/ca/import-authority.ts';
import { createApp } from '../../../../../shared/http/app.ts';
import type { Peer } from '../../../../../shared/http/endpoint.ts';
import { peerOfCertificate } from '../../../../../shared/http/listener/peer.ts';
import { makeRequest, textExtension } from '../../../../helpers/certificate-request.ts';
import { makeCorporateChain } from '../../../../helpers/corporate-chain.ts';
import { httpServices, type TestServices } from '../../../../helpers/http-services.ts';
import { MemoryDocuments } from '../../../../helpers/memory-stores.ts';

const NODE = 'web01.example.com';
let http: TestServices;
let app: TestServices['app'];
let authority: CertificateAuthority;
let admin: Peer;

beforeAll(async () => {
  http = await httpServices();
  authority = await CertificateAuthority.openExisting(http.documents, http.clock);
  app = createApp({ ...http.services, authority });
  admin = peerOf((await authority.generate('admin.example.com', [], true)).certificate);
});

function peerOf(pem: string): Peer {
  const found = peerOfCertificate(new X509Certificate(pem).raw);
  if (found === null) throw new Error('no peer');
  return found;
}

async function ask(method: string, path: string, body?: string, who: Peer | null = admin) {
  const response = await app.request(`/puppet-ca/v1/${path}`, { method, ...(body ? { body } : {}) }, { peer: who });
  const text = await response.text();
  return { status: response.status, type: response.headers.get('Content-Type'), text };
}

async function submit(certname: string, ...extensions: Parameters<typeof textExtension>[]): Promise<void> {
  const made = await makeRequest(certname, { extensions: extensions.map((one) => textExtension(...one)) });
  await authority.submit(certname, made.request);
}

const PUT_SIGNED = JSON.stringify({ desired_state: 'signed' });
const PUT_REVOKED = JSON.stringify({ desired_state: 'revoked' });

describe('certificate_status', () => {
  const path = `certificate_status/${NODE}`;

  it('says what waits, signs it, tells of it, revokes it, forgets it', async () => {
    await submit(NODE, ['1.3.6.1.4.1.34380.1.1.13', 'web']);
    expect(JSON.parse((await ask('GET', path)).text)).toMatchObject({ name: NODE, state: 'requested' });
    expect(await ask('PUT', path, PUT_SIGNED)).toMatchObject({ status: 204, text: '' });
    const signed = await ask('GET', path);
    const certificate = new X509Certificate((await authority.findCertificate(NODE)) ?? '');
    expect([signed.status, signed.type]).toEqual([200, 'application/json']);
    expect(JSON.parse(signed.text)).toEqual({
      name: NODE,
      state: 'signed',
      dns_alt_names: [`DNS:${NODE}`],
      subject_alt_names: [`DNS:${NODE}`],
      authorization_extensions: {},
      fingerprint: certificate.fingerprint256,
      fingerprints: {
        SHA1: certificate.fingerprint,
        SHA256: certificate.fingerprint256,
        SHA512: certificate.fingerprint512,
        default: certificate.fingerprint256,
      },
      not_after: '2031-11-19T22:12:50UTC',
      not_before: '2026-11-19T22:12:50UTC',
      serial_number: Number.parseInt(certificate.serialNumber, 16),
    });
    expect((await ask('PUT', path, PUT_REVOKED)).status).toBe(204);
    expect(JSON.parse((await ask('GET', path)).text).state).toBe('revoked');
    expect((await ask('DELETE', path)).status).toBe(204);
    expect(await ask('DELETE', path)).toEqual({ status: 404, type: ';charset=UTF-8', text: 'Resource not found.' });
    expect(await ask('GET', path)).toEqual({ status: 404, type: ';charset=UTF-8', text: 'Resource not found.' });
  });

  it('signs for as long as it is told', async () => {
    await submit('short.example.com');
    const body = JSON.stringify({ desired_state: 'signed', cert_ttl: 3600 });
    expect((await ask('PUT', 'certificate_status/short.example.com', body)).status).toBe(204);
    const { validToDate } = new X509Certificate((await authority.findCertificate('short.example.com')) ?? '');
    expect(validToDate.getTime()).toBe(http.clock.time + 3_600_000);
  });

  it.each([
    ['nothing', '', 400, 'Empty request body.'],
    ['no JSON', 'x', 400, 'Request body is not JSON.'],
    ['no state', '{}', 400, 'Missing required parameter "desired_state"'],
    [
      'a bad state',
      '{"desired_state":"x"}',
      400,
      "State x invalid; Must specify desired state of 'signed' or 'revoked' for host no.example.com.",
    ],
    [
      'a bad lifetime',
      '{"desired_state":"signed","cert_ttl":"x"}',
      400,
      'cert_ttl specified for host no.example.com must be an integer, not "x"',
    ],
    ['an unknown name', PUT_SIGNED, 404, 'Invalid certificate subject.'],
  ])('refuses %s', async (_, body, status, text) => {
    expect(await ask('PUT', 'certificate_status/no.example.com', body)).toEqual({
      status,
      type: 'text/plain;charset=utf-8',
      text,
    });
  });

  it.each([
    [
      'admin.example.com',
      PUT_SIGNED,
      'Cannot sign certificate for host admin.example.com without a certificate request',
    ],
    [
      'waits.example.com',
      PUT_REVOKED,
      'Cannot revoke certificate for host waits.example.com without a signed certificate',
    ],
    [
      'asks.example.com',
      PUT_SIGNED,
      "CSR 'asks.example.com' contains an authorization extension, which is disallowed.",
    ],
  ])('of %s with %s is a conflict', async (certname, body, text) => {
    if (certname === 'waits.example.com') await submit(certname);
    if (certname === 'asks.example.com') await submit(certname, ['1.3.6.1.4.1.34380.1.3.1', 'x']);
    expect(await ask('PUT', `certificate_status/${certname}`, body)).toEqual({
      status: 409,
      type: 'text/plain;charset=utf-8',
      text,
    });
  });
});

describe('certificate_statuses', () => {
  it('lists all, or those of a state', async () => {
    await submit('listed.example.com');
    const names = async (query: string) =>
      JSON.parse((await ask('GET', `certificate_statuses/all${query}`)).text).map((one: { name: string }) => one.name);
    expect(await names('')).toEqual(expect.arrayContaining(['listed.example.com', 'admin.example.com']));
    expect(await names('?state=requested')).not.toContain('admin.example.com');
    expect(await names('?state=signed')).not.toContain('listed.example.com');
    expect(await names('?state=revoked')).toEqual([]);
    expect(await ask('GET', 'certificate_statuses/')).toMatchObject({ status: 400, text: 'Missing URL Segment' });
  });
});

describe('sign and clean', () => {
  it('work on many names and say of each what became of it', async () => {
    await submit('one.example.com');
    await submit('two.example.com', ['1.3.6.1.4.1.34380.1.3.1', 'x']);
    const certnames = ['one.example.com', 'two.example.com', 'three.example.com'];
    expect(await ask('POST', 'sign', JSON.stringify({ certnames }))).toEqual({
      status: 200,
      type: 'application/json',
      text: '{"signed":["one.example.com"],"no-csr":["three.example.com"],"signing-errors":["two.example.com"]}',
    });
    await submit('four.example.com');
    expect(JSON.parse((await ask('POST', 'sign/all')).text).signed).toContain('four.example.com');
    expect(await ask('PUT', 'clean', JSON.stringify({ certnames: ['one.example.com'] }))).toEqual({
      status: 200,
      type: 'text/plain',
      text: 'Successfully cleaned all certs.',
    });
    expect((await ask('PUT', 'clean', JSON.stringify({ certnames }))).text).toBe(
      'The following certs do not exist and cannot be revoked: ["one.example.com" "two.example.com" "three.example.com"]',
    );
  });

  it.each([
    ['x', 'Request body is not JSON.'],
    ['{}', "Missing required key: 'certnames'. Please supply the list of certs you want to clean."],
    ['{"certnames":["a"],"async":true}', 'Async mode is not currently supported.'],
  ])('refuse %s', async (body, text) => {
    expect(await ask('PUT', 'clean', body)).toEqual({ status: 400, type: 'text/plain', text });
  });
});

describe('certificate_renewal', () => {
  it('gives a new certificate for the same key, with the same extensions and as long a life', async () => {
    await submit('renews.example.com', ['1.3.6.1.4.1.34380.1.1.13', 'web']);
    const old = new X509Certificate((await authority.sign('renews.example.com', 90 * 86_400_000)) ?? '');
    http.clock.time += 60 * 86_400_000;
    const answer = await ask('POST', 'certificate_renewal', undefined, peerOf(old.toString()));
    expect([answer.status, answer.type]).toEqual([200, 'text/plain']);
    const renewed = new X509Certificate(answer.text);
    expect(renewed.publicKey.equals(old.publicKey)).toBe(true);
    expect(renewed.subject).toBe(old.subject);
    expect(renewed.subjectAltName).toBe(old.subjectAltName);
    expect(renewed.validToDate.getTime() - old.validToDate.getTime()).toBe(60 * 86_400_000);
    expect(peerOf(answer.text).extensions).toEqual(new Map([['pp_role', 'web']]));
    expect(await authority.findCertificate('renews.example.com')).toBe(answer.text);
    // To revoke the node is to revoke both.
    await authority.revoke('renews.example.com');
    for (const one of [old, renewed]) expect(await authority.revocations.isRevoked(one.serialNumber)).toBe(true);
    expect((await ask('POST', 'certificate_renewal', undefined, peerOf(answer.text))).status).toBe(403);
  });

  it('leaves no certificate that is accepted after clean to a node that renews in a loop', async () => {
    const options = { name: 'x', autosign: true, renewalHours: 0 };
    const unbounded = await CertificateAuthority.open(http.documents, http.clock, options);
    const looped = createApp({ ...http.services, authority: unbounded });
    const send = async (method: string, path: string, who: Peer, body?: string) => {
      const init = { method, ...(body === undefined ? {} : { body }) };
      const response = await looped.request(`/puppet-ca/v1/${path}`, init, { peer: who });
      return { status: response.status, text: await response.text() };
    };
    const accepted: string[] = [];
    for (let attempt = 0; attempt < 25; attempt += 1) {
      const certname = `loops${attempt}.example.com`;
      await unbounded.submit(certname, (await makeRequest(certname)).request);
      const held = [peerOf((await unbounded.findCertificate(certname)) ?? '')];
      let isOver = false;
      const renewInLoop = async () => {
        while (!isOver) {
          const { status, text } = await send('POST', 'certificate_renewal', held.at(-1) ?? admin);
          if (status === 200) held.push(peerOf(text));
          await new Promise(setImmediate);
        }
      };
      const loops = [renewInLoop(), renewInLoop()];
      await new Promise((resolve) => setTimeout(resolve, attempt));
      expect((await send('PUT', 'clean', admin, JSON.stringify({ certnames: [certname] }))).status).toBe(200);
      await new Promise((resolve) => setTimeout(resolve, 20));
      isOver = true;
      await Promise.all(loops);
      for (const who of held) {
        const { status } = await send('POST', 'certificate_renewal', who);
        if (status !== 403 || !(await unbounded.revocations.isRevoked(who.serial))) accepted.push(certname);
      }
    }
    expect(accepted).toEqual([]);
  });

  it('grants one renewal a day', async () => {
    await submit('daily.example.com');
    const who = peerOf((await authority.sign('daily.example.com')) ?? '');
    const at = new Date(http.clock.time + 86_400_000).toISOString();
    const renewed = await ask('POST', 'certificate_renewal', undefined, who);
    expect(renewed.status).toBe(200);
    // The answer was lost.
    expect(await ask('POST', 'certificate_renewal', undefined, who)).toEqual(renewed);
    expect(await ask('POST', 'certificate_renewal', undefined, peerOf(renewed.text))).toEqual({
      status: 403,
      type: 'text/plain;charset=utf-8',
      text: `The certificate of daily.example.com may not be renewed before ${at}`,
    });
  });

  it('refuses nobody, and a certificate of another CA', async () => {
    expect((await ask('POST', 'certificate_renewal', undefined, null)).status).toBe(403);
    const stranger = (await httpServices()).authority;
    const foreign = peerOf((await stranger.generate('web09.example.com', [], false)).certificate);
    expect(await ask('POST', 'certificate_renewal', undefined, foreign)).toMatchObject({
      status: 403,
      text: 'Certificate present, but does not match signature',
    });
  });
});

describe('the rest of the CA', () => {
  it('throws requests away', async () => {
    await submit('unwanted.example.com');
    expect((await ask('DELETE', 'certificate_request/unwanted.example.com')).status).toBe(403);
    expect(await authority.refuse('unwanted.example.com')).toBe(true);
    expect(await authority.request('unwanted.example.com')).toBeNull();
  });

  it('says when its certificates and lists end', async () => {
    const { text } = await ask('GET', 'expirations');
    const { 'ca-certs': certificates, crls } = JSON.parse(text);
    expect(Object.keys(certificates)).toEqual(Object.keys(crls));
    expect(certificates['Puppet CA: understudy.example.com']).toBe('2041-11-16T22:12:50UTC');
  });

  it('takes newer lists of the CAs above, and none of others', async () => {
    const { files, listOf, root } = await makeCorporateChain(http.clock.now());
    const documents = new MemoryDocuments();
    await importAuthority(documents, NO_VAULT, files, http.clock.now());
    const imported = await CertificateAuthority.openExisting(documents, http.clock);
    const { certificate } = await imported.generate('admin.example.com', [], true);
    const below = createApp({ ...http.services, authority: imported });
    const path = '/puppet-ca/v1/certificate_revocation_list';
    const put = async (body: string) => {
      const response = await below.request(path, { method: 'PUT', body }, { peer: peerOf(certificate) });
      return [response.status, await response.text()];
    };
    const newer = await listOf(root, 8);
    expect(await put(newer)).toEqual([200, 'Successfully updated CRLs.']);
    expect(await put('x')).toEqual([400, 'there is no revocation list in PEM']);
    const served = await below.request(`${path}/ca`, {}, { peer: null });
    expect(await served.text()).toContain(newer);
  });
});
