import { createHash } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { CertificateAuthority } from '../../../../shared/access/ca/authority.ts';
import { CertificateStatuses } from '../../../../shared/access/ca/certificate-status.ts';
import { readLeafParts } from '../../../../shared/access/ca/leaf-parts.ts';
import { x509 } from '../../../../shared/access/ca/x509.ts';
import { makeRequest, textExtension } from '../../../helpers/certificate-request.ts';
import { ManualClock, MemoryDocuments } from '../../../helpers/memory-stores.ts';

const AUTH_ROLE = '1.3.6.1.4.1.34380.1.3.13';
const documents = new MemoryDocuments();
let authority: CertificateAuthority;
let statuses: CertificateStatuses;

beforeAll(async () => {
  const policy = { allowSubjectAltNames: true, allowAuthorizationExtensions: true };
  const options = { name: 'understudy.example.com', autosign: true, keyType: 'ec', ...policy } as const;
  authority = await CertificateAuthority.open(documents, new ManualClock(Date.UTC(2026, 10, 28)), options);
  statuses = new CertificateStatuses(documents, authority.revocations);
});

/** What the X.509 library reads of a certificate, in the words of `certificate_status`. */
function byLibrary(pem: string) {
  const certificate = new x509.X509Certificate(pem);
  const names = certificate.getExtension(x509.SubjectAlternativeNameExtension)?.names.items ?? [];
  const digest = createHash('sha256').update(new Uint8Array(certificate.rawData)).digest('hex').toUpperCase();
  const time = (date: Date) => `${date.toISOString().slice(0, 19)}UTC`;
  return {
    subject_alt_names: [
      ...names.filter(({ type }) => type === 'ip').map(({ value }) => `IP:${value}`),
      ...names.filter(({ type }) => type === 'dns').map(({ value }) => `DNS:${value}`),
    ],
    fingerprint: digest.match(/../g)?.join(':'),
    not_before: time(certificate.notBefore),
    not_after: time(certificate.notAfter),
    serial_number: Number.parseInt(certificate.serialNumber, 16),
  };
}

it.each<readonly [certname: string, isQuick: boolean, names: readonly string[], isAdministrator: boolean]>([
  ['plain.example.com', true, [], false],
  ['names.example.com', true, ['puppet', 'puppet.example.com'], false],
  ['admin.example.com', true, [], true],
  ['address.example.com', false, ['10.0.0.1', 'puppet', '::1'], false],
])('shows of %s what the library reads, without it: %s', async (certname, isQuick, names, isAdministrator) => {
  const { certificate: pem } = await authority.generate(certname, names, isAdministrator);
  const der = new Uint8Array(x509.PemConverter.decodeFirst(pem));
  expect(readLeafParts(der) !== null).toBe(isQuick);
  const status = await statuses.get(certname);
  expect(status).toMatchObject({ name: certname, state: 'signed', ...byLibrary(pem) });
  expect(status?.authorization_extensions).toEqual(isAdministrator ? { pp_cli_auth: 'true' } : {});
});

it('shows the serial number of a certificate in decimal digits', async () => {
  for (let issued = 0; issued < 16; issued += 1) await authority.generate(`n${issued}.example.com`, [], false);
  const { certificate: pem } = await authority.generate('last.example.com', [], false);
  expect(byLibrary(pem).serial_number).toBeGreaterThan(16);
  expect((await statuses.get('last.example.com'))?.serial_number).toBe(byLibrary(pem).serial_number);
});

it('shows requests, and the state of certificates', async () => {
  const { request } = await makeRequest('web01.example.com', { extensions: [textExtension(AUTH_ROLE, 'web')] });
  await authority.submit('web01.example.com', request);
  const signed = await statuses.get('web01.example.com');
  expect(signed).toMatchObject({ state: 'signed', authorization_extensions: { pp_auth_role: 'web' } });
  await authority.revokeAll(['web01.example.com']);
  expect(await statuses.get('web01.example.com')).toEqual({ ...signed, state: 'revoked' });
  await documents.put('certificate-requests', 'web02.example.com', { pem: request, at: 1 });
  const requests = await statuses.listPage('requested', '', 10);
  expect(requests).toMatchObject([{ name: 'web02.example.com', state: 'requested' }]);
  expect(requests[0]?.not_after).toBeUndefined();
});
