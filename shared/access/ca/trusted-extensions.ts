import {
  AUTHORIZATION_EXTENSIONS,
  getExtensionName,
  isInArc,
  PRIVATE_EXTENSIONS,
  REGISTERED_EXTENSIONS,
} from './oids.ts';
import { x509 } from './x509.ts';

/**
 * `$trusted['extensions']` of a client certificate (DER): Puppet's extensions by name, else by OID.
 */
export function readTrustedExtensions(certificate: Uint8Array): ReadonlyMap<string, string> {
  return extensionsOf(certificate, isTrusted);
}

/** All other extensions of a certificate (DER), by OID: authorization rules may use them. */
export function otherExtensions(certificate: Uint8Array): ReadonlyMap<string, string> {
  return extensionsOf(certificate, (oid) => !isTrusted(oid));
}

function isTrusted(oid: string): boolean {
  return isInArc(oid, REGISTERED_EXTENSIONS, PRIVATE_EXTENSIONS, AUTHORIZATION_EXTENSIONS);
}

function extensionsOf(certificate: Uint8Array, wanted: (oid: string) => boolean): ReadonlyMap<string, string> {
  const { extensions } = new x509.X509Certificate(new Uint8Array(certificate));
  return new Map(
    extensions
      .filter(({ type }) => wanted(type))
      .map(({ type, value }) => [getExtensionName(type), extensionText(new Uint8Array(value))]),
  );
}

/** Kinds of alternative names, with trapperkeeper-authorization's names. */
export const ALTERNATIVE_NAME_KINDS = [
  'dns-name',
  'ip',
  'rfc822-name',
  'uri',
  'directory-name',
  'registered-id',
] as const;

/** A subject alternative name of a certificate. */
export interface SubjectAlternativeName {
  readonly kind: (typeof ALTERNATIVE_NAME_KINDS)[number];
  readonly name: string;
}

/** The X.509 library's names of these kinds. */
const KINDS: Readonly<Record<string, SubjectAlternativeName['kind']>> = {
  dns: 'dns-name',
  ip: 'ip',
  email: 'rfc822-name',
  url: 'uri',
  dn: 'directory-name',
  id: 'registered-id',
};

/** The alternative names of a certificate (DER) that have a text form. */
export function alternativeNames(certificate: Uint8Array): readonly SubjectAlternativeName[] {
  const { extensions } = new x509.X509Certificate(new Uint8Array(certificate));
  return extensions
    .filter(({ type }) => type === SUBJECT_ALTERNATIVE_NAME)
    .flatMap(({ rawData }) => new x509.SubjectAlternativeNameExtension(rawData).names.items)
    .flatMap(({ type, value }) => {
      const kind = KINDS[type];
      return kind === undefined ? [] : [{ kind, name: value }];
    });
}

const SUBJECT_ALTERNATIVE_NAME = '2.5.29.17';

/** The text of an extension (DER). */
// Puppet: old releases signed the bare text, so a value that is not a DER string is used as it is
// (PUP-3560).
export function extensionText(der: Uint8Array): string {
  const UTF8 = 0x0c;
  const PRINTABLE = 0x13;
  const IA5 = 0x16;
  const [tag, length = 0] = der;
  const header = length < 0x80 ? 2 : 2 + (length & 0x7f);
  const isText = (tag === UTF8 || tag === PRINTABLE || tag === IA5) && derLength(der) === der.length - header;
  return new TextDecoder().decode(isText ? der.subarray(header) : der);
}

function derLength(der: Uint8Array): number {
  const first = der[1] ?? 0;
  if (first < 0x80) return first;
  return der.subarray(2, 2 + (first & 0x7f)).reduce((length, byte) => length * 256 + byte, 0);
}
