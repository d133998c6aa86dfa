import { generateKeys, privateKeyToPem, signingKeyFromPem } from '../ca/keys.ts';
import { x509 } from '../ca/x509.ts';

/** A key with its certificate, which the provider knows us by. */
export interface SamlKey {
  /** PEM, PKCS #8. */
  readonly key: string;
  /** PEM. */
  readonly certificate: string;
}

const KEY = { type: 'rsa', bits: 2048 } as const;
const YEARS = 10;
const DAY_MS = 86_400_000;

/** Makes a key for our requests, with a certificate of its own for ten years. */
export async function makeSamlKey(host: string, serial: Uint8Array, now: number): Promise<SamlKey> {
  const keys = await generateKeys(KEY);
  const key = await privateKeyToPem(keys.privateKey);
  const signing = await signingKeyFromPem(key);
  const name = new x509.Name([{ CN: [{ utf8String: host }] }]);
  const certificate = await x509.X509CertificateGenerator.create({
    subject: name,
    issuer: name,
    // A serial number is positive.
    serialNumber: `7f${Buffer.from(serial).toString('hex')}`,
    notBefore: new Date(now - DAY_MS),
    notAfter: new Date(now + YEARS * 365 * DAY_MS),
    publicKey: keys.publicKey,
    signingKey: signing.key,
    signingAlgorithm: signing.algorithm,
    extensions: [new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true)],
  });
  return { key, certificate: `${certificate.toString('pem')}\n` };
}
