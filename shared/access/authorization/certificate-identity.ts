import { alternativeNames, otherExtensions, readTrustedExtensions } from '../ca/trusted-extensions.ts';
import { x509 } from '../ca/x509.ts';
import type { Identity } from './access-entry.ts';

/** The identity in a client certificate, with what names the certificate itself. */
export interface CertificateIdentity extends Required<Identity> {
  /** Hexadecimal. */
  readonly serial: string;
  /** The name of the issuing CA. */
  readonly issuer: string;
}

/**
 * The identity in a client certificate (DER). The transport verifies signature and dates. Null
 * unless the subject is exactly one common name.
 */
export function identityOfCertificate(der: Uint8Array): CertificateIdentity | null {
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
  };
}
