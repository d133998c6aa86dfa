import { type Clock, type DocumentStore, type StoredDocument, StoreRefused } from '../store/ports.ts';
import { CertificateRequestRejected, readCertificateRequest } from './certificate-request.ts';
import { type Issuer, makeCaCertificate, signLeaf } from './certificates.ts';
import { generateRsaKeys, generateServerKeys, privateKeyToPem, rsaPrivateKeyFromPem } from './keys.ts';
import { RevocationList } from './revocation-list.ts';
import { allocateSerial } from './serials.ts';
import { x509 } from './x509.ts';

export interface AuthorityOptions {
  /** What the CA is called: the subject is `Puppet CA: <name>`. */
  readonly name: string;
  /** Whether requests are signed as they arrive. */
  readonly autosign: boolean;
  /** Bits of the CA's RSA key, when one is made. */
  readonly keyBits: number;
}

export interface ServerCredentials {
  /** PEM. */
  readonly certificate: string;
  /** PEM, PKCS #8. */
  readonly key: string;
}

const AUTHORITY = 'ca';
const CERTIFICATES = 'certificates';
const REQUESTS = 'certificate-requests';
/** Stands before a server's name in the key of its credentials. */
const SERVER = 'server-';
const MOST_SERVERS = 1000;
const RENEW_BEFORE_MS = 30 * 86_400_000;

/**
 * The embedded certificate authority: one self-signed CA, its key and everything it signed in the document store.
 * Methods throw `StoreUnavailable` as the store does; what a caller did wrong is a `CertificateRequestRejected`.
 */
export class CertificateAuthority {
  readonly certificatePem: string;
  readonly revocations: RevocationList;
  readonly #issuer: Issuer;
  readonly #documents: DocumentStore;
  readonly #clock: Clock;
  readonly #autosign: boolean;

  private constructor(issuer: Issuer, revocations: RevocationList, parts: AuthorityParts) {
    this.#issuer = issuer;
    this.certificatePem = `${issuer.certificate.toString('pem')}\n`;
    this.revocations = revocations;
    this.#documents = parts.documents;
    this.#clock = parts.clock;
    this.#autosign = parts.autosign;
  }

  /** Opens the CA of this store; makes it when there is none. */
  static async open(documents: DocumentStore, clock: Clock, options: AuthorityOptions): Promise<CertificateAuthority> {
    const stored = (await documents.get(AUTHORITY, 'authority')) ?? (await makeAuthority(documents, clock, options));
    return CertificateAuthority.#load(stored, documents, clock, options.autosign);
  }

  /** Opens the CA of this store, which does not sign by itself. Throws StoreRefused when there is none. */
  static async openExisting(documents: DocumentStore, clock: Clock): Promise<CertificateAuthority> {
    const stored = await documents.get(AUTHORITY, 'authority');
    if (stored === null) throw new StoreRefused('there is no certificate authority in this store yet');
    return CertificateAuthority.#load(stored, documents, clock, false);
  }

  static async #load(
    stored: StoredDocument,
    documents: DocumentStore,
    clock: Clock,
    autosign: boolean,
  ): Promise<CertificateAuthority> {
    const issuer = {
      certificate: new x509.X509Certificate(text(stored, 'certificate')),
      key: await rsaPrivateKeyFromPem(text(stored, 'key')),
    };
    const revocations = await RevocationList.open(documents, clock, issuer);
    return new CertificateAuthority(issuer, revocations, { documents, clock, autosign });
  }

  /** Accepts a PEM request; signed at once with autosign, else kept for `sign`. */
  async submit(certname: string, pem: string): Promise<void> {
    await this.#refuseDuplicate(certname);
    await this.#refuseServerName(certname);
    const request = await readCertificateRequest(pem, certname);
    if (!(await this.#documents.create(REQUESTS, certname, { pem: request.pem, at: this.#clock.now() }))) {
      throw alreadyHas(certname, 'requested');
    }
    if (this.#autosign) await this.sign(certname);
  }

  /** Signs the waiting request of `certname` and returns the certificate; null when there is none. */
  async sign(certname: string): Promise<string | null> {
    const waiting = await this.#documents.get(REQUESTS, certname);
    if (waiting === null) return null;
    const request = await readCertificateRequest(text(waiting, 'pem'), certname);
    const serial = await allocateSerial(this.#documents, certname);
    const leaf = { ...request, serial, now: this.#clock.now(), alternativeNames: [] };
    const certificate = await signLeaf(this.#issuer, leaf);
    const pem = `${certificate.toString('pem')}\n`;
    const isNew = await this.#documents.create(CERTIFICATES, certname, { pem, serial });
    if (!isNew) throw alreadyHas(certname, 'signed');
    await this.#documents.delete(REQUESTS, certname);
    return pem;
  }

  /** The signed certificate in PEM, or null. */
  async certificate(certname: string): Promise<string | null> {
    const stored = await this.#documents.get(CERTIFICATES, certname);
    return stored === null ? null : text(stored, 'pem');
  }

  /** The waiting request in PEM, or null. */
  async request(certname: string): Promise<string | null> {
    const stored = await this.#documents.get(REQUESTS, certname);
    return stored === null ? null : text(stored, 'pem');
  }

  /** Certnames whose requests wait for a signature. */
  async waiting(limit: number): Promise<readonly string[]> {
    return (await this.#documents.list(REQUESTS, '', limit)).map(({ key }) => key);
  }

  /** Revokes the certificate of `certname` and forgets it, so that the node may ask for another; false when there is none. */
  async clean(certname: string): Promise<boolean> {
    await this.#documents.delete(REQUESTS, certname);
    const stored = await this.#documents.get(CERTIFICATES, certname);
    if (stored === null) return false;
    await this.revocations.add(text(stored, 'serial'));
    await this.#documents.delete(CERTIFICATES, certname);
    return true;
  }

  /**
   * Certificate and key of a TLS server that agents reach under `name` and the other names (DNS names or IP addresses).
   * Made when missing, when it ends within 30 days, or when the names changed.
   */
  async serverCredentials(name: string, others: readonly string[]): Promise<ServerCredentials> {
    const names = [...new Set([name, ...others])];
    const stored = await this.#documents.get(AUTHORITY, SERVER + name);
    if (stored !== null && this.#isUsable(stored, names)) {
      return { certificate: text(stored, 'certificate'), key: text(stored, 'key') };
    }
    const keys = await generateServerKeys();
    const certificate = await signLeaf(this.#issuer, {
      certname: name,
      publicKey: keys.publicKey,
      serial: await allocateSerial(this.#documents, name),
      now: this.#clock.now(),
      alternativeNames: names.map((value) => ({ type: isAddress(value) ? 'ip' : 'dns', value })),
      extensions: [],
    });
    const made = {
      certificate: `${certificate.toString('pem')}\n`,
      key: await privateKeyToPem(keys.privateKey),
    };
    await this.#documents.put(AUTHORITY, SERVER + name, { ...made, names });
    return made;
  }

  #isUsable(stored: StoredDocument, names: readonly string[]): boolean {
    const notAfter = new x509.X509Certificate(text(stored, 'certificate')).notAfter.getTime();
    return JSON.stringify(stored.names) === JSON.stringify(names) && notAfter - this.#clock.now() > RENEW_BEFORE_MS;
  }

  /** Whoever had a certificate with a server's name could stand in for that server. */
  async #refuseServerName(certname: string): Promise<void> {
    const servers = await this.#documents.list(AUTHORITY, SERVER, MOST_SERVERS);
    const taken = servers.some(({ document: { names } }) => Array.isArray(names) && names.includes(certname));
    if (taken) throw new CertificateRequestRejected(`'${certname}' is a name of this server, not of a node`);
  }

  async #refuseDuplicate(certname: string): Promise<void> {
    if ((await this.#documents.get(CERTIFICATES, certname)) !== null) throw alreadyHas(certname, 'signed');
    if ((await this.#documents.get(REQUESTS, certname)) !== null) throw alreadyHas(certname, 'requested');
  }
}

interface AuthorityParts {
  readonly documents: DocumentStore;
  readonly clock: Clock;
  readonly autosign: boolean;
}

/** Of several processes that start on an empty store, one makes the CA; the others take over what it made. */
async function makeAuthority(
  documents: DocumentStore,
  clock: Clock,
  options: AuthorityOptions,
): Promise<StoredDocument> {
  const keys = await generateRsaKeys(options.keyBits);
  const certificate = await makeCaCertificate(`Puppet CA: ${options.name}`, keys, clock.now());
  const made = { certificate: certificate.toString('pem'), key: await privateKeyToPem(keys.privateKey) };
  if (await documents.create(AUTHORITY, 'authority', made)) return made;
  return (await documents.get(AUTHORITY, 'authority')) ?? made;
}

function alreadyHas(certname: string, what: 'signed' | 'requested'): CertificateRequestRejected {
  return new CertificateRequestRejected(`${certname} already has a ${what} certificate; ignoring certificate request`);
}

function isAddress(name: string): boolean {
  return /^[\d.]+$/.test(name) || name.includes(':');
}

function text(document: StoredDocument, field: string): string {
  const value = document[field];
  if (typeof value !== 'string') throw new Error(`The stored document has no ${field}`);
  return value;
}
