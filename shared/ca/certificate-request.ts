import { certnameFault } from './certname.ts';
import { AUTHORIZATION_EXTENSIONS, isInArc, PRIVATE_EXTENSIONS, REGISTERED_EXTENSIONS } from './oids.ts';
import { x509 } from './x509.ts';

/** A certificate request that will not be signed; the message is shown to the agent with status 400. */
export class CertificateRequestRejected extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'CertificateRequestRejected';
  }
}

export interface CheckedRequest {
  readonly certname: string;
  readonly pem: string;
  readonly publicKey: x509.PublicKey;
  /** Puppet's own extensions, to be copied into the certificate. */
  readonly extensions: readonly x509.Extension[];
}

const SUBJECT_ALTERNATIVE_NAME = '2.5.29.17';

/**
 * Reads a PEM request for `certname` and checks it as Puppet Server does (certificate_authority.clj): it is signed with
 * its own key, its subject is the certname and nothing else, and it asks for no extension that a node may not choose.
 */
export async function readCertificateRequest(pem: string, certname: string): Promise<CheckedRequest> {
  const request = parseRequest(pem);
  checkSubject(request, certname);
  checkExtensions(request, certname);
  if (!(await isSignedByOwnKey(request))) {
    throw new CertificateRequestRejected('CSR contains a public key that does not correspond to the signing key');
  }
  return {
    certname,
    pem: `${request.toString('pem')}\n`,
    publicKey: request.publicKey,
    extensions: request.extensions.filter((one) => one.type !== SUBJECT_ALTERNATIVE_NAME),
  };
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

function checkExtensions(request: x509.Pkcs10CertificateRequest, certname: string): void {
  const types = request.extensions.map((extension) => extension.type);
  if (types.some((type) => isInArc(type, AUTHORIZATION_EXTENSIONS))) {
    throw new CertificateRequestRejected(`CSR '${certname}' contains an authorization extension, which is disallowed.`);
  }
  const known = (type: string) =>
    type === SUBJECT_ALTERNATIVE_NAME || isInArc(type, REGISTERED_EXTENSIONS, PRIVATE_EXTENSIONS);
  const foreign = types.filter((type) => !known(type));
  if (foreign.length > 0) {
    throw new CertificateRequestRejected(`Found extensions that are not permitted: ${foreign.join(', ')}`);
  }
  checkAlternativeNames(request, certname);
}

// Puppet: the certname itself may stand among the alternative names, nothing else (validate-dns-alt-names!).
function checkAlternativeNames(request: x509.Pkcs10CertificateRequest, certname: string): void {
  const others = request
    .getExtensions(SUBJECT_ALTERNATIVE_NAME)
    .flatMap((extension) => new x509.SubjectAlternativeNameExtension(extension.rawData).names.items)
    .filter((name) => name.type !== 'dns' || name.value !== certname)
    .map((name) => `${name.type.toUpperCase()}:${name.value}`);
  if (others.length > 0) {
    throw new CertificateRequestRejected(
      `CSR '${certname}' contains extra subject alternative names (${others.join(', ')}), which are disallowed.`,
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
