/** The X.509 library with its prerequisites; the only file that imports it. */
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

export { x509 };

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Parses all certificates of a PEM text, in order. */
export function certificatesInPem(pem: string): x509.X509Certificate[] {
  return (pem.match(CERTIFICATE) ?? []).map((one) => new x509.X509Certificate(one));
}

/** Whether two public keys are the same. */
export function hasSameKey(one: x509.PublicKey, other: x509.PublicKey): boolean {
  return Buffer.from(one.rawData).equals(Buffer.from(other.rawData));
}

/** Encodes certificates as one PEM text, in order. */
export function pemOf(certificates: readonly x509.X509Certificate[]): string {
  return certificates.map((one) => `${one.toString('pem')}\n`).join('');
}
