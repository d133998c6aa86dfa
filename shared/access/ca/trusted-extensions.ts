import { DER_TAG, DerError, readDerElement } from '../../puppet/serialization/der-reader.ts';
import {
  AUTHORIZATION_EXTENSIONS,
  getExtensionName,
  isInArc,
  PRIVATE_EXTENSIONS,
  REGISTERED_EXTENSIONS,
} from './oids.ts';
import { x509 } from './x509.ts';

/** A certificate as DER, or already parsed: parsing takes more than a millisecond. */
type ReadableCertificate = Uint8Array | x509.X509Certificate;

/** Returns `$trusted['extensions']`: Puppet's extensions by short name, or by OID without one. */
export function readTrustedExtensions(certificate: ReadableCertificate): ReadonlyMap<string, string> {
  return extensionsOf(certificate, isTrusted);
}

/** Returns the extensions that are not in `$trusted`, by OID: authorization rules may use them. */
export function readExtensionsOutsideTrusted(certificate: ReadableCertificate): ReadonlyMap<string, string> {
  return extensionsOf(certificate, (oid) => !isTrusted(oid));
}

function isTrusted(oid: string): boolean {
  return isInArc(oid, REGISTERED_EXTENSIONS, PRIVATE_EXTENSIONS, AUTHORIZATION_EXTENSIONS);
}

function parse(certificate: ReadableCertificate): x509.X509Certificate {
  return certificate instanceof Uint8Array ? new x509.X509Certificate(new Uint8Array(certificate)) : certificate;
}

/** Selects the extensions that are in `$trusted`, or all others. Values are DER. */
export function selectExtensions(
  extensions: readonly { readonly type: string; readonly value: Uint8Array | ArrayBuffer }[],
  areTrusted: boolean,
): ReadonlyMap<string, string> {
  return toTexts(extensions, (oid) => isTrusted(oid) === areTrusted);
}

function extensionsOf(certificate: ReadableCertificate, wanted: (oid: string) => boolean): ReadonlyMap<string, string> {
  return toTexts(parse(certificate).extensions, wanted);
}

function toTexts(
  extensions: readonly { readonly type: string; readonly value: Uint8Array | ArrayBuffer }[],
  wanted: (oid: string) => boolean,
): ReadonlyMap<string, string> {
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

/** Kinds by the X.509 library's names. */
const KINDS: Readonly<Record<string, SubjectAlternativeName['kind']>> = {
  dns: 'dns-name',
  ip: 'ip',
  email: 'rfc822-name',
  url: 'uri',
  dn: 'directory-name',
  id: 'registered-id',
};

/** The subject alternative names of a certificate, except kinds without a text form. */
export function alternativeNames(certificate: ReadableCertificate): readonly SubjectAlternativeName[] {
  const { extensions } = parse(certificate);
  return extensions
    .filter(({ type }) => type === SUBJECT_ALTERNATIVE_NAME)
    .flatMap(({ rawData }) => new x509.SubjectAlternativeNameExtension(rawData).names.items)
    .flatMap(({ type, value }) => {
      const kind = KINDS[type];
      return kind === undefined ? [] : [{ kind, name: value }];
    });
}

const SUBJECT_ALTERNATIVE_NAME = '2.5.29.17';

/** Decodes the value of an extension: a DER string, or bare UTF-8. */
// Puppet: old releases signed bare text, so a value that is no DER string is taken as text
// (PUP-3560).
export function extensionText(der: Uint8Array): string {
  return new TextDecoder().decode(readString(der) ?? der);
}

/** Returns the content of a DER string; null when the input is anything else. */
function readString(der: Uint8Array): Uint8Array | null {
  try {
    const { tag, content, whole } = readDerElement(der);
    return STRINGS.has(tag) && whole.length === der.length ? content : null;
  } catch (error) {
    if (error instanceof DerError) return null;
    throw error;
  }
}

const STRINGS: ReadonlySet<number> = new Set([DER_TAG.utf8String, DER_TAG.printableString, DER_TAG.ia5String]);
