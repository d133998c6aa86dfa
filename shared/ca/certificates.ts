import type { webcrypto } from 'node:crypto';
import { type KeyPair, RSA_SHA256 } from './keys.ts';
import { x509 } from './x509.ts';

const DAY_MS = 86_400_000;
/** Puppet's ca_ttl: five years. */
const LIFETIME_MS = 5 * 365 * DAY_MS;
const NETSCAPE_COMMENT = '2.16.840.1.113730.1.13';
const CRL_NUMBER = '2.5.29.20';
const COMMENT = 'Puppet Server Internal Certificate';

/** Who signs: the CA's certificate and private key. */
export interface Issuer {
  readonly certificate: x509.X509Certificate;
  readonly key: webcrypto.CryptoKey;
}

export interface LeafRequest {
  readonly certname: string;
  readonly publicKey: x509.PublicKey | webcrypto.CryptoKey;
  /** Hexadecimal. */
  readonly serial: string;
  readonly now: number;
  /** DNS names and addresses of a server; empty for a node. */
  readonly alternativeNames: readonly { readonly type: 'dns' | 'ip'; readonly value: string }[];
  readonly extensions: readonly x509.Extension[];
}

export interface RevokedSerial {
  readonly serial: string;
  readonly at: number;
}

/** A self-signed CA certificate of 15 years, as `puppetserver ca setup` names it. */
export async function makeCaCertificate(name: string, keys: KeyPair, now: number): Promise<x509.X509Certificate> {
  const flags = x509.KeyUsageFlags;
  return x509.X509CertificateGenerator.createSelfSigned({
    name: commonName(name),
    serialNumber: '01',
    notBefore: new Date(now - DAY_MS),
    notAfter: new Date(now + 3 * LIFETIME_MS),
    keys,
    signingAlgorithm: RSA_SHA256,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(flags.keyCertSign | flags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      comment('Puppet Server Internal Certificate'),
      await x509.AuthorityKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
}

/** A certificate for a node or a server, with the extensions that Puppet Server gives it. */
export async function signLeaf(issuer: Issuer, leaf: LeafRequest): Promise<x509.X509Certificate> {
  const flags = x509.KeyUsageFlags;
  const names = leaf.alternativeNames.map(({ type, value }) => ({ type, value }));
  return x509.X509CertificateGenerator.create({
    subject: commonName(leaf.certname),
    issuer: issuer.certificate.subjectName,
    serialNumber: leaf.serial,
    notBefore: new Date(leaf.now - DAY_MS),
    notAfter: new Date(leaf.now + LIFETIME_MS),
    publicKey: leaf.publicKey,
    signingKey: issuer.key,
    signingAlgorithm: RSA_SHA256,
    extensions: [
      comment(COMMENT),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.certificate.publicKey),
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth], true),
      new x509.KeyUsagesExtension(flags.digitalSignature | flags.keyEncipherment, true),
      await x509.SubjectKeyIdentifierExtension.create(leaf.publicKey),
      ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names)] : []),
      ...leaf.extensions,
    ],
  });
}

/** A revocation list; agents want its authority key identifier and a number that grows. */
export async function signCrl(
  issuer: Issuer,
  crlNumber: number,
  revoked: readonly RevokedSerial[],
  now: number,
): Promise<x509.X509Crl> {
  return x509.X509CrlGenerator.create({
    issuer: issuer.certificate.subjectName,
    thisUpdate: new Date(now - DAY_MS),
    nextUpdate: new Date(now + LIFETIME_MS),
    signingKey: issuer.key,
    signingAlgorithm: RSA_SHA256,
    entries: revoked.map(({ serial, at }) => ({
      serialNumber: serial,
      revocationDate: new Date(at),
      reason: x509.X509CrlReason.keyCompromise,
    })),
    extensions: [
      await x509.AuthorityKeyIdentifierExtension.create(issuer.certificate.publicKey),
      new x509.Extension(CRL_NUMBER, false, derInteger(crlNumber)),
    ],
  });
}

function commonName(name: string): x509.JsonName {
  return [{ CN: [name] }];
}

function comment(text: string): x509.Extension {
  const bytes = Buffer.from(text, 'ascii');
  return new x509.Extension(NETSCAPE_COMMENT, false, Buffer.from([0x16, bytes.length, ...bytes]));
}

function derInteger(value: number): Uint8Array<ArrayBuffer> {
  const digits = value.toString(16);
  const hex = digits.length % 2 === 0 ? digits : `0${digits}`;
  const bytes = Buffer.from(/^[89a-f]/.test(hex) ? `00${hex}` : hex, 'hex');
  return new Uint8Array([0x02, bytes.length, ...bytes]);
}
