import { createPublicKey, type KeyObject } from 'node:crypto';
import type { x509 } from './x509.ts';

/** Key sizes that RFC 8446 and the CA/Browser Forum accept. */
const LEAST_BITS = { rsa: 2048, ec: 256 } as const;
const LEAST_EXPONENT = 3n;

/**
 * Why somebody else could forge the key or the signature of a request: RSA below 2048 bits, a curve
 * below 256 bits, SHA-1, or an unknown kind of key. Null when nobody could.
 */
// Differs from Puppet: its server signs any key, and requests with SHA-1.
export function findRequestWeakness(request: x509.Pkcs10CertificateRequest, certname: string): string | null {
  const key = readKey(request);
  const weakness = key === null ? 'of an unknown kind' : findWeakness(key);
  if (weakness !== null) return `CSR '${certname}' contains a weak key (${weakness}), which is disallowed.`;
  const { hash } = request.signatureAlgorithm;
  return hash?.name === 'SHA-1' ? `CSR '${certname}' is signed with SHA-1, which is disallowed.` : null;
}

function readKey(request: x509.Pkcs10CertificateRequest): KeyObject | null {
  try {
    return createPublicKey({ key: Buffer.from(request.publicKey.rawData), format: 'der', type: 'spki' });
  } catch {
    return null;
  }
}

function findWeakness({ asymmetricKeyType: type, asymmetricKeyDetails: details = {} }: KeyObject): string | null {
  switch (type) {
    case 'rsa': {
      const { modulusLength: bits = 0, publicExponent = 0n } = details;
      if (bits < LEAST_BITS.rsa) return `RSA of ${bits} bits; at least ${LEAST_BITS.rsa} are needed`;
      return publicExponent < LEAST_EXPONENT ? `RSA with the exponent ${publicExponent}` : null;
    }
    case 'ec': {
      const { namedCurve = 'an unnamed curve' } = details;
      const bits = Number(/\d{3}/.exec(namedCurve)?.[0] ?? 0);
      return bits < LEAST_BITS.ec ? `${namedCurve}; a curve of at least ${LEAST_BITS.ec} bits is needed` : null;
    }
    case 'ed25519':
    case 'ed448':
      return null;
    default:
      return `of type ${type}`;
  }
}
