import { AUTHORIZATION_EXTENSIONS, extensionName, isInArc, PRIVATE_EXTENSIONS, REGISTERED_EXTENSIONS } from './oids.ts';
import { x509 } from './x509.ts';

/** `$trusted['extensions']` of a client certificate (DER): Puppet's own extensions by name, else by number. */
export function trustedExtensions(certificate: Uint8Array): ReadonlyMap<string, string> {
  const parsed = new x509.X509Certificate(new Uint8Array(certificate));
  return new Map(
    parsed.extensions
      .filter(({ type }) => isInArc(type, REGISTERED_EXTENSIONS, PRIVATE_EXTENSIONS, AUTHORIZATION_EXTENSIONS))
      .map(({ type, value }) => [extensionName(type), extensionText(new Uint8Array(value))]),
  );
}

/** The text of an extension (DER). */
// Puppet: old releases signed the bare text; what is not a DER string is taken as it stands (PUP-3560).
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
