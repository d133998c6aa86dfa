import { generateKeys, generateServerKeys, privateKeyToPem } from '../../shared/access/ca/keys.ts';
import { x509 } from '../../shared/access/ca/x509.ts';

export interface RequestOptions {
  /** `CN=<certname>` by default. */
  readonly subject?: string;
  readonly extensions?: readonly x509.Extension[];
  readonly challengePassword?: string;
  /** Bits of an RSA key; a key on P-256 by default. */
  readonly rsaBits?: number;
  /** `SHA-256` by default. */
  readonly hash?: string;
}

/** Creates a key and a certificate request signed with it, both PEM. */
export async function makeRequest(
  certname: string,
  options: RequestOptions = {},
): Promise<{ readonly request: string; readonly key: string }> {
  const { challengePassword: challenge, rsaBits: bits, hash = 'SHA-256' } = options;
  const keys = await (bits === undefined ? generateServerKeys() : generateKeys({ type: 'rsa', bits }));
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: options.subject ?? `CN=${certname}`,
    keys,
    signingAlgorithm: { name: bits === undefined ? 'ECDSA' : 'RSASSA-PKCS1-v1_5', hash },
    extensions: [...(options.extensions ?? [])],
    attributes: challenge === undefined ? [] : [new x509.ChallengePasswordAttribute(challenge)],
  });
  return { request: request.toString('pem'), key: await privateKeyToPem(keys.privateKey) };
}

/**
 * Creates an extension with a string value, as agents put those of csr_attributes.yaml into their
 * requests.
 */
export function textExtension(oid: string, value: string): x509.Extension {
  const bytes = new TextEncoder().encode(value);
  return new x509.Extension(oid, false, new Uint8Array([0x0c, bytes.length, ...bytes]));
}
