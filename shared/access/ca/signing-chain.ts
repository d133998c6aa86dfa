import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import { StoreRefused } from '../../store/ports/store-errors.ts';
import { type Crl, crlsInPem } from './crl.ts';
import { certificatesInPem, x509 } from './x509.ts';

/** The certificates of a CA. */
interface SigningChain {
  /** The certificate that signs, then that of each CA above it, up to the root. */
  readonly path: readonly x509.X509Certificate[];
  /** Further certificates that agents trust. */
  readonly others: readonly x509.X509Certificate[];
}

/**
 * Orders the certificates of a bundle (PEM). The certificate of the key (PEM) signs; without one,
 * the first does. Throws StoreRefused when a certificate between it and a root is missing.
 */
export function orderChain(bundle: string, keyPem: string): SigningChain {
  const all = certificatesInPem(bundle);
  const publicKey = readPublicKey(keyPem);
  const first = all.find((one) => publicKey?.equals(Buffer.from(one.publicKey.rawData))) ?? all[0];
  if (first === undefined) throw new StoreRefused('the CA has no certificate');
  const path = [first];
  for (let last = first; last.subject !== last.issuer; ) {
    const above = all.find((one) => !path.includes(one) && isIssuedBy(last, one));
    if (above === undefined) {
      throw new StoreRefused(`ca_crt.pem has no certificate of ${last.issuer}, which issued ${last.subject}`);
    }
    path.push(above);
    last = above;
  }
  return { path, others: all.filter((one) => !path.includes(one)) };
}

/**
 * The newest list (by number) that a CA signed, of those in a text (PEM); null without one. Lists
 * of a former key of that CA do not count.
 */
export async function newestListOf(authority: x509.X509Certificate, pem: string): Promise<Crl | null> {
  let newest: Crl | null = null;
  for (const list of crlsInPem(pem)) {
    if (list.issuer !== authority.subject || (newest !== null && list.number <= newest.number)) continue;
    if (await new x509.X509Crl(list.rawData).verify({ publicKey: authority.publicKey })) newest = list;
  }
  return newest;
}

function isIssuedBy(one: x509.X509Certificate, other: x509.X509Certificate): boolean {
  const [certificate, issuer] = [one, other].map(({ rawData }) => new X509Certificate(Buffer.from(rawData)));
  return (
    certificate !== undefined &&
    issuer !== undefined &&
    certificate.checkIssued(issuer) &&
    certificate.verify(issuer.publicKey)
  );
}

/** The public part of a private key, DER; null for a key that cannot be read. */
function readPublicKey(pem: string): Buffer | null {
  try {
    return createPublicKey(createPrivateKey(pem)).export({ type: 'spki', format: 'der' });
  } catch {
    return null;
  }
}
