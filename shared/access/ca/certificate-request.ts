import { createPublicKey, type KeyObject } from 'node:crypto';
import type { RequestedName } from './certificates.ts';
import { certnameFault } from './certname.ts';
import {
  AUTHORIZATION_EXTENSIONS,
  CLI_AUTHORIZATION,
  isInArc,
  PRIVATE_EXTENSIONS,
  REGISTERED_EXTENSIONS,
} from './oids.ts';
import type { SigningPolicy } from './signing-policy.ts';
import { x509 } from './x509.ts';

/** A rejected certificate request; the agent gets the message with status 400. */
export class CertificateRequestRejected extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'CertificateRequestRejected';
  }
}

/** A verified request: signed by the holder of its key, for the certname. */
export interface CertificateRequest {
  readonly certname: string;
  readonly pem: string;
  readonly publicKey: x509.PublicKey;
  /** All requested extensions; `checkRequest` decides whether they are allowed. */
  readonly extensions: readonly x509.Extension[];
  readonly alternativeNames: readonly RequestedName[];
  /** Why its key or signature is too weak; null when it is not. */
  readonly weakness: string | null;
}

const SUBJECT_ALTERNATIVE_NAME = '2.5.29.17';

/**
 * Reads a PEM request for `certname` and checks that its own key signed it and that its subject is
 * exactly the certname.
 */
export async function readCertificateRequest(pem: string, certname: string): Promise<CertificateRequest> {
  const request = parseRequest(pem);
  checkSubject(request, certname);
  const weakness = findRequestWeakness(request, certname);
  // A weak signature may be of a kind that cannot be verified.
  if (!(await isSignedByOwnKey(request))) {
    if (weakness !== null) throw new CertificateRequestRejected(weakness);
    throw new CertificateRequestRejected('CSR contains a public key that does not correspond to the signing key');
  }
  return {
    certname,
    pem: `${request.toString('pem')}\n`,
    publicKey: request.publicKey,
    extensions: request.extensions.filter((one) => one.type !== SUBJECT_ALTERNATIVE_NAME),
    alternativeNames: alternativeNames(request),
    weakness,
  };
}

/**
 * Rejects requests that ask for forbidden extensions or names, like Puppet Server before it signs
 * (certificate_authority.clj).
 */
export function checkRequest(request: CertificateRequest, policy: SigningPolicy): void {
  checkStrength(request, policy);
  checkAlternativeNames(request, policy.allowSubjectAltNames);
  const types = request.extensions.map(({ type }) => type);
  const { certname } = request;
  if (!policy.allowAuthorizationExtensions && types.some((type) => isInArc(type, AUTHORIZATION_EXTENSIONS))) {
    throw new CertificateRequestRejected(`CSR '${certname}' contains an authorization extension, which is disallowed.`);
  }
  // Puppet: no request may ask for the CA administrators' extension.
  const foreign = types.filter(
    (type) =>
      type === CLI_AUTHORIZATION || !isInArc(type, REGISTERED_EXTENSIONS, PRIVATE_EXTENSIONS, AUTHORIZATION_EXTENSIONS),
  );
  if (foreign.length > 0) {
    throw new CertificateRequestRejected(`Found extensions that are not permitted: ${foreign.join(', ')}`);
  }
}

/** Rejects a request with a weak key or signature, unless the policy allows them. */
export function checkStrength({ weakness }: CertificateRequest, { allowWeakKeys }: SigningPolicy): void {
  if (weakness !== null && !allowWeakKeys) throw new CertificateRequestRejected(weakness);
}

function parseRequest(pem: string): x509.Pkcs10CertificateRequest {
  try {
    return new x509.Pkcs10CertificateRequest(pem);
  } catch (error) {
    throw new CertificateRequestRejected('The request body is not a certificate request in PEM format', error);
  }
}

function checkSubject(request: x509.Pkcs10CertificateRequest, certname: string): void {
  const names = request.subjectName.toJSON().flatMap((part) => Object.entries(part));
  const [only, ...more] = names;
  const subject = only?.[0] === 'CN' && more.length === 0 && only[1].length === 1 ? only[1][0] : undefined;
  if (subject !== certname) {
    throw new CertificateRequestRejected(
      `Instance name "${subject ?? request.subject}" does not match requested key "${certname}"`,
    );
  }
  const fault = certnameFault(certname);
  if (fault !== null) throw new CertificateRequestRejected(fault);
}

function alternativeNames(request: x509.Pkcs10CertificateRequest): RequestedName[] {
  const names = request
    .getExtensions(SUBJECT_ALTERNATIVE_NAME)
    .flatMap((extension) => new x509.SubjectAlternativeNameExtension(extension.rawData).names.items);
  return names.map(({ type, value }) => {
    if (type === 'dns' || type === 'ip') return { type, value };
    const message = 'Only DNS and IP names are allowed in the Subject Alternative Names extension';
    throw new CertificateRequestRejected(message);
  });
}

// Puppet: the certname itself is always allowed among the alternative names
// (ensure-subject-alt-names-allowed!).
function checkAlternativeNames({ certname, alternativeNames }: CertificateRequest, areAllowed: boolean): void {
  const others = alternativeNames.filter(({ type, value }) => type !== 'dns' || value !== certname);
  if (!areAllowed && others.length > 0) {
    const names = others.map(({ type, value }) => `${type.toUpperCase()}:${value}`).join(', ');
    throw new CertificateRequestRejected(
      `CSR '${certname}' contains extra subject alternative names (${names}), which are disallowed.`,
    );
  }
  const wildcard = others.find(({ type, value }) => type === 'dns' && value.includes('*'));
  if (wildcard !== undefined) {
    throw new CertificateRequestRejected(
      `Cert subjectAltName contains a wildcard, which is not allowed: ${wildcard.value}`,
    );
  }
}

async function isSignedByOwnKey(request: x509.Pkcs10CertificateRequest): Promise<boolean> {
  try {
    return await request.verify();
  } catch {
    return false;
  }
}

/** Key sizes that RFC 8446 and the CA/Browser Forum accept. */
const LEAST_BITS = { rsa: 2048, ec: 256 } as const;
const LEAST_EXPONENT = 3n;

/**
 * Why somebody else could forge the key or the signature of a request: RSA below 2048 bits, a curve
 * below 256 bits, SHA-1, or an unknown kind of key. Null when nobody could.
 */
// Differs from Puppet: its server signs any key, and requests with SHA-1.
function findRequestWeakness(request: x509.Pkcs10CertificateRequest, certname: string): string | null {
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
