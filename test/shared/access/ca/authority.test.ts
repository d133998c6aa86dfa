import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CertificateAuthority } from '../../../../shared/access/ca/authority.ts';
import { CertificateRequestRejected } from '../../../../shared/access/ca/certificate-request.ts';
import { crlsInPem } from '../../../../shared/access/ca/crl.ts';
import { isListed } from '../../../../shared/access/ca/signing-policy.ts';
import { readTrustedExtensions } from '../../../../shared/access/ca/trusted-extensions.ts';
import { trustedFacts } from '../../../../shared/access/ca/trusted-facts.ts';
import { x509 } from '../../../../shared/access/ca/x509.ts';
import { peerOfCertificate } from '../../../../shared/http/listener/peer.ts';
import { StoreUnavailable } from '../../../../shared/store/ports/store-errors.ts';
import { makeRequest, type RequestOptions, textExtension } from '../../../helpers/certificate-request.ts';
import { ManualClock, MemoryDocuments } from '../../../helpers/memory-stores.ts';
import { hasPuppet } from '../../../helpers/puppet.ts';

const OPTIONS = { name: 'understudy.example.com', autosign: true, keyBits: 2048 };
const SHORT_CURVE = `-----BEGIN CERTIFICATE REQUEST-----
MIHCMHICAQAwGzEZMBcGA1UEAwwQd2Vhay5leGFtcGxlLmNvbTBOMBAGByqGSM49
AgEGBSuBBAAhAzoABERFZicAr3w/mL25JBX6GtqKB9zs6o2kaSG8A8rpQF+DPUxn
z032+Y+MXVJ4mvSw2pKKi52q8fcwoAAwCgYIKoZIzj0EAwIDQAAwPQIcVN9Hs8Oj
9Rbhv7spYD/UHBYS2EK8iEoKzEfOOAIdAKQfnBwUNNB3RE44vL2sBGMI9veda0ox
TyqIIrc=
-----END CERTIFICATE REQUEST-----
`;
const folder = mkdtempSync(join(tmpdir(), 'understudy-ca-'));
const clock = new ManualClock(Math.floor(Date.now() / 1000) * 1000);
const documents = new MemoryDocuments();
let authority: CertificateAuthority;

beforeAll(async () => {
  authority = await CertificateAuthority.open(documents, clock, OPTIONS);
});
afterAll(() => rmSync(folder, { recursive: true }));

/**
 * What the agents' own OpenSSL says of a certificate when it checks the whole chain against the
 * revocation list.
 */
function verdict(certificate: string, list: string): string {
  const [trust, crl, leaf] = Object.entries({ trust: authority.certificatePem, crl: list, leaf: certificate }).map(
    ([name, pem]) => {
      const path = join(folder, `${name}.pem`);
      writeFileSync(path, pem);
      return path;
    },
  );
  const script = `
    trust, crl, leaf = ARGV.map { |path| File.read(path) }
    store = OpenSSL::X509::Store.new
    each = ->(pem, label) { pem.scan(/-----BEGIN #{label}-----.*?-----END #{label}-----/m) }
    each.(trust, 'CERTIFICATE').each { |one| store.add_cert(OpenSSL::X509::Certificate.new(one)) }
    each.(crl, 'X509 CRL').each { |one| store.add_crl(OpenSSL::X509::CRL.new(one)) }
    store.flags = OpenSSL::X509::V_FLAG_CRL_CHECK | OpenSSL::X509::V_FLAG_CRL_CHECK_ALL | OpenSSL::X509::V_FLAG_X509_STRICT
    store.verify(OpenSSL::X509::Certificate.new(leaf))
    extensions = OpenSSL::X509::CRL.new(crl).extensions.map { |extension| extension.oid }
    puts store.error_string, extensions.join(' ')
  `;
  return execFileSync('ruby', ['-ropenssl', '-e', script, trust ?? '', crl ?? '', leaf ?? ''], { encoding: 'utf8' });
}

function alternativeNames(...names: readonly string[]): x509.Extension {
  const named = names.map((value) => ({ type: /^[\d.]+$/.test(value) ? 'ip' : 'dns', value }) as const);
  return new x509.SubjectAlternativeNameExtension(named);
}

async function submit(to: CertificateAuthority, certname: string, options: RequestOptions = {}): Promise<void> {
  await to.submit(certname, (await makeRequest(certname, options)).request);
}

describe('CertificateAuthority', () => {
  it('signs a request', async () => {
    await submit(authority, 'web01.example.com');
    const signed = new X509Certificate((await authority.findCertificate('web01.example.com')) ?? '');
    expect(signed.subject).toBe('CN=web01.example.com');
    expect(signed.issuer).toBe('CN=Puppet CA: understudy.example.com');
    expect(signed.serialNumber).toBe('03');
    expect(signed.ca).toBe(false);
    expect(signed.verify(new X509Certificate(authority.certificatePem).publicKey)).toBe(true);
    expect(await authority.request('web01.example.com')).toBeNull();
  });

  it.skipIf(!hasPuppet())("signs and revokes so that the agents' OpenSSL agrees", async () => {
    await submit(authority, 'judged.example.com');
    const certificate = (await authority.findCertificate('judged.example.com')) ?? '';
    const extensions = 'authorityKeyIdentifier crlNumber\n';
    expect(verdict(certificate, (await authority.revocationLists()).pem)).toBe(`ok\n${extensions}`);
    await authority.clean('judged.example.com');
    const list = (await authority.revocationLists()).pem;
    expect(verdict(certificate, list)).toBe(`certificate revoked\n${extensions}`);
  });

  it('gives a server the names that agents reach it by', async () => {
    const first = await authority.serverCredentials('puppet', ['localhost', '127.0.0.1']);
    const { subjectAltName } = new X509Certificate(first.certificate);
    expect(subjectAltName).toBe('DNS:puppet, DNS:localhost, IP Address:127.0.0.1');
    expect(await authority.serverCredentials('puppet', ['localhost', '127.0.0.1'])).toEqual(first);
    expect(await authority.serverCredentials('puppet', ['localhost'])).not.toEqual(first);
  });

  it('gives no node a name by which agents reach a server', async () => {
    await authority.serverCredentials('edge.example.com', ['puppet', '127.0.0.1']);
    for (const name of ['edge.example.com', 'puppet', '127.0.0.1']) {
      await expect(submit(authority, name)).rejects.toThrow(
        new CertificateRequestRejected(`'${name}' is a name of this server, not of a node`),
      );
      expect(await authority.findCertificate(name)).toBeNull();
    }
  });

  it('keeps its key, its certificates and its revocations when it is opened again', async () => {
    const again = await CertificateAuthority.open(documents, clock, { ...OPTIONS, name: 'another' });
    expect(again.certificatePem).toBe(authority.certificatePem);
    expect(await again.findCertificate('web01.example.com')).toBe(await authority.findCertificate('web01.example.com'));
  });

  it('holds requests until they are signed when it does not sign by itself', async () => {
    const manual = await CertificateAuthority.open(documents, clock, { ...OPTIONS, autosign: false });
    await submit(manual, 'db01.example.com');
    expect(await manual.findCertificate('db01.example.com')).toBeNull();
    expect(await manual.listRequests(10)).toEqual(['db01.example.com']);
    await expect(submit(manual, 'db01.example.com')).rejects.toThrow(
      'db01.example.com already has a requested certificate; ignoring certificate request',
    );
    expect(await manual.sign('db01.example.com')).toContain('BEGIN CERTIFICATE');
    expect(await manual.sign('db01.example.com')).toBeNull();
    await expect(submit(manual, 'db01.example.com')).rejects.toThrow(
      'db01.example.com already has a signed certificate; ignoring certificate request',
    );
  });

  it('revokes: the list and its number change, and the node may ask again', async () => {
    await submit(authority, 'old.example.com');
    const { serialNumber } = new X509Certificate((await authority.findCertificate('old.example.com')) ?? '');
    const before = await authority.revocationLists();
    expect(await authority.revocations.isRevoked(serialNumber)).toBe(false);
    clock.time += 1000;
    expect(await authority.clean('old.example.com')).toBe(true);
    const after = await authority.revocationLists();
    expect(after.updatedAt).toBe(clock.time);
    expect(after.pem).not.toBe(before.pem);
    expect(await authority.revocations.isRevoked(serialNumber)).toBe(true);
    expect(await authority.clean('old.example.com')).toBe(false);
    await submit(authority, 'old.example.com');
  });

  it('revokes and cleans many with one list that is signed', async () => {
    const names = Array.from({ length: 5 }, (_, index) => `bulk${index}.example.com`);
    for (const name of names) await submit(authority, name);
    const numberOf = async () => crlsInPem((await authority.revocationLists()).pem)[0]?.number ?? 0;
    const before = await numberOf();
    expect(await authority.revokeAll(['none.example.com', ...names.slice(0, 2)])).toEqual(['none.example.com']);
    expect(await numberOf()).toBe(before + 1);
    expect(await authority.cleanAll([...names, 'none.example.com'])).toEqual(['none.example.com']);
    expect(await numberOf()).toBe(before + 2);
    for (const name of names) expect(await authority.findCertificate(name)).toBeNull();
    expect(await authority.cleanAll(names)).toEqual(names);
    expect(await numberOf()).toBe(before + 2);
  });

  it('knows at once what another process revoked, and keeps what several revoke at a time', async () => {
    const others = await Promise.all([1, 2, 3].map(() => CertificateAuthority.open(documents, clock, OPTIONS)));
    const names = others.map((_, index) => `shared${index}.example.com`);
    for (const name of names) await submit(authority, name);
    const serials = await Promise.all(
      names.map(async (name) => new X509Certificate((await authority.findCertificate(name)) ?? '').serialNumber),
    );
    await Promise.all(others.map((other, index) => other.revoke(names[index] ?? '')));
    for (const serial of serials) expect(await authority.revocations.isRevoked(serial)).toBe(true);
  });

  it('signs with ECDSA keys too', async () => {
    const ec = await CertificateAuthority.open(new MemoryDocuments(), clock, { ...OPTIONS, keyType: 'ec' });
    await submit(ec, 'ec.example.com');
    const [issuer, root] = ec.certificatePem
      .split(/(?<=END CERTIFICATE-----\n)/)
      .map((one) => new X509Certificate(one));
    if (issuer === undefined || root === undefined) throw new Error('the chain is too short');
    expect(issuer.publicKey.asymmetricKeyType).toBe('ec');
    expect(new X509Certificate((await ec.findCertificate('ec.example.com')) ?? '').verify(issuer.publicKey)).toBe(true);
    expect([issuer.checkIssued(root), issuer.verify(root.publicKey), root.ca, issuer.ca]).toEqual([
      true,
      true,
      true,
      true,
    ]);
  });

  it('gives other names and authorization extensions when it is told to', async () => {
    const allow = { ...OPTIONS, allowSubjectAltNames: true, allowAuthorizationExtensions: true };
    const generous = await CertificateAuthority.open(documents, clock, allow);
    const extensions = [textExtension('1.3.6.1.4.1.34380.1.3.13', 'compiler'), alternativeNames('puppet2', '10.0.0.1')];
    await submit(generous, 'm.example.com', { extensions });
    const { subjectAltName, raw } = new X509Certificate((await generous.findCertificate('m.example.com')) ?? '');
    expect(subjectAltName).toBe('DNS:m.example.com, DNS:puppet2, IP Address:10.0.0.1');
    expect([...readTrustedExtensions(raw)]).toEqual([['pp_auth_role', 'compiler']]);
    await expect(
      submit(generous, 'w.example.com', { extensions: [alternativeNames('*.example.com')] }),
    ).rejects.toThrow('Cert subjectAltName contains a wildcard, which is not allowed: *.example.com');
    await expect(
      submit(generous, 'cli.example.com', { extensions: [textExtension('1.3.6.1.4.1.34380.1.3.39', 'true')] }),
    ).rejects.toThrow('Found extensions that are not permitted: 1.3.6.1.4.1.34380.1.3.39');
  });

  it('asks its policy what is signed at once', async () => {
    const asked: string[] = [];
    const autosign = async (certname: string, pem: string) => {
      asked.push(`${certname} ${pem.slice(0, 35)}`);
      return certname === 'yes.example.com';
    };
    const careful = await CertificateAuthority.open(documents, clock, { ...OPTIONS, autosign });
    await submit(careful, 'yes.example.com');
    await submit(careful, 'no.example.com');
    expect(await careful.findCertificate('yes.example.com')).toContain('BEGIN CERTIFICATE');
    expect(await careful.findCertificate('no.example.com')).toBeNull();
    expect(asked[1]).toBe('no.example.com -----BEGIN CERTIFICATE REQUEST-----');
  });

  it.each<[string, string, RequestOptions, string]>([
    [
      'another name',
      'a.example.com',
      { subject: 'CN=b.example.com' },
      'Instance name "b.example.com" does not match requested key "a.example.com"',
    ],
    [
      'two names',
      'a.example.com',
      { subject: 'CN=a.example.com, CN=b.example.com' },
      'Instance name "CN=a.example.com, CN=b.example.com" does not match requested key "a.example.com"',
    ],
    [
      'an organisation',
      'a.example.com',
      { subject: 'O=x, CN=a.example.com' },
      'Instance name "O=x, CN=a.example.com" does not match requested key "a.example.com"',
    ],
    ['capitals', 'A.example.com', {}, 'Certificate names must be lower case.'],
    ['a wildcard', '*.example.com', {}, 'Subject contains a wildcard, which is not allowed: *.example.com'],
    ['a bad end', 'web-', {}, 'Subject hostname format is invalid'],
    ['dots', '..', {}, "'..' is not a name"],
    ['the name of the CA', 'ca', {}, "'ca' is the name of the certificate authority, not of a node"],
    [
      'CA powers',
      'a.example.com',
      { extensions: [new x509.BasicConstraintsExtension(true, undefined, true)] },
      'Found extensions that are not permitted: 2.5.29.19',
    ],
    [
      'an authorization',
      'a.example.com',
      { extensions: [textExtension('1.3.6.1.4.1.34380.1.3.1', 'admin')] },
      "CSR 'a.example.com' contains an authorization extension, which is disallowed.",
    ],
    [
      'other alternative names',
      'a.example.com',
      { extensions: [alternativeNames('a.example.com', 'puppet', '10.0.0.1')] },
      "CSR 'a.example.com' contains extra subject alternative names (DNS:puppet, IP:10.0.0.1), which are disallowed.",
    ],
  ])('refuses a request with %s', async (_, certname, options, message) => {
    await expect(submit(authority, certname, options)).rejects.toThrow(message);
    expect(await authority.findCertificate(certname)).toBeNull();
    await authority.refuse(certname);
  });

  it.each<[string, RequestOptions, string]>([
    [
      'a short RSA key',
      { rsaBits: 1024 },
      "CSR 'weak.example.com' contains a weak key (RSA of 1024 bits; at least 2048 are needed), which is disallowed.",
    ],
    ['a SHA-1 signature', { hash: 'SHA-1' }, "CSR 'weak.example.com' is signed with SHA-1, which is disallowed."],
  ])('refuses a request with %s, and keeps none, unless it may be weak', async (_, options, message) => {
    const own = new MemoryDocuments();
    const open = (allowWeakKeys: boolean, signs: boolean) =>
      CertificateAuthority.open(own, clock, { ...OPTIONS, keyType: 'ec', autosign: signs, allowWeakKeys });
    for (const signs of [true, false]) {
      await expect(submit(await open(false, signs), 'weak.example.com', options)).rejects.toThrow(message);
    }
    expect(await own.countKeys('certificate-requests', 10)).toBe(0);
    await submit(await open(true, false), 'weak.example.com', options);
    const strict = await open(false, false);
    expect(await strict.faultOfRequest('weak.example.com')).toBe(message);
    await expect(strict.sign('weak.example.com')).rejects.toThrow(message);
    expect(await (await open(true, false)).sign('weak.example.com')).toContain('BEGIN CERTIFICATE');
  });

  // openssl req -newkey ec -pkeyopt ec_paramgen_curve:secp224r1 -nodes -subj /CN=weak.example.com
  it('refuses a short curve', async () => {
    const pem = SHORT_CURVE;
    await expect(authority.submit('weak.example.com', pem)).rejects.toThrow(
      "CSR 'weak.example.com' contains a weak key (secp224r1; a curve of at least 256 bits is needed), which is disallowed.",
    );
  });

  it('refuses what is no request, and a request whose signature is not its own', async () => {
    await expect(authority.submit('a.example.com', 'nonsense')).rejects.toThrow(
      'The request body is not a certificate request in PEM format',
    );
    const der = x509.PemConverter.decodeFirst((await makeRequest('a.example.com')).request);
    new Uint8Array(der)[der.byteLength - 1] = (new Uint8Array(der)[der.byteLength - 1] ?? 0) ^ 1;
    await expect(
      authority.submit('a.example.com', x509.PemConverter.encode(der, 'CERTIFICATE REQUEST')),
    ).rejects.toThrow('CSR contains a public key that does not correspond to the signing key');
  });
});

describe('a request that a fault left half done', () => {
  /** Documents whose call of a method fails once. */
  function failOnce(own: MemoryDocuments, method: keyof MemoryDocuments, collection: string): MemoryDocuments {
    let isDue = true;
    return new Proxy(own, {
      get(target, name) {
        const found: unknown = Reflect.get(target, name);
        if (typeof found !== 'function') return found;
        return (...args: readonly unknown[]) => {
          if (!isDue || name !== method || args[0] !== collection) return found.apply(target, args);
          isDue = false;
          return Promise.reject(new StoreUnavailable('the store does not answer'));
        };
      },
    });
  }

  it.each<[string, keyof MemoryDocuments, string]>([
    ['before its signature is stored', 'create', 'certificates'],
    ['after it', 'delete', 'certificate-requests'],
  ])('%s is finished when the agent sends it again', async (_, method, collection) => {
    const own = new MemoryDocuments();
    const options = { ...OPTIONS, keyType: 'ec' } as const;
    const broken = await CertificateAuthority.open(failOnce(own, method, collection), clock, options);
    const { request } = await makeRequest('half.example.com');
    await expect(broken.submit('half.example.com', request)).rejects.toThrow(StoreUnavailable);
    expect(await broken.request('half.example.com')).not.toBeNull();
    const signed = await broken.findCertificate('half.example.com');
    await broken.submit('half.example.com', request);
    const certificate = await broken.findCertificate('half.example.com');
    expect(certificate).toContain('BEGIN CERTIFICATE');
    if (signed !== null) expect(certificate).toBe(signed);
    expect(await broken.request('half.example.com')).toBeNull();
    await expect(broken.submit('half.example.com', request)).rejects.toThrow('already has a signed certificate');
  });

  it('stays pending for another key, for a policy that signs nothing, and when it is revoked meanwhile', async () => {
    const own = new MemoryDocuments();
    const options = { ...OPTIONS, keyType: 'ec' } as const;
    const manual = await CertificateAuthority.open(own, clock, { ...options, autosign: false });
    const signing = await CertificateAuthority.open(own, clock, options);
    const { request } = await makeRequest('half.example.com');
    await manual.submit('half.example.com', request);
    const requested = 'half.example.com already has a requested certificate; ignoring certificate request';
    await expect(manual.submit('half.example.com', request)).rejects.toThrow(requested);
    await expect(submit(signing, 'half.example.com')).rejects.toThrow(requested);
    await signing.submit('half.example.com', request);
    expect(await signing.findCertificate('half.example.com')).toContain('BEGIN CERTIFICATE');
    await own.put('certificate-requests', 'half.example.com', { pem: request, at: 0 });
    await signing.revoke('half.example.com');
    await expect(signing.submit('half.example.com', request)).rejects.toThrow(
      'half.example.com already has a revoked certificate; ignoring certificate request',
    );
  });
});

describe('pending requests', () => {
  it('are bounded; those that are signed at once are not', async () => {
    const own = new MemoryDocuments();
    const autosign = async (certname: string) => certname.startsWith('auto');
    const options = { ...OPTIONS, keyType: 'ec', autosign, mostPending: 2 } as const;
    const bounded = await CertificateAuthority.open(own, clock, options);
    await submit(bounded, 'one.example.com');
    await submit(bounded, 'two.example.com');
    await expect(submit(bounded, 'three.example.com')).rejects.toThrow(
      new CertificateRequestRejected('2 certificate requests are pending; no more are accepted'),
    );
    await submit(bounded, 'auto.example.com');
    expect(await bounded.findCertificate('auto.example.com')).toContain('BEGIN CERTIFICATE');
    await bounded.refuse('one.example.com');
    await submit(bounded, 'three.example.com');
  });
});

describe('an autosign.conf', () => {
  const LIST = '# ours\n\nweb01.example.com\n*.test.example.com\n*.Caps.example.com\nbad line\n*odd\n';
  it.each([
    ['web01.example.com', true],
    ['web02.example.com', false],
    ['a.b.test.example.com', true],
    ['atest.example.com', false],
    ['x.caps.example.com', true],
    ['bad line', false],
    ['odd', false],
  ])('names %s: %s', (certname, is) => {
    expect(isListed(LIST, certname)).toBe(is);
  });

  it('names everything with *', () => {
    expect(isListed('*', 'anything')).toBe(true);
  });
});

describe('trusted facts', () => {
  it("take Puppet's extensions from the certificate", async () => {
    const extensions = [
      textExtension('1.3.6.1.4.1.34380.1.1.13', 'webserver'),
      textExtension('1.3.6.1.4.1.34380.1.2.7', 'mine'),
      alternativeNames('app01.example.com'),
    ];
    await submit(authority, 'app01.example.com', { extensions });
    const der = x509.PemConverter.decodeFirst((await authority.findCertificate('app01.example.com')) ?? '');
    const found = readTrustedExtensions(new Uint8Array(der));
    expect([...found]).toEqual([
      ['pp_role', 'webserver'],
      ['1.3.6.1.4.1.34380.1.2.7', 'mine'],
    ]);
    const peer = peerOfCertificate(new Uint8Array(der));
    expect(peer?.alternativeNames).toContainEqual({ kind: 'dns-name', name: 'app01.example.com' });
    expect([...(peer?.extensionsOutsideTrusted?.keys() ?? [])]).toEqual(
      expect.arrayContaining(['2.5.29.17', '2.5.29.19']),
    );
    const facts = trustedFacts('app01.example.com', found);
    expect([...facts.keys()]).toEqual(['authenticated', 'certname', 'extensions', 'hostname', 'domain', 'external']);
    expect(facts.get('hostname')).toBe('app01');
    expect(facts.get('domain')).toBe('example.com');
    expect(trustedFacts('single', new Map()).get('domain')).toBeNull();
  });
});
