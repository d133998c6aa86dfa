import { webcrypto } from 'node:crypto';
import { x509 } from './x509.ts';

export type KeyPair = webcrypto.CryptoKeyPair;

export const RSA_SHA256 = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } as const;
const P256 = { name: 'ECDSA', namedCurve: 'P-256' } as const;

export async function generateRsaKeys(bits: number): Promise<KeyPair> {
  const algorithm = { ...RSA_SHA256, modulusLength: bits, publicExponent: new Uint8Array([1, 0, 1]) };
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

/** A key for a TLS server: signing with it costs a fraction of what RSA costs. */
export async function generateServerKeys(): Promise<KeyPair> {
  return webcrypto.subtle.generateKey(P256, true, ['sign', 'verify']);
}

/** PKCS #8 in PEM. */
export async function privateKeyToPem(key: webcrypto.CryptoKey): Promise<string> {
  return `${x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')}\n`;
}

export async function rsaPrivateKeyFromPem(pem: string): Promise<webcrypto.CryptoKey> {
  return webcrypto.subtle.importKey('pkcs8', x509.PemConverter.decodeFirst(pem), RSA_SHA256, false, ['sign']);
}
