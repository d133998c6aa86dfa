import {
  DER_TAG,
  type DerElement,
  DerError,
  readDerElements,
  readDerOid,
  readDerTime,
} from '../../puppet/serialization/der-reader.ts';

/** Fields of a certificate about its holder. */
export interface LeafParts {
  readonly certname: string;
  /** Hexadecimal, without the sign byte. */
  readonly serial: string;
  /** The name of the issuer, DER. */
  readonly issuer: Uint8Array;
  readonly extensions: readonly LeafExtension[];
  readonly dnsNames: readonly string[];
  /** See `readValidity`. */
  readonly validity: DerElement;
}

interface LeafExtension {
  /** The OID. */
  readonly type: string;
  /** DER. */
  readonly value: Uint8Array;
}

const TAG = { boolean: 0x01, octetString: 0x04, oid: 0x06, dnsName: 0x82, extensions: 0xa3 } as const;
const COMMON_NAME = '2.5.4.3';
const SUBJECT_ALTERNATIVE_NAME = '2.5.29.17';
const PLAIN_NAME = /^[\w.*-]{1,255}$/;
/** A number of an OID with more than six bytes before its last one, which JavaScript rounds. */
const LARGE_ARC = /[\x80-\xff]{7}/;

/**
 * Reads a certificate (DER) as Puppet's CAs and ours issue them: one common name of usual
 * characters, and DNS names only. Null for any other form, which the X.509 library reads. It takes
 * a hundredth of the library's 1.5 milliseconds for each connection, in which no other request is
 * answered.
 */
export function readLeafParts(der: Uint8Array): LeafParts | null {
  try {
    return readParts(der);
  } catch (error) {
    if (error instanceof DerError) return null;
    throw error;
  }
}

function readParts(der: Uint8Array): LeafParts | null {
  const [outer, ...behind] = readDerElements(der);
  const [signed, , , ...more] = outer?.tag === DER_TAG.sequence ? readDerElements(outer.content) : [];
  if (signed?.tag !== DER_TAG.sequence || behind.length + more.length > 0) return null;
  const [version, serial, , issuer, validity, subject, , extensions, ...others] = readDerElements(signed.content);
  if (version?.tag !== DER_TAG.first || serial?.tag !== DER_TAG.integer || issuer?.tag !== DER_TAG.sequence)
    return null;
  if (validity?.tag !== DER_TAG.sequence || extensions?.tag !== TAG.extensions || others.length > 0) return null;
  const certname = subject === undefined ? null : readCommonName(subject);
  const list = readExtensions(extensions);
  const dnsNames = list && readDnsNames(list);
  const number = readSerial(serial);
  if (certname === null || number === null || list === null || dnsNames === null) return null;
  return { certname, serial: number, issuer: issuer.whole, extensions: list, dnsNames, validity };
}

/** From when until when a certificate is valid. Throws DerError. */
export function readValidity({ validity }: Pick<LeafParts, 'validity'>): readonly [from: Date, to: Date] {
  const [from, to] = readDerElements(validity.content);
  if (from === undefined || to === undefined) throw new DerError('A certificate has no validity');
  return [new Date(readDerTime(from)), new Date(readDerTime(to))];
}

function readCommonName({ tag, content }: DerElement): string | null {
  const [set, ...otherSets] = tag === DER_TAG.sequence ? readDerElements(content) : [];
  const [part, ...otherParts] = set?.tag === DER_TAG.set ? readDerElements(set.content) : [];
  const [oid, value, ...more] = part?.tag === DER_TAG.sequence ? readDerElements(part.content) : [];
  if (oid === undefined || value === undefined || otherSets.length + otherParts.length + more.length > 0) return null;
  const isText = value.tag === DER_TAG.utf8String || value.tag === DER_TAG.printableString;
  return isText && readOid(oid) === COMMON_NAME ? readPlainName(value.content) : null;
}

function readExtensions({ content }: DerElement): readonly LeafExtension[] | null {
  const [all, ...behind] = readDerElements(content);
  if (all?.tag !== DER_TAG.sequence || behind.length > 0) return null;
  const found = readDerElements(all.content).map((one) => {
    const [oid, ...rest] = one.tag === DER_TAG.sequence ? readDerElements(one.content) : [];
    const value = rest.at(-1);
    const isUsual = rest.length === 1 || (rest.length === 2 && rest[0]?.tag === TAG.boolean);
    const type = oid === undefined ? null : readOid(oid);
    return isUsual && type !== null && value?.tag === TAG.octetString ? { type, value: value.content } : null;
  });
  const usual = found.filter((one) => one !== null);
  return usual.length === found.length ? usual : null;
}

function readDnsNames(extensions: readonly LeafExtension[]): readonly string[] | null {
  const names: (string | null)[] = [];
  for (const { type, value } of extensions) {
    if (type !== SUBJECT_ALTERNATIVE_NAME) continue;
    const [list, ...behind] = readDerElements(value);
    if (list?.tag !== DER_TAG.sequence || behind.length > 0) return null;
    names.push(
      ...readDerElements(list.content).map((one) => (one.tag === TAG.dnsName ? readPlainName(one.content) : null)),
    );
  }
  const plain = names.filter((name) => name !== null);
  return plain.length === names.length ? plain : null;
}

function readOid(element: DerElement): string | null {
  const isUsual = element.tag === TAG.oid && !LARGE_ARC.test(Buffer.from(element.content).toString('latin1'));
  return isUsual ? readDerOid(element) : null;
}

function readPlainName(content: Uint8Array): string | null {
  const text = Buffer.from(content).toString('latin1');
  return PLAIN_NAME.test(text) ? text : null;
}

/** Null for a negative number, and for one with more zeros than needed. */
function readSerial({ content }: DerElement): string | null {
  const [first = 0x80, second] = content;
  const isSigned = first === 0 && second !== undefined;
  if (first >= 0x80 || (isSigned && second < 0x80)) return null;
  return Buffer.from(content.subarray(isSigned ? 1 : 0)).toString('hex');
}
