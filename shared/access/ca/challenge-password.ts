import { timingSafeEqual } from 'node:crypto';
import { digestSha256 } from '../../util/digest.ts';
import type { Autosign } from './signing-policy.ts';
import { x509 } from './x509.ts';

/** The attribute `challengePassword` of PKCS #9, which csr_attributes.yaml of a node may set. */
const CHALLENGE_PASSWORD = '1.2.840.113549.1.9.7';

/**
 * Restricts `autosign` to requests with this challenge password, as proof that the node is one of
 * ours. Without a password, nothing is signed automatically.
 */
export function requireChallenge(autosign: boolean | Autosign, password: string): Autosign {
  const decide = typeof autosign === 'function' ? autosign : async () => autosign;
  return async (certname, pem) => hasChallenge(pem, password) && (await decide(certname, pem));
}

function hasChallenge(requestPem: string, password: string): boolean {
  const attribute = new x509.Pkcs10CertificateRequest(requestPem).getAttribute(CHALLENGE_PASSWORD);
  if (password === '' || !(attribute instanceof x509.ChallengePasswordAttribute)) return false;
  const [given, expected] = [attribute.password, password].map((text) => Buffer.from(digestSha256(text)));
  return given !== undefined && expected !== undefined && timingSafeEqual(given, expected);
}
