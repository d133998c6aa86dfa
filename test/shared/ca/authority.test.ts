import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CertificateAuthority } from '../../../shared/ca/authority.ts';
import { trustedExtensions, trustedFacts } from '../../../shared/ca/trusted-facts.ts';
import { x509 } from '../../../shared/ca/x509.ts';
import { ManualClock, MemoryDocuments } from '../../helpers/memory-stores.ts';

const OPTIONS = { name: 'understudy.example.com', autosign: true, keyBits: 2048 };
const folder = mkdtempSync(join(tmpdir(), 'understudy-ca-'));
const clock = new ManualClock(Math.floor(Date.now() / 1000) * 1000);
const documents = new MemoryDocuments();
let authority: CertificateAuthority;

beforeAll(async () => {
  authority = await CertificateAuthority.open(documents, clock, OPTIONS);
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function openssl(...args: string[]): string {
  return execFileSync('openssl', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

interface RequestOptions {
  readonly subject?: string;
  readonly extensions?: readonly string[];
  readonly signedBy?: x509.Pkcs10CertificateRequest;
}

/** A request as openssl makes it. */
function makeRequest(certname: string, { subject = `/CN=${certname}`, extensions = [] }: RequestOptions = {}): string {
  const config = file('request.cnf', '[req]\ndistinguished_name=dn\n[dn]\n');
  const added = extensions.flatMap((extension) => ['-addext', extension]);
  const key = join(folder, 'request.key');
  const common = ['-new', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-config', config];
  return openssl('req', ...common, '-subj', subject, ...added);
}

describe('CertificateAuthority', () => {
  it('signs a request so that OpenSSL accepts the certificate with the revocation list', async () => {
    await authority.submit('web01.example.com', makeRequest('web01.example.com'));
    const certificate = (await authority.certificate('web01.example.com')) ?? '';
    const crl = (await authority.revocations.current()).pem;
    const trust = file('trust.pem', authority.certificatePem);
    const list = file('list.pem', crl);
    const leaf = file('web01.pem', certificate);
    expect(openssl('verify', '-crl_check_all', '-x509_strict', '-CAfile', trust, '-CRLfile', list, leaf)).toBe(
      `${leaf}: OK\n`,
    );
    const text = openssl('x509', '-in', leaf, '-noout', '-subject', '-issuer', '-serial');
    expect(text).toBe('subject=CN = web01.example.com\nissuer=CN = Puppet CA: understudy.example.com\nserial=02\n');
    expect(await authority.request('web01.example.com')).toBeNull();
  });

  it('gives a server the names that agents reach it by', async () => {
    const first = await authority.serverCredentials('puppet', ['localhost', '127.0.0.1']);
    const names = openssl('x509', '-in', file('server.pem', first.certificate), '-noout', '-ext', 'subjectAltName');
    expect(names).toContain('DNS:puppet, DNS:localhost, IP Address:127.0.0.1');
    expect(await authority.serverCredentials('puppet', ['localhost', '127.0.0.1'])).toEqual(first);
    expect(await authority.serverCredentials('puppet', ['localhost'])).not.toEqual(first);
  });

  it('keeps its key, its certificates and its revocations when it is opened again', async () => {
    const again = await CertificateAuthority.open(documents, clock, { ...OPTIONS, name: 'another' });
    expect(again.certificatePem).toBe(authority.certificatePem);
    expect(await again.certificate('web01.example.com')).toBe(await authority.certificate('web01.example.com'));
  });

  it('holds requests until they are signed when it does not sign by itself', async () => {
    const manual = await CertificateAuthority.open(documents, clock, { ...OPTIONS, autosign: false });
    await manual.submit('db01.example.com', makeRequest('db01.example.com'));
    expect(await manual.certificate('db01.example.com')).toBeNull();
    expect(await manual.waiting(10)).toEqual(['db01.example.com']);
    await expect(manual.submit('db01.example.com', makeRequest('db01.example.com'))).rejects.toThrow(
      'db01.example.com already has a requested certificate; ignoring certificate request',
    );
    expect(await manual.sign('db01.example.com')).toContain('BEGIN CERTIFICATE');
    expect(await manual.sign('db01.example.com')).toBeNull();
    await expect(manual.submit('db01.example.com', makeRequest('db01.example.com'))).rejects.toThrow(
      'db01.example.com already has a signed certificate; ignoring certificate request',
    );
  });

  it('revokes: OpenSSL refuses the certificate, the number grows, the node may ask again', async () => {
    await authority.submit('old.example.com', makeRequest('old.example.com'));
    const leaf = file('old.pem', (await authority.certificate('old.example.com')) ?? '');
    const serial = openssl('x509', '-in', leaf, '-noout', '-serial').trim().slice('serial='.length);
    expect(await authority.revocations.isRevoked(serial)).toBe(false);
    clock.time += 1000;
    expect(await authority.clean('old.example.com')).toBe(true);
    const { pem, updatedAt } = await authority.revocations.current();
    expect(updatedAt).toBe(clock.time);
    expect(await authority.revocations.isRevoked(serial)).toBe(true);
    const trust = file('trust.pem', authority.certificatePem);
    const revoked = file('revoked.pem', pem);
    expect(() => openssl('verify', '-crl_check', '-CAfile', trust, '-CRLfile', revoked, leaf)).toThrow(
      'certificate revoked',
    );
    const list = openssl('crl', '-in', revoked, '-noout', '-text');
    expect(list).toMatch(/X509v3 CRL Number:\s+1\n/);
    expect(list).toContain('X509v3 Authority Key Identifier');
    expect(await authority.clean('old.example.com')).toBe(false);
    await authority.submit('old.example.com', makeRequest('old.example.com'));
  });

  it.each<[string, string, RequestOptions, string]>([
    [
      'another name',
      'a.example.com',
      { subject: '/CN=b.example.com' },
      'Instance name "b.example.com" does not match requested key "a.example.com"',
    ],
    [
      'two names',
      'a.example.com',
      { subject: '/CN=a.example.com/CN=b.example.com' },
      'Instance name "CN=a.example.com, CN=b.example.com" does not match requested key "a.example.com"',
    ],
    [
      'an organisation',
      'a.example.com',
      { subject: '/O=x/CN=a.example.com' },
      'Instance name "O=x, CN=a.example.com" does not match requested key "a.example.com"',
    ],
    ['capitals', 'A.example.com', {}, 'Certificate names must be lower case.'],
    ['a wildcard', '*.example.com', {}, 'Subject contains a wildcard, which is not allowed: *.example.com'],
    ['dots', '..', {}, "'..' is not a name"],
    ['the name of the CA', 'ca', {}, "'ca' is the name of the certificate authority, not of a node"],
    [
      'CA powers',
      'a.example.com',
      { extensions: ['basicConstraints=critical,CA:TRUE'] },
      'Found extensions that are not permitted: 2.5.29.19',
    ],
    [
      'an authorization',
      'a.example.com',
      { extensions: ['1.3.6.1.4.1.34380.1.3.1=ASN1:UTF8String:admin'] },
      "CSR 'a.example.com' contains an authorization extension, which is disallowed.",
    ],
    [
      'other alternative names',
      'a.example.com',
      { extensions: ['subjectAltName=DNS:a.example.com,DNS:puppet,IP:10.0.0.1'] },
      "CSR 'a.example.com' contains extra subject alternative names (DNS:puppet, IP:10.0.0.1), which are disallowed.",
    ],
  ])('refuses a request with %s', async (_, certname, options, message) => {
    await expect(authority.submit(certname, makeRequest(certname, options))).rejects.toThrow(message);
    expect(await authority.certificate(certname)).toBeNull();
  });

  it('refuses what is no request, and a request whose signature is not its own', async () => {
    await expect(authority.submit('a.example.com', 'nonsense')).rejects.toThrow(
      'The request body is not a certificate request in PEM format',
    );
    const der = x509.PemConverter.decodeFirst(makeRequest('a.example.com'));
    new Uint8Array(der)[der.byteLength - 1] = (new Uint8Array(der)[der.byteLength - 1] ?? 0) ^ 1;
    await expect(
      authority.submit('a.example.com', x509.PemConverter.encode(der, 'CERTIFICATE REQUEST')),
    ).rejects.toThrow('CSR contains a public key that does not correspond to the signing key');
  });
});

describe('trusted facts', () => {
  it("take Puppet's extensions from the certificate", async () => {
    const extensions = [
      '1.3.6.1.4.1.34380.1.1.13=ASN1:UTF8String:webserver',
      '1.3.6.1.4.1.34380.1.2.7=ASN1:UTF8String:mine',
      'subjectAltName=DNS:app01.example.com',
    ];
    await authority.submit('app01.example.com', makeRequest('app01.example.com', { extensions }));
    const der = x509.PemConverter.decodeFirst((await authority.certificate('app01.example.com')) ?? '');
    const found = trustedExtensions(new Uint8Array(der));
    expect([...found]).toEqual([
      ['pp_role', 'webserver'],
      ['1.3.6.1.4.1.34380.1.2.7', 'mine'],
    ]);
    const facts = trustedFacts('app01.example.com', found);
    expect([...facts.keys()]).toEqual(['authenticated', 'certname', 'extensions', 'hostname', 'domain', 'external']);
    expect(facts.get('hostname')).toBe('app01');
    expect(facts.get('domain')).toBe('example.com');
    expect(trustedFacts('single', new Map()).get('domain')).toBeNull();
  });
});
