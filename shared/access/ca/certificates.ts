import type { webcrypto } from 'node:crypto';
import { DAY_MS } from '../../util/day.ts';
import { addRevocations, type CrlEntry } from './crl.ts';
import { encodeInteger } from './der-writer.ts';
import { type KeyPair, type SigningKey, signingKeyOf } from './keys.ts';
import { x509 } from './x509.ts';

/** Puppet's ca_ttl: five years. */
export const LIFETIME_MS = 5 * 365 * DAY_MS;
/** Lifetime of CA certificates, and of the revocation list of a root that signs nothing more. */
export const CA_LIFETIME_MS = 3 * LIFETIME_MS;
const NETSCAPE_COMMENT = '2.16.840.1.113730.1.13';
const CRL_NUMBER = '2.5.29.20';
const COMMENT = 'Puppet Server Internal Certificate';

/** The issuer: the CA's certificate and private key. */
export interface Issuer extends SigningKey {
  readonly certificate: x509.X509Certificate;
}

export interface LeafRequest {
  readonly certname: string;
  readonly publicKey: x509.PublicKey | webcrypto.CryptoKey;
  /** Hexadecimal. */
  readonly serial: string;
  readonly now: number;
  /** Five years by default. */
  readonly lifetimeMs?: number;
  /** DNS names and addresses; the certname is always added. */
  readonly alternativeNames: readonly RequestedName[];
  /** Extensions of the request, in addition to those of every certificate. */
  readonly extensions: readonly x509.Extension[];
}

export interface RequestedName {
  readonly type: 'dns' | 'ip';
  readonly value: string;
}

export interface RevokedSerial extends CrlEntry {
  /** Expiry of the certificate; absent when unknown. */
  readonly endsAt?: number;
}

/**
 * Creates a CA certificate valid for 15 years, like `puppetserver ca setup`: self-signed, or signed
 * by `issuer`.
 */
export async function makeCaCertificate(
  name: string,
  serialNumber: string,
  keys: KeyPair,
  now: number,
  issuer: Issuer | null = null,
): Promise<x509.X509Certificate> {
  const flags = x509.KeyUsageFlags;
  const by = issuer ?? signingKeyOf(keys);
  return x509.X509CertificateGenerator.create({
    subject: commonName(name),
    issuer: issuer?.certificate.subjectName ?? commonName(name),
    serialNumber,
    notBefore: new Date(now - DAY_MS),
    notAfter: new Date(now + CA_LIFETIME_MS),
    publicKey: keys.publicKey,
    signingKey: by.key,
    signingAlgorithm: by.algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(flags.keyCertSign | flags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      createComment(COMMENT),
      issuer === null ? await x509.AuthorityKeyIdentifierExtension.create(keys.publicKey) : await identifyKeyOf(issuer),
    ],
  });
}

/** Signs a certificate for a node or a server, with Puppet Server's extensions. */
export async function signLeaf(issuer: Issuer, leaf: LeafRequest): Promise<x509.X509Certificate> {
  const flags = x509.KeyUsageFlags;
  const names = leaf.alternativeNames.filter(({ type, value }) => type !== 'dns' || value !== leaf.certname);
  const all = [{ type: 'dns', value: leaf.certname } as const, ...names].map(({ type, value }) => ({ type, value }));
  return x509.X509CertificateGenerator.create({
    subject: commonName(leaf.certname),
    issuer: issuer.certificate.subjectName,
    serialNumber: leaf.serial,
    notBefore: new Date(leaf.now - DAY_MS),
    notAfter: endOf(issuer, leaf),
    publicKey: leaf.publicKey,
    signingKey: issuer.key,
    signingAlgorithm: issuer.algorithm,
    extensions: [
      createComment(COMMENT),
      await identifyKeyOf(issuer),
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth], true),
      new x509.KeyUsagesExtension(flags.digitalSignature | flags.keyEncipherment, true),
      await x509.SubjectKeyIdentifierExtension.create(leaf.publicKey),
      new x509.SubjectAlternativeNameExtension(all),
      ...leaf.extensions,
    ],
  });
}

/**
 * Signs a revocation list (DER). Agents require its authority key identifier and an increasing
 * number.
 */
export async function signCrl(
  issuer: Issuer,
  crlNumber: number,
  revoked: readonly RevokedSerial[],
  now: number,
  lifetimeMs = LIFETIME_MS,
): Promise<Uint8Array<ArrayBuffer>> {
  const empty = await x509.X509CrlGenerator.create({
    issuer: issuer.certificate.subjectName,
    thisUpdate: new Date(now - DAY_MS),
    nextUpdate: new Date(now + lifetimeMs),
    signingKey: issuer.key,
    signingAlgorithm: issuer.algorithm,
    extensions: [
      await identifyKeyOf(issuer),
      new x509.Extension(CRL_NUMBER, false, encodeInteger(crlNumber.toString(16))),
    ],
  });
  return revoked.length === 0 ? new Uint8Array(empty.rawData) : addRevocations(empty.rawData, revoked, issuer);
}

/** The expiry: no certificate outlives its CA. */
export function endOf(
  issuer: Issuer,
  { now, lifetimeMs = LIFETIME_MS }: Pick<LeafRequest, 'now' | 'lifetimeMs'>,
): Date {
  return new Date(Math.min(now + lifetimeMs, issuer.certificate.notAfter.getTime()));
}

/**
 * The identifier of the issuer's key, as its certificate gives it. Other CAs compute it in other
 * ways than ours, and OpenSSL finds no issuer by another identifier.
 */
async function identifyKeyOf({ certificate }: Pick<Issuer, 'certificate'>): Promise<x509.Extension> {
  const named = certificate.getExtension(x509.SubjectKeyIdentifierExtension);
  return named === null
    ? x509.AuthorityKeyIdentifierExtension.create(certificate.publicKey)
    : new x509.AuthorityKeyIdentifierExtension(named.keyId);
}

function commonName(name: string): x509.JsonName {
  return [{ CN: [name] }];
}

function createComment(text: string): x509.Extension {
  const bytes = Buffer.from(text, 'ascii');
  return new x509.Extension(NETSCAPE_COMMENT, false, Buffer.from([0x16, bytes.length, ...bytes]));
}
