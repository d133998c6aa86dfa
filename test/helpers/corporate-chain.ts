import { type Issuer, type RevokedSerial, signCrl } from '../../shared/access/ca/certificates.ts';
import { crlToPem } from '../../shared/access/ca/crl.ts';
import type { PuppetAuthority } from '../../shared/access/ca/import-authority.ts';
import { generateKeys, generateServerKeys, privateKeyToPem, signingKeyOf } from '../../shared/access/ca/keys.ts';
import { pemOf, x509 } from '../../shared/access/ca/x509.ts';

const DAY_MS = 86_400_000;

/** A CA of a company: a root, a CA below it, and below that the CA of a Puppet Server. */
export interface CorporateChain {
  readonly root: Issuer;
  readonly middle: Issuer;
  readonly signing: Issuer;
  readonly key: string;
  /** A list of one of them, PEM. */
  readonly listOf: (
    issuer: Issuer,
    number: number,
    revoked?: readonly RevokedSerial[],
    lifetimeMs?: number,
  ) => Promise<string>;
  /** The files of that Puppet Server, before it signed anything. */
  readonly files: PuppetAuthority;
}

/**
 * Makes such a chain. Its names have several parts and characters beyond ASCII, and the identifiers
 * of its keys are not computed as Puppet computes them.
 */
export async function makeCorporateChain(now: number): Promise<CorporateChain> {
  const root = await makeIssuer('Root', 1, now, null);
  const middle = await makeIssuer('Issuing', 2, now, root.issuer);
  const signing = await makeIssuer('Puppet CA: corp', 3, now, middle.issuer);
  const listOf: CorporateChain['listOf'] = async (issuer, number, revoked = [], lifetimeMs = 90 * DAY_MS) =>
    crlToPem({ rawData: await signCrl(issuer, number, revoked, now, lifetimeMs) });
  const chain = [signing, middle, root].map(({ issuer }) => issuer);
  const lists = await Promise.all(chain.map((issuer) => listOf(issuer, 7)));
  return {
    root: root.issuer,
    middle: middle.issuer,
    signing: signing.issuer,
    key: signing.key,
    listOf,
    files: {
      certificates: pemOf(chain.map(({ certificate }) => certificate)),
      key: signing.key,
      revocationLists: lists.join(''),
      serial: '0001\n',
      inventory: '',
      signed: [],
    },
  };
}

async function makeIssuer(name: string, serial: number, now: number, above: Issuer | null) {
  const keys = await (above === null ? generateKeys({ type: 'rsa', bits: 2048 }) : generateServerKeys());
  const subject: x509.JsonName = [{ C: ['DE'] }, { O: ['Söhne, Müller & Co'] }, { CN: [name] }];
  const flags = x509.KeyUsageFlags;
  const signing = signingKeyOf(keys);
  const certificate = await x509.X509CertificateGenerator.create({
    subject,
    issuer: above?.certificate.subjectName ?? subject,
    serialNumber: `0${serial}`,
    notBefore: new Date(now - DAY_MS),
    notAfter: new Date(now + 3650 * DAY_MS),
    publicKey: keys.publicKey,
    signingKey: (above ?? signing).key,
    signingAlgorithm: (above ?? signing).algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(flags.keyCertSign | flags.cRLSign, true),
      new x509.SubjectKeyIdentifierExtension(`c0ffee0${serial}`),
      ...(above === null ? [] : [new x509.AuthorityKeyIdentifierExtension(`c0ffee0${serial - 1}`)]),
    ],
  });
  return { issuer: { certificate, ...signing }, key: await privateKeyToPem(keys.privateKey) };
}
