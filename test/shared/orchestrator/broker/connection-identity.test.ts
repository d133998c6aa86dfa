import { X509Certificate } from 'node:crypto';
import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { expect, it } from 'vitest';
import { identityOfCertificate } from '../../../../shared/access/authorization/certificate-identity.ts';
import { CertificateAuthority } from '../../../../shared/access/ca/authority.ts';
import { readClient } from '../../../../shared/orchestrator/broker/connection-identity.ts';
import { systemClock } from '../../../../shared/store/system-clock.ts';
import { MemoryDocuments } from '../../../helpers/memory-stores.ts';

/** A connection whose client showed this certificate. */
class ShownSocket extends TLSSocket {
  readonly shown: X509Certificate | undefined;

  constructor(shown: X509Certificate | undefined) {
    super(new Socket());
    this.shown = shown;
  }

  override getPeerX509Certificate(): X509Certificate | undefined {
    return this.shown;
  }
}

it.each([
  ['no other names', [], false],
  ['DNS names', ['web.example.com', '*.web.example.com'], false],
  ['names and an address', ['web.example.com', '127.0.0.1'], true],
])('the identity of a certificate with %s is that of the whole certificate', async (_, others, isAdministrator) => {
  const options = { name: 'ours', autosign: true, keyType: 'ec' } as const;
  const authority = await CertificateAuthority.open(new MemoryDocuments(), systemClock, options);
  const { certificate } = await authority.generate('web01.example.com', others, isAdministrator);
  const shown = new X509Certificate(certificate);
  const { identity, serial } = readClient(new ShownSocket(shown));
  const whole = identityOfCertificate(shown.raw);
  expect(serial).toBe(shown.serialNumber);
  expect([
    identity?.certname,
    identity?.alternativeNames,
    identity?.extensions,
    identity?.extensionsOutsideTrusted,
  ]).toEqual(['web01.example.com', whole?.alternativeNames, whole?.extensions, whole?.extensionsOutsideTrusted]);
});

it('there is none without a certificate', () => {
  expect(readClient(new ShownSocket(undefined))).toEqual({ identity: null, serial: null });
});
