import { X509Certificate } from 'node:crypto';
import { identityOfCertificate } from '../../access/authorization/certificate-identity.ts';
import type { Peer } from '../endpoint.ts';

/**
 * The identity in a client certificate (DER). The transport verifies signature and dates. Null
 * unless the subject is exactly one common name.
 */
export function peerOfCertificate(der: Uint8Array): Peer | null {
  const identity = identityOfCertificate(der);
  return identity && { ...identity, certificate: der };
}

/**
 * The identity in a client certificate (PEM) if this CA (PEM) signed it and it is valid at `now`;
 * else null. For transports that pass the certificate and may accept other CAs too.
 */
export function verifyPeer(pem: string, authorityPem: string, now: number): Peer | null {
  const certificate = new X509Certificate(pem);
  const authority = new X509Certificate(authorityPem);
  const isOurs = certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
  const isValid = certificate.validFromDate.getTime() <= now && now <= certificate.validToDate.getTime();
  return isOurs && isValid ? peerOfCertificate(certificate.raw) : null;
}
