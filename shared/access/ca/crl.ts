import { webcrypto } from 'node:crypto';
import { DER_TAG, readDerElements, readDerTime } from '../../puppet/serialization/der-reader.ts';
import { encodeElement, encodeInteger, encodeTime } from './der-writer.ts';
import type { SigningKey } from './keys.ts';
import { x509 } from './x509.ts';

/** A certificate revocation list (RFC 5280, 5). */
export interface Crl {
  /** DER. */
  readonly rawData: Uint8Array<ArrayBuffer>;
  /** The CA's name, in the form of a certificate's issuer. */
  readonly issuer: string;
  readonly nextUpdate?: Date;
  /** The list's CRL number, which increases; 0 without one. */
  readonly number: number;
  readonly entries: readonly CrlEntry[];
}

export interface CrlEntry {
  /** Hexadecimal, whole bytes, without the leading sign byte. */
  readonly serial: string;
  /** Time of the revocation, in milliseconds since the epoch. */
  readonly at: number;
}

const LIST = /-----BEGIN X509 CRL-----[^-]+-----END X509 CRL-----/g;
const NUMBER = '551d14';
/** The reason extension of an entry: key compromise, as Puppet gives for all. */
const REASON = Buffer.from('300c300a0603551d1504030a0101', 'hex');

/** Parses all revocation lists of a PEM text, in order. Throws when one is invalid. */
export function crlsInPem(pem: string): Crl[] {
  return (pem.match(LIST) ?? []).map((one) => readCrl(new Uint8Array(x509.PemConverter.decodeFirst(one))));
}

/** Encodes a revocation list as PEM, with a line feed at the end. */
export function crlToPem({ rawData }: Pick<Crl, 'rawData'>): string {
  return `${x509.PemConverter.encode(rawData, 'X509 CRL')}\n`;
}

function readCrl(rawData: Uint8Array<ArrayBuffer>): Crl {
  const [, name, , ...rest] = readFields(rawData);
  if (name === undefined) throw new Error('A revocation list has no issuer');
  const [next] = rest.filter(({ tag }) => tag === DER_TAG.utcTime || tag === DER_TAG.generalizedTime);
  const [revoked] = rest.filter(({ tag }) => tag === DER_TAG.sequence);
  const [extensions] = rest.filter(({ tag }) => tag === DER_TAG.first);
  return {
    rawData,
    issuer: new x509.Name(new Uint8Array(name.whole)).toString(),
    ...(next === undefined ? {} : { nextUpdate: new Date(readDerTime(next)) }),
    number: extensions === undefined ? 0 : numberIn(extensions.content),
    entries: revoked === undefined ? [] : readDerElements(revoked.content).map(({ content }) => entryOf(content)),
  };
}

/** Reads the signed fields of a list from the algorithm on; the version is skipped. */
function readFields(list: Uint8Array) {
  const [outer] = readDerElements(list);
  const [signed] = outer === undefined ? [] : readDerElements(outer.content);
  return signed === undefined ? [] : readDerElements(signed.content).filter(({ tag }) => tag !== DER_TAG.integer);
}

function entryOf(content: Uint8Array): CrlEntry {
  const [serial, at] = readDerElements(content);
  if (serial === undefined || at === undefined) throw new Error('An entry of a revocation list is truncated');
  return {
    serial: Buffer.from(serial.content)
      .toString('hex')
      .replace(/^00(?=.)/, ''),
    at: readDerTime(at),
  };
}

function numberIn(extensions: Uint8Array): number {
  const [all] = readDerElements(extensions);
  for (const { content } of all === undefined ? [] : readDerElements(all.content)) {
    const [oid, ...rest] = readDerElements(content);
    const value = rest.at(-1);
    if (oid === undefined || value === undefined || Buffer.from(oid.content).toString('hex') !== NUMBER) continue;
    const [number] = readDerElements(value.content);
    return Number.parseInt(Buffer.from(number?.content ?? []).toString('hex') || '0', 16);
  }
  return 0;
}

/** Adds entries to a list (DER) without entries, and signs it with the same key. */
export async function addRevocations(
  empty: ArrayBuffer,
  entries: readonly CrlEntry[],
  { key, algorithm }: SigningKey,
): Promise<Uint8Array<ArrayBuffer>> {
  const [outer] = readDerElements(new Uint8Array(empty));
  const [signed, name] = outer === undefined ? [] : readDerElements(outer.content);
  if (signed === undefined || name === undefined) throw new Error('invariant: a list has three parts');
  const before = readDerElements(signed.content);
  const last = before.filter(({ tag }) => tag === DER_TAG.first);
  const first = before.filter(({ tag }) => tag !== DER_TAG.first);
  const revoked = encodeElement(
    DER_TAG.sequence,
    ...entries.map(({ serial, at }) => encodeElement(DER_TAG.sequence, encodeInteger(serial), encodeTime(at), REASON)),
  );
  const whole = ({ whole }: { readonly whole: Uint8Array }) => whole;
  const list = encodeElement(DER_TAG.sequence, ...first.map(whole), revoked, ...last.map(whole));
  const signature = new Uint8Array(await webcrypto.subtle.sign(algorithm, key, list));
  const text = algorithm.name === 'ECDSA' ? pairOf(signature) : signature;
  return encodeElement(DER_TAG.sequence, list, name.whole, encodeElement(DER_TAG.bitString, new Uint8Array([0]), text));
}

/** An ECDSA signature in the form of certificates: a pair of integers (RFC 3279, 2.2.3). */
function pairOf(signature: Uint8Array): Uint8Array<ArrayBuffer> {
  const half = signature.length / 2;
  const digits = (part: Uint8Array) => Buffer.from(part).toString('hex');
  return encodeElement(
    DER_TAG.sequence,
    encodeInteger(digits(signature.subarray(0, half))),
    encodeInteger(digits(signature.subarray(half))),
  );
}
