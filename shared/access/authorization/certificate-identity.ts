import { BoundedCache } from '../../util/bounded-cache.ts';
import { type LeafParts, readLeafParts } from '../ca/leaf-parts.ts';
import {
  alternativeNames,
  readExtensionsOutsideTrusted,
  readTrustedExtensions,
  selectExtensions,
} from '../ca/trusted-extensions.ts';
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
  const parts = readLeafParts(der);
  return parts === null ? identityByLibrary(der) : identityOf(parts);
}

function identityOf({ certname, serial, issuer, extensions, dnsNames }: LeafParts): CertificateIdentity {
  return {
    certname,
    serial,
    extensions: selectExtensions(extensions, true),
    extensionsOutsideTrusted: selectExtensions(extensions, false),
    alternativeNames: dnsNames.map((name) => ({ kind: 'dns-name', name })),
    issuer: readName(issuer),
  };
}

/** The names of the CAs that issued certificates, by their DER. */
const names = new BoundedCache<string>(64);

function readName(der: Uint8Array): string {
  const key = Buffer.from(der).toString('latin1');
  const known = names.get(key);
  if (known !== undefined) return known;
  const name = new x509.Name(new Uint8Array(der)).toString();
  names.set(key, name);
  return name;
}

/** The same by the X.509 library, for certificates of any form. */
export function identityByLibrary(der: Uint8Array): CertificateIdentity | null {
  const certificate = new x509.X509Certificate(new Uint8Array(der));
  const names = certificate.subjectName.toJSON().flatMap((part) => Object.entries(part));
  const [only, ...more] = names;
  const certname = only?.[0] === 'CN' && more.length === 0 && only[1].length === 1 ? only[1][0] : undefined;
  if (certname === undefined) return null;
  return {
    certname,
    serial: certificate.serialNumber,
    extensions: readTrustedExtensions(certificate),
    extensionsOutsideTrusted: readExtensionsOutsideTrusted(certificate),
    alternativeNames: alternativeNames(certificate),
    issuer: certificate.issuer,
  };
}
