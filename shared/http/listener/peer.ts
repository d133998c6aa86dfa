import { X509Certificate } from 'node:crypto';
import { alternativeNames, otherExtensions, readTrustedExtensions } from '../../access/ca/trusted-extensions.ts';
import { x509 } from '../../access/ca/x509.ts';
import type { Peer } from '../endpoint.ts';

/**
 * The identity in a client certificate (DER). The transport verifies signature and dates. Null
 * unless the subject is exactly one common name.
 */
export function peerOfCertificate(der: Uint8Array): Peer | null {
  const certificate = new x509.X509Certificate(new Uint8Array(der));
  const names = certificate.subjectName.toJSON().flatMap((part) => Object.entries(part));
  const [only, ...more] = names;
  const certname = only?.[0] === 'CN' && more.length === 0 && only[1].length === 1 ? only[1][0] : undefined;
  if (certname === undefined) return null;
  return {
    certname,
    serial: certificate.serialNumber,
    extensions: readTrustedExtensions(certificate),
    otherExtensions: otherExtensions(certificate),
    alternativeNames: alternativeNames(certificate),
    issuer: certificate.issuer,
    certificate: der,
  };
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
