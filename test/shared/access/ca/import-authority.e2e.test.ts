import { execFileSync, spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { CertificateAuthority } from '../../../../shared/access/ca/authority.ts';
import { issuerOf, NO_VAULT } from '../../../../shared/access/ca/authority-record.ts';
import { signCrl } from '../../../../shared/access/ca/certificates.ts';
import { crlsInPem, crlToPem } from '../../../../shared/access/ca/crl.ts';
import { importAuthority, type PuppetAuthority } from '../../../../shared/access/ca/import-authority.ts';
import { serialsOf } from '../../../../shared/access/ca/serials.ts';
import { StoreRefused } from '../../../../shared/store/ports/store-errors.ts';
import { makeRequest } from '../../../helpers/certificate-request.ts';
import { ManualClock, MemoryDocuments } from '../../../helpers/memory-stores.ts';

const folder = mkdtempSync(join(tmpdir(), 'understudy-import-'));
afterAll(() => rmSync(folder, { recursive: true }));
const DAY_MS = 86_400_000;
const clock = new ManualClock(Math.floor(Date.now() / 1000) * 1000);

/** The files of a CA of ours as Puppet Server would keep them. */
async function filesOf(): Promise<PuppetAuthority> {
  const documents = new MemoryDocuments();
  const old = await CertificateAuthority.open(documents, clock, { name: 'old', autosign: true, keyBits: 2048 });
  for (const certname of ['web01', 'gone']) await old.submit(certname, (await makeRequest(certname)).request);
  const signed = [(await old.findCertificate('web01')) ?? ''];
  const gone = new X509Certificate((await old.findCertificate('gone')) ?? '').serialNumber;
  await old.clean('gone');
  const stored = await documents.get('ca', 'authority');
  return {
    certificates: old.certificatePem,
    key: String(stored?.key),
    revocationLists: (await old.revocationLists()).pem,
    serial: '0F\n',
    inventory: `0x0003 2026-11-19T22:36:34UTC 2031-11-19T22:36:34UTC /CN=web01\n0x00${gone} a b /CN=gone\n`,
    signed,
  };
}

describe('importAuthority', () => {
  it('goes on where the other CA was', async () => {
    const files = await filesOf();
    const documents = new MemoryDocuments();
    expect(await importAuthority(documents, NO_VAULT, files, clock.now())).toEqual({
      name: 'CN=Puppet CA: old',
      certificates: 1,
      revoked: 1,
    });
    const authority = await CertificateAuthority.openExisting(documents, clock);
    expect(authority.certificatePem).toBe(files.certificates);
    expect(await authority.revocations.isRevoked('04')).toBe(true);
    expect(await authority.revocations.isRevoked('03')).toBe(false);
    expect(new X509Certificate((await authority.findCertificate('web01')) ?? '').serialNumber).toBe('03');
    await authority.submit('new', (await makeRequest('new')).request);
    expect(new X509Certificate((await authority.sign('new')) ?? '').serialNumber).toBe('0F');
    await authority.revoke('web01');
    expect(await authority.revocations.isRevoked('03')).toBe(true);
    for (const replace of [false, true]) {
      await expect(importAuthority(documents, NO_VAULT, files, clock.now(), replace)).rejects.toThrow(
        new StoreRefused(
          "this store already has the certificate authority 'CN=Puppet CA: old': 2 nodes with a certificate of it would need another one: use another data directory, or revoke them first ('understudy ca clean')",
        ),
      );
    }
  });

  it('takes the place of the CA of a first start when asked to, as long as no node has a certificate', async () => {
    const files = await filesOf();
    const documents = new MemoryDocuments();
    const options = { name: 'first', autosign: false, keyType: 'ec' } as const;
    const first = await CertificateAuthority.open(documents, clock, options);
    const server = await first.serverCredentials('puppet.example.com', []);
    await first.submit('waiting', (await makeRequest('waiting')).request);
    await expect(importAuthority(documents, NO_VAULT, files, clock.now())).rejects.toThrow(
      new StoreRefused(
        "this store already has the certificate authority 'CN=Puppet CA: first': no node has a certificate of it, so 'understudy ca import DIR --replace' can take its place",
      ),
    );
    await importAuthority(documents, NO_VAULT, files, clock.now(), true);
    const authority = await CertificateAuthority.openExisting(documents, clock);
    expect(authority.certificatePem).toBe(files.certificates);
    expect(await authority.revocations.isRevoked('04')).toBe(true);
    expect((await authority.serverCredentials('puppet.example.com', [])).certificate).not.toBe(server.certificate);
    expect(new X509Certificate((await authority.sign('waiting')) ?? '').issuer).toBe('CN=Puppet CA: old');
    // All that the first CA kept beside its key is gone.
    const fresh = new MemoryDocuments();
    await importAuthority(fresh, NO_VAULT, await filesOf(), clock.now());
    const keysOf = async (store: MemoryDocuments, collection: string) =>
      (await store.list(collection, '', 1000)).map(({ key }) => key.replace(/\/.*/, ''));
    expect(await keysOf(documents, 'certificate-history')).toEqual(['gone', 'puppet.example.com', 'waiting', 'web01']);
    expect((await keysOf(documents, 'ca')).filter((key) => !key.startsWith('server-'))).toEqual(
      await keysOf(fresh, 'ca'),
    );
  });

  it('leaves the present CA alone when the files cannot be used', async () => {
    const documents = new MemoryDocuments();
    await CertificateAuthority.open(documents, clock, { name: 'first', autosign: false, keyType: 'ec' });
    const before = await documents.get('ca', 'authority');
    const files = { ...(await filesOf()), serial: 'no number' };
    await expect(importAuthority(documents, NO_VAULT, files, clock.now(), true)).rejects.toThrow('serial is not');
    expect(await documents.get('ca', 'authority')).toEqual(before);
  });

  it('knows from the inventory when certificates end, so that they drop out of the list', async () => {
    const files = await filesOf();
    const end = new Date(clock.now() + 3 * DAY_MS).toISOString().replace(/\.\d+Z$/, 'UTC');
    const inventory = `# edited\n0x0003 2026-11-19T22:36:34UTC ${end} /CN=web01\n0x0004 a ${end} /CN=gone\n`;
    const documents = new MemoryDocuments();
    await importAuthority(documents, NO_VAULT, { ...files, inventory, signed: [] }, clock.now());
    const ends = Date.parse(end.replace('UTC', 'Z'));
    expect(await serialsOf(documents, 'web01')).toEqual([{ serial: '03', endsAt: ends }]);
    const later = new ManualClock(clock.now());
    const { revocations } = await CertificateAuthority.openExisting(documents, later);
    expect(await revocations.isRevoked('04')).toBe(true);
    for (const days of [4, 5]) {
      later.time = clock.now() + days * DAY_MS;
      await revocations.add({ serial: `a${days}` });
    }
    expect(await revocations.isRevoked('04')).toBe(false);
  });

  it("takes the infrastructure's list along, and goes on behind the larger number of both", async () => {
    const files = await filesOf();
    const issuer = await issuerOf(files.certificates, files.key);
    const listOf = async (...serials: readonly string[]) =>
      crlToPem({
        rawData: await signCrl(
          issuer,
          90,
          serials.map((serial) => ({ serial, at: clock.now() })),
          clock.now(),
        ),
      });
    const documents = new MemoryDocuments();
    const infraLists = await listOf('04', '09');
    expect(await importAuthority(documents, NO_VAULT, { ...files, infraLists }, clock.now())).toMatchObject({
      revoked: 2,
    });
    const authority = await CertificateAuthority.openExisting(documents, clock);
    for (const serial of ['04', '09']) expect(await authority.revocations.isRevoked(serial)).toBe(true);
    expect(crlsInPem((await authority.revocationLists()).pem)[0]?.number).toBe(91);
    const other = await filesOf();
    await expect(
      importAuthority(new MemoryDocuments(), NO_VAULT, { ...files, infraLists: other.signed.toString() }, clock.now()),
    ).rejects.toThrow('infra_crl.pem has no list of the CA that signs');
  });

  it.each<[string, (files: PuppetAuthority) => Partial<PuppetAuthority>, string]>([
    ['no key', () => ({ key: 'x' }), 'the private key cannot be read: '],
    ['no certificate', () => ({ certificates: '' }), 'the CA has no certificate'],
    ['no list', () => ({ revocationLists: '' }), 'ca_crl.pem has no list of the CA that signs'],
    [
      'the list of the root missing',
      ({ revocationLists }) => ({ revocationLists: revocationLists.split(/(?<=END X509 CRL-----\n)/)[0] ?? '' }),
      'ca_crl.pem has no list of CN=Puppet Root CA: ',
    ],
    ['no serial', () => ({ serial: 'zz' }), 'serial is not a hexadecimal number'],
  ])('refuses files with %s', async (_, change, message) => {
    const files = await filesOf();
    const documents = new MemoryDocuments();
    const changed = { ...files, ...change(files) };
    await expect(importAuthority(documents, NO_VAULT, changed, clock.now())).rejects.toThrow(message);
    expect(await documents.get('ca', 'authority')).toBeNull();
  });

  it("refuses another CA's key", async () => {
    const [files, other] = [await filesOf(), await filesOf()];
    const mixed = { ...files, key: other.key };
    await expect(importAuthority(new MemoryDocuments(), NO_VAULT, mixed, clock.now())).rejects.toThrow(
      "the CA's private key is not that of its first certificate",
    );
  });

  const hasServerCa = spawnSync('ruby', ['-rpuppetserver/ca/cli', '-e', '0']).status === 0;
  it.skipIf(!hasServerCa)('takes over what `puppetserver ca setup` made', async () => {
    const conf = join(folder, 'puppet.conf');
    writeFileSync(conf, `[main]\nssldir = ${folder}/ssl\nkeylength = 2048\n[server]\ncadir = ${folder}/ca\n`);
    const script = 'exit Puppetserver::Ca::Cli.run(ARGV)';
    const args = ['setup', '--config', conf, '--certname', 'puppet.example.com', '--ca-name', 'Puppet CA: p'];
    execFileSync('ruby', ['-rpuppetserver/ca/cli', '-e', script, '--', ...args]);
    const text = (name: string) => readFileSync(join(folder, 'ca', name), 'utf8');
    const files = {
      certificates: text('ca_crt.pem'),
      key: text('ca_key.pem'),
      revocationLists: text('ca_crl.pem'),
      serial: text('serial'),
      inventory: text('inventory.txt'),
      signed: [text('signed/puppet.example.com.pem')],
    };
    const documents = new MemoryDocuments();
    expect(await importAuthority(documents, NO_VAULT, files, clock.now())).toEqual({
      name: 'CN=Puppet CA: p',
      certificates: 1,
      revoked: 0,
    });
    const authority = await CertificateAuthority.openExisting(documents, clock);
    await authority.submit('web01', (await makeRequest('web01')).request);
    const signed = new X509Certificate((await authority.sign('web01')) ?? '');
    expect(signed.verify(new X509Certificate(files.certificates).publicKey)).toBe(true);
    expect(Number.parseInt(signed.serialNumber, 16)).toBe(Number.parseInt(files.serial.trim(), 16));
  });
});
