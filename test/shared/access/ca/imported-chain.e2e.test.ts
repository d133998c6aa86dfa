import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { identityOfCertificate } from '../../../../shared/access/authorization/certificate-identity.ts';
import { CertificateAuthority } from '../../../../shared/access/ca/authority.ts';
import { NO_VAULT } from '../../../../shared/access/ca/authority-record.ts';
import { crlsInPem } from '../../../../shared/access/ca/crl.ts';
import { importAuthority, type PuppetAuthority } from '../../../../shared/access/ca/import-authority.ts';
import { certificatesInPem } from '../../../../shared/access/ca/x509.ts';
import { makeRequest } from '../../../helpers/certificate-request.ts';
import { type CorporateChain, makeCorporateChain } from '../../../helpers/corporate-chain.ts';
import { ManualClock, MemoryDocuments } from '../../../helpers/memory-stores.ts';
import { makeFolderOnDisk } from '../../../helpers/temporary-folder.ts';

const NAME = 'C=DE, O=Söhne\\, Müller & Co, CN=';
const START = Math.floor(Date.now() / 1000) * 1000;
const folder = makeFolderOnDisk('imported-chain');
let chain: CorporateChain;
let clock: ManualClock;
let documents: MemoryDocuments;

beforeAll(async () => {
  chain = await makeCorporateChain(START);
});
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => {
  clock = new ManualClock(START);
  documents = new MemoryDocuments();
});

async function importChain(changes: Partial<PuppetAuthority> = {}): Promise<CertificateAuthority> {
  await importAuthority(documents, NO_VAULT, { ...chain.files, ...changes }, clock.now());
  return CertificateAuthority.openExisting(documents, clock);
}

async function signFor(authority: CertificateAuthority, certname: string): Promise<string> {
  await authority.submit(certname, (await makeRequest(certname)).request);
  return (await authority.sign(certname)) ?? '';
}

/** Verifies as agents do with `certificate_revocation = chain`. */
function verifyWithOpenssl(authority: CertificateAuthority, lists: string, certificate: string): string {
  writeFileSync(join(folder, 'ca.pem'), authority.certificatePem + lists);
  writeFileSync(join(folder, 'leaf.pem'), certificate);
  try {
    const flags = ['-crl_check_all', '-x509_strict', '-CAfile', 'ca.pem', 'leaf.pem'];
    return execFileSync('openssl', ['verify', ...flags], { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    return error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error);
  }
}

const halves = (pem: string) => pem.split(/(?<=-----END [A-Z0-9 ]+-----\n)/).filter((text) => text !== '');
const reverse = (pem: string) => halves(pem).reverse().join('');
const subjectsOf = (pem: string) => certificatesInPem(pem).map(({ subject }) => subject);
const listsOf = (pem: string) => crlsInPem(pem).map(({ issuer, number }) => [issuer, number]);

describe('a CA below others', () => {
  it('signs certificates that agents accept with all lists of the chain, until they are revoked', async () => {
    const authority = await importChain();
    const certificate = await signFor(authority, 'web01');
    const before = await authority.revocationLists();
    expect(listsOf(before.pem)).toEqual([
      [`${NAME}Puppet CA: corp`, 8],
      [`${NAME}Issuing`, 7],
      [`${NAME}Root`, 7],
    ]);
    expect(verifyWithOpenssl(authority, before.pem, certificate)).toBe('leaf.pem: OK\n');
    expect(identityOfCertificate(new X509Certificate(certificate).raw)?.issuer).toBe(authority.issuerName);
    await authority.revoke('web01');
    const after = await authority.revocationLists();
    expect(verifyWithOpenssl(authority, after.pem, certificate)).toContain(
      'error 23 at 0 depth lookup: certificate revoked',
    );
  });

  it.each<[string, (files: PuppetAuthority) => Partial<PuppetAuthority>]>([
    ['the root first', ({ certificates }) => ({ certificates: reverse(certificates) })],
    ['lists in another order', ({ revocationLists }) => ({ revocationLists: reverse(revocationLists) })],
    ['certificates twice', ({ certificates }) => ({ certificates: certificates + certificates })],
  ])('is imported with %s', async (_, change) => {
    const authority = await importChain(change(chain.files));
    expect(subjectsOf(authority.certificatePem).slice(0, 3)).toEqual(
      ['Puppet CA: corp', 'Issuing', 'Root'].map((name) => `${NAME}${name}`),
    );
    const certificate = await signFor(authority, 'web01');
    const { pem } = await authority.revocationLists();
    expect(verifyWithOpenssl(authority, pem, certificate)).toBe('leaf.pem: OK\n');
  });

  it('takes the newest list of each CA, and none that another key signed', async () => {
    const other = await makeCorporateChain(START);
    const lists = [
      await chain.listOf(chain.root, 9),
      await other.listOf(other.root, 99),
      await chain.listOf(chain.signing, 20, [{ serial: '0a', at: START }]),
      await chain.listOf(chain.middle, 3),
    ];
    const authority = await importChain({ revocationLists: chain.files.revocationLists + lists.join('') });
    expect(listsOf((await authority.revocationLists()).pem).map(([, number]) => number)).toEqual([21, 7, 9]);
    expect(await authority.revocations.isRevoked('0a')).toBe(true);
  });

  it('keeps further certificates that agents trust, which need no list', async () => {
    const other = await makeCorporateChain(START);
    const [, , root = ''] = halves(other.files.certificates);
    const authority = await importChain({ certificates: root + chain.files.certificates });
    expect(subjectsOf(authority.certificatePem)).toEqual(
      ['Puppet CA: corp', 'Issuing', 'Root', 'Root'].map((name) => `${NAME}${name}`),
    );
    expect(listsOf((await authority.revocationLists()).pem)).toHaveLength(3);
  });

  it.each<[string, (files: PuppetAuthority) => Partial<PuppetAuthority>, string]>([
    [
      'the certificate between missing',
      ({ certificates }) => ({ certificates: halves(certificates).toSpliced(1, 1).join('') }),
      `ca_crt.pem has no certificate of ${NAME}Issuing, which issued ${NAME}Puppet CA: corp`,
    ],
    [
      'the root missing',
      ({ certificates }) => ({ certificates: halves(certificates).slice(0, 2).join('') }),
      `ca_crt.pem has no certificate of ${NAME}Root, which issued ${NAME}Issuing`,
    ],
    [
      'the list between missing',
      ({ revocationLists }) => ({ revocationLists: halves(revocationLists).toSpliced(1, 1).join('') }),
      `ca_crl.pem has no list of ${NAME}Issuing`,
    ],
  ])('is refused with %s', async (_, change, message) => {
    await expect(importChain(change(chain.files))).rejects.toThrow(message);
    expect(await documents.get('ca', 'authority')).toBeNull();
  });
});

describe('lists of the CAs above', () => {
  it('are replaced by newer ones, which every process and agent reads', async () => {
    const authority = await importChain();
    const other = await CertificateAuthority.openWithoutKey(documents, clock);
    const before = await other.revocationLists();
    clock.time += 60_000;
    const revoked = [{ serial: chain.signing.certificate.serialNumber, at: START }];
    const newer = (await chain.listOf(chain.root, 8)) + (await chain.listOf(chain.middle, 9, revoked));
    expect(await authority.updateLists(newer)).toEqual([`${NAME}Issuing`, `${NAME}Root`]);
    const after = await other.revocationLists();
    expect(listsOf(after.pem).map(([, number]) => number)).toEqual([9, 9, 8]);
    expect(after.updatedAt).toBe(before.updatedAt + 60_000);
    const certificate = await signFor(authority, 'web01');
    expect(verifyWithOpenssl(authority, after.pem, certificate)).toContain(
      'error 23 at 1 depth lookup: certificate revoked',
    );
  });

  it('stay as they are when the given ones are not newer', async () => {
    const authority = await importChain();
    const before = await authority.revocationLists();
    expect(await authority.updateLists(chain.files.revocationLists)).toEqual([]);
    expect(await authority.revocationLists()).toEqual(before);
  });

  it('are not replaced by lists of others', async () => {
    const authority = await importChain();
    const other = await makeCorporateChain(START);
    const forged = await other.listOf(other.root, 99);
    await expect(authority.updateLists(forged)).rejects.toThrow(`the list of ${NAME}Root is not signed by its key`);
    const fresh = await CertificateAuthority.open(new MemoryDocuments(), clock, {
      name: 'x',
      autosign: false,
      keyType: 'ec',
    });
    const { pem } = await fresh.revocationLists();
    await expect(authority.updateLists(pem)).rejects.toThrow('CN=Puppet CA: x is no CA of this chain');
    await expect(authority.updateLists('x')).rejects.toThrow('there is no revocation list in PEM');
    const damaged = '-----BEGIN X509 CRL-----\nAAAA\n-----END X509 CRL-----\n';
    await expect(authority.updateLists(damaged)).rejects.toThrow('a revocation list cannot be read: ');
  });
});
