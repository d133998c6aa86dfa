import { createPrivateKey, type KeyObject, webcrypto } from 'node:crypto';
import { x509 } from './x509.ts';

export type KeyPair = webcrypto.CryptoKeyPair;

/** Key types of a CA: RSA with a number of bits, or ECDSA on P-256. */
export type KeyKind = { readonly type: 'rsa'; readonly bits: number } | { readonly type: 'ec' };

/** A private key with its signing algorithm. */
export interface SigningKey {
  readonly key: webcrypto.CryptoKey;
  readonly algorithm: { readonly name: string; readonly hash: string };
}

/** Error for a key that cannot sign certificates; the message gives the reason. */
export class UnusableKey extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'UnusableKey';
  }
}

const RSA_SHA256 = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } as const;
const HASHES = { 'P-256': 'SHA-256', 'P-384': 'SHA-384', 'P-521': 'SHA-512' } as const;
const CURVES: Readonly<Record<string, keyof typeof HASHES>> = {
  prime256v1: 'P-256',
  secp384r1: 'P-384',
  secp521r1: 'P-521',
};

/** Generates an exportable key pair: ECDSA on P-256, or RSA with `bits` bits. */
export async function generateKeys(kind: KeyKind): Promise<KeyPair> {
  if (kind.type === 'ec') return generateServerKeys();
  const algorithm = { ...RSA_SHA256, modulusLength: kind.bits, publicExponent: new Uint8Array([1, 0, 1]) };
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

/** Generates an ECDSA key for a TLS server: it signs at a fraction of the cost of RSA. */
export async function generateServerKeys(): Promise<KeyPair> {
  return webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
}

/** Exports a key as PKCS #8 in PEM. */
export async function privateKeyToPem(key: webcrypto.CryptoKey): Promise<string> {
  return `${x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')}\n`;
}

/** Reads an RSA or ECDSA key in any PEM form that OpenSSL writes. Throws UnusableKey. */
export async function signingKeyFromPem(pem: string): Promise<SigningKey> {
  const key = parseKey(pem);
  const der = key.export({ type: 'pkcs8', format: 'der' });
  if (key.asymmetricKeyType === 'rsa') {
    return { key: await webcrypto.subtle.importKey('pkcs8', der, RSA_SHA256, true, ['sign']), algorithm: RSA_SHA256 };
  }
  const curve = CURVES[key.asymmetricKeyDetails?.namedCurve ?? ''];
  if (curve === undefined) throw new UnusableKey('a CA key must be RSA, or ECDSA on P-256, P-384 or P-521');
  const algorithm = { name: 'ECDSA', namedCurve: curve } as const;
  return {
    key: await webcrypto.subtle.importKey('pkcs8', der, algorithm, true, ['sign']),
    algorithm: { name: 'ECDSA', hash: HASHES[curve] },
  };
}

/** The private key of a generated pair, with its signing algorithm. */
export function signingKeyOf({ privateKey }: KeyPair): SigningKey {
  const isRsa = privateKey.algorithm.name === RSA_SHA256.name;
  return { key: privateKey, algorithm: isRsa ? RSA_SHA256 : { name: 'ECDSA', hash: 'SHA-256' } };
}

function parseKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    throw new UnusableKey(`the private key cannot be read: ${error instanceof Error ? error.message : error}`, error);
  }
}
