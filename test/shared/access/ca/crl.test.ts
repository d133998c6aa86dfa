import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { type Issuer, makeCaCertificate, signCrl } from '../../../../shared/access/ca/certificates.ts';
import { crlsInPem, crlToPem } from '../../../../shared/access/ca/crl.ts';
import { generateKeys, type KeyKind, signingKeyOf } from '../../../../shared/access/ca/keys.ts';
import { x509 } from '../../../../shared/access/ca/x509.ts';
import { hasPuppet } from '../../../helpers/puppet.ts';

const NOW = Date.UTC(2049, 11, 31, 12, 30, 15);
const DAY_MS = 86_400_000;
const ENTRIES = [
  { serial: '03', at: Date.UTC(2026, 10, 21, 6, 5, 4) },
  { serial: 'ff', at: NOW },
  { serial: '0123456789abcdef0123456789abcdef01234567', at: NOW + DAY_MS },
];

async function issuerOf(kind: KeyKind): Promise<Issuer> {
  const keys = await generateKeys(kind);
  return { certificate: await makeCaCertificate('Puppet CA: test', '01', keys, NOW), ...signingKeyOf(keys) };
}

describe.each<KeyKind>([{ type: 'ec' }, { type: 'rsa', bits: 2048 }])('a revocation list signed with $type', (kind) => {
  it('is read as it was made, and as the X.509 library reads it', async () => {
    const issuer = await issuerOf(kind);
    const rawData = await signCrl(issuer, 300, ENTRIES, NOW);
    const [list] = crlsInPem(`# ours\n${crlToPem({ rawData })}`);
    const nextUpdate = new Date(NOW + 5 * 365 * DAY_MS);
    expect(list).toEqual({ rawData, issuer: issuer.certificate.subject, nextUpdate, number: 300, entries: ENTRIES });
    const other = new x509.X509Crl(rawData);
    expect(await other.verify({ publicKey: issuer.certificate.publicKey })).toBe(true);
    expect(other.entries.map(({ serialNumber }) => serialNumber.toLowerCase())).toEqual(
      ENTRIES.map(({ serial }) => serial),
    );
    expect(other.entries.map(({ revocationDate }) => revocationDate.getTime())).toEqual(ENTRIES.map(({ at }) => at));
    expect(other.entries.map(({ reason }) => reason)).toEqual(ENTRIES.map(() => x509.X509CrlReason.keyCompromise));
  });

  it.skipIf(!hasPuppet())("is read and believed by the agents' own OpenSSL", async () => {
    const issuer = await issuerOf(kind);
    const list = crlToPem({ rawData: await signCrl(issuer, 300, ENTRIES, NOW) });
    const script = `
      crl = OpenSSL::X509::CRL.new(ARGV[0])
      puts crl.verify(OpenSSL::X509::Certificate.new(ARGV[1]).public_key)
      crl.revoked.each { |one| puts [one.serial.to_s(16), one.time.utc.strftime('%FT%T'), one.extensions.map(&:value)].join(' ') }
      puts crl.extensions.find { |one| one.oid == 'crlNumber' }.value
    `;
    const args = ['-ropenssl', '-e', script, '--', list, issuer.certificate.toString('pem')];
    expect(execFileSync('ruby', args, { encoding: 'utf8' }).trim().split('\n')).toEqual([
      'true',
      '03 2026-11-21T06:05:04 Key Compromise',
      'FF 2049-12-31T12:30:15 Key Compromise',
      '0123456789ABCDEF0123456789ABCDEF01234567 2050-01-01T12:30:15 Key Compromise',
      '300',
    ]);
  });
});

it.each([
  ['30023000', 'A revocation list has no issuer'],
  ['3010020101', 'A DER element is truncated'],
  ['3080', 'A DER element is truncated'],
])('refuses to read %s', (hexadecimal, message) => {
  const rawData = new Uint8Array(Buffer.from(hexadecimal, 'hex'));
  expect(() => crlsInPem(crlToPem({ rawData }))).toThrow(message);
});
