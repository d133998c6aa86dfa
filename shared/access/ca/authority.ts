import { SETTINGS } from '../../config/settings.ts';
import type { Clock } from '../../store/ports/clock.ts';
import type { DocumentStore, StoredDocument } from '../../store/ports/document-store.ts';
import type { KeyVault } from '../../store/ports/secrets.ts';
import { StoreRefused } from '../../store/ports/store-errors.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { inParallel } from '../../util/in-parallel.ts';
import {
  type AuthorityRecord,
  makeAuthority,
  NO_VAULT,
  type PublicAuthority,
  readAuthority,
  readPublicAuthority,
} from './authority-record.ts';
import { CERTIFICATES, type CertificateRecord, CertificateRecords, REQUESTS } from './certificate-records.ts';
import { renewCertificate, type Signed } from './certificate-renewal.ts';
import {
  type CertificateRequest,
  CertificateRequestRejected,
  checkRequest,
  checkStrength,
  readCertificateRequest,
} from './certificate-request.ts';
import { endOf, type Issuer, type LeafRequest, signLeaf } from './certificates.ts';
import { crlsInPem } from './crl.ts';
import { generateKeys, generateServerKeys, type KeyKind, privateKeyToPem } from './keys.ts';
import { CLI_AUTHORIZATION } from './oids.ts';
import { RevocationList } from './revocation-list.ts';
import { allocateSerial, type Revocable, serialsOf } from './serials.ts';
import {
  deleteServerCredentials,
  isServerName,
  ServerCredentialStore,
  type ServerCredentials,
} from './server-credentials.ts';
import { SIGN_NOTHING, type SigningPolicy } from './signing-policy.ts';
import { updateUpperLists } from './upper-lists.ts';
import { certificatesInPem, hasSameKey, x509 } from './x509.ts';

export interface AuthorityOptions extends Partial<Omit<SigningPolicy, 'autosign'>> {
  /** Name of the CA: the subject is `Puppet CA: <name>`. */
  readonly name: string;
  /** Requests to sign on arrival: all, none, or those that a function accepts. */
  readonly autosign: boolean | SigningPolicy['autosign'];
  /** RSA key size in bits of a new CA. */
  readonly keyBits?: number;
  /** Key type of a new CA; RSA by default. */
  readonly keyType?: KeyKind['type'];
  /**
   * Least hours between two renewals of a node's certificate, by default a day; at
   * most a quarter of the certificate's lifetime.
   */
  readonly renewalHours?: number;
  readonly onSigned?: OnSigned;
  /**
   * Bound on pending requests: beyond it no more are accepted that have to wait, too. Absent: no
   * bound; 0: none is accepted.
   */
  readonly mostPending?: number;
  /** Seals the CA's key in the store; without a vault the key is stored in clear. */
  readonly vault?: KeyVault;
}

/**
 * Called after a node's request was signed, with the certificate in PEM. The signature stands
 * whatever it does: it must not throw.
 */
type OnSigned = (certname: string, pem: string) => Promise<void>;

interface Generated extends ServerCredentials {
  readonly certname: string;
}

const READS_AT_ONCE = 16;
const HOUR_MS = 3600_000;
const KEY_BITS = 4096;
const CLIENT_KEY_BITS = 2048;
const NO_AUTHORITY = 'there is no certificate authority in this store yet';
const IGNORE_SIGNED: OnSigned = async () => undefined;

/**
 * The embedded certificate authority: a root CA, a signing CA, its key and everything it signed, in
 * the document store. Methods throw `StoreUnavailable` like the store, and
 * `CertificateRequestRejected` for a caller's mistake.
 */
export class CertificateAuthority {
  /** PEM: the CA's certificates, the signing one first. */
  readonly certificatePem: string;
  /** When these certificates came into the store; null when that is not known. */
  readonly storedAt: number | null;
  readonly revocations: RevocationList;
  /** Null in a process that must not use the CA's key. */
  readonly #issuer: Issuer | null;
  readonly #certificate: x509.X509Certificate;
  /** The lists of the CAs above, as they were when the own list in force was `forList`. */
  #others: { readonly pem: string; readonly forList: string | null };
  readonly #parts: AuthorityParts;
  readonly #records: CertificateRecords;

  private constructor(
    record: PublicAuthority,
    issuer: Issuer | null,
    revocations: RevocationList,
    parts: AuthorityParts,
  ) {
    this.#issuer = issuer;
    this.#certificate = record.certificate;
    this.certificatePem = record.chain;
    this.storedAt = record.storedAt;
    this.#others = { pem: record.otherLists, forList: null };
    this.revocations = revocations;
    this.#parts = parts;
    this.#records = new CertificateRecords(parts.documents);
  }

  /** Opens the CA of this store; creates it when there is none. */
  static async open(documents: DocumentStore, clock: Clock, options: AuthorityOptions): Promise<CertificateAuthority> {
    const { name, autosign, keyBits: bits = KEY_BITS, keyType: type = 'rsa', vault = NO_VAULT } = options;
    const kind = type === 'rsa' ? { type, bits } : { type };
    const record =
      (await readAuthority(documents, vault)) ?? (await makeAuthority(documents, clock, vault, name, kind));
    const decide = typeof autosign === 'function' ? autosign : async () => autosign;
    const policy = {
      allowSubjectAltNames: options.allowSubjectAltNames ?? false,
      allowAuthorizationExtensions: options.allowAuthorizationExtensions ?? false,
      allowWeakKeys: options.allowWeakKeys ?? false,
      autosign: decide,
    };
    const renewalIntervalMs = (options.renewalHours ?? SETTINGS.renewalHours.usual) * HOUR_MS;
    const { onSigned = IGNORE_SIGNED, mostPending = null } = options;
    const parts = { documents, clock, vault, policy, renewalIntervalMs, onSigned, mostPending };
    return CertificateAuthority.#load(record, parts);
  }

  /**
   * Opens the CA of this store for an operator, who may allow what requests ask for. Throws
   * StoreRefused when there is none.
   */
  static async openExisting(
    documents: DocumentStore,
    clock: Clock,
    vault: KeyVault = NO_VAULT,
    policy: SigningPolicy = SIGN_NOTHING,
    onSigned: OnSigned = IGNORE_SIGNED,
  ): Promise<CertificateAuthority> {
    const record = await readAuthority(documents, vault);
    if (record === null) throw new StoreRefused(NO_AUTHORITY);
    const renewalIntervalMs = SETTINGS.renewalHours.usual * HOUR_MS;
    const parts = { documents, clock, vault, policy, renewalIntervalMs, onSigned, mostPending: null };
    return CertificateAuthority.#load(record, parts);
  }

  static async #load(record: AuthorityRecord, parts: AuthorityParts): Promise<CertificateAuthority> {
    const revocations = await RevocationList.open(parts.documents, parts.clock, record.issuer);
    return new CertificateAuthority(record, record.issuer, revocations, parts);
  }

  /**
   * Opens the CA of this store without its key: it reads certificates, requests and the revocation
   * list, and stores requests, but signs and revokes nothing. Throws StoreRefused when there is no
   * CA.
   */
  static async openWithoutKey(
    documents: DocumentStore,
    clock: Clock,
    { mostPending }: Pick<AuthorityOptions, 'mostPending'> = {},
  ): Promise<CertificateAuthority> {
    const record = await readPublicAuthority(documents);
    if (record === null) throw new StoreRefused(NO_AUTHORITY);
    const revocations = await RevocationList.open(documents, clock, null);
    const parts = { documents, clock, vault: NO_VAULT, policy: SIGN_NOTHING, onSigned: IGNORE_SIGNED };
    const bounds = { renewalIntervalMs: 0, mostPending: mostPending ?? null };
    return new CertificateAuthority(record, null, revocations, { ...parts, ...bounds });
  }

  /** The signing CA's name, as in the issuer of its certificates. */
  get issuerName(): string {
    return this.#certificate.subject;
  }

  /**
   * Accepts a PEM request: signs it at once when the policy allows, else stores it for `sign`. A
   * request that is sent again is signed, too, if the policy allows: a fault may have come before
   * its signature.
   */
  async submit(certname: string, pem: string): Promise<void> {
    const { documents, clock, policy, mostPending } = this.#parts;
    const request = await readCertificateRequest(pem, certname);
    if (await this.#isUnfinished(request)) {
      await this.sign(certname);
      return;
    }
    await this.#refuseDuplicate(certname);
    await this.#refuseServerName(certname);
    checkStrength(request, policy);
    if (mostPending === 0) throw new CertificateRequestRejected('This server accepts no certificate requests');
    const isDue = await policy.autosign(certname, request.pem);
    if (!isDue) await this.#refuseTooMany();
    if (!(await documents.create(REQUESTS, certname, { pem: request.pem, at: clock.now() }))) {
      throw certificateExists(certname, 'requested');
    }
    if (isDue) await this.sign(certname);
  }

  /** Whether a request is pending that the policy signs: a fault came before its signature. */
  async #isUnfinished({ certname, pem }: CertificateRequest): Promise<boolean> {
    if ((await this.request(certname)) !== pem) return false;
    await this.#refuseServerName(certname);
    const record = await this.#records.get(certname);
    return record?.isClosed !== true && this.#parts.policy.autosign(certname, pem);
  }

  /**
   * Signs the pending request of `certname` and returns the certificate; null when there is none.
   * Throws CertificateRequestRejected when the policy forbids what it asks for.
   */
  async sign(certname: string, lifetimeMs?: number): Promise<string | null> {
    const { documents, policy, onSigned } = this.#parts;
    const pem = await this.request(certname);
    if (pem === null) return null;
    const request = await readCertificateRequest(pem, certname);
    const signed = await this.#findSigned(request);
    if (signed !== null) {
      await documents.delete(REQUESTS, certname);
      return signed;
    }
    checkRequest(request, policy);
    const issued = await this.#issue({ ...request, ...(lifetimeMs === undefined ? {} : { lifetimeMs }) });
    if ((await this.#records.create(certname, issued)) === null) throw certificateExists(certname, 'signed');
    await documents.delete(REQUESTS, certname);
    await onSigned(certname, issued.pem);
    return issued.pem;
  }

  /** The certificate of a request that a fault left pending after its signature. */
  async #findSigned({ certname, publicKey }: CertificateRequest): Promise<string | null> {
    const record = await this.#records.get(certname);
    const isSigned =
      record !== null && !record.isClosed && hasSameKey(new x509.X509Certificate(record.pem).publicKey, publicKey);
    return isSigned ? record.pem : null;
  }

  /** Why the pending request of `certname` cannot be signed; null when it can. */
  async faultOfRequest(certname: string): Promise<string | null> {
    const pem = await this.request(certname);
    if (pem === null) return null;
    try {
      checkRequest(await readCertificateRequest(pem, certname), this.#parts.policy);
      return null;
    } catch (error) {
      if (error instanceof CertificateRequestRejected) return error.message;
      throw error;
    }
  }

  /**
   * Renews a certificate (DER) that this CA signed: the same key, names and extensions, and the
   * same lifetime. Null when another CA signed it. Throws RenewalRefused when it is revoked or was
   * renewed too recently.
   */
  async renew(der: Uint8Array, certname: string): Promise<string | null> {
    const old = new x509.X509Certificate(new Uint8Array(der));
    const { publicKey } = this.#certificate;
    if (!(await old.verify({ publicKey, signatureOnly: true }))) return null;
    const { clock, renewalIntervalMs: intervalMs } = this.#parts;
    const { revocations } = this;
    const issue = this.#issue.bind(this);
    return renewCertificate(old, certname, { records: this.#records, revocations, clock, intervalMs, issue });
  }

  /**
   * Generates a key and a certificate for a client that cannot send a request; the operator of this
   * CA vouches for the names. Older Ruby clients read RSA keys only.
   */
  async generate(
    certname: string,
    others: readonly string[],
    isAdministrator: boolean,
    keyType: KeyKind['type'] = 'ec',
  ): Promise<Generated> {
    await this.#refuseDuplicate(certname);
    await this.#refuseServerName(certname);
    const keys = await generateKeys(keyType === 'rsa' ? { type: 'rsa', bits: CLIENT_KEY_BITS } : { type: 'ec' });
    // A DER-encoded string, as agents write theirs.
    const yes = new Uint8Array([0x0c, 4, ...Buffer.from('true')]);
    const issued = await this.#issue({
      certname,
      publicKey: keys.publicKey,
      alternativeNames: others.map(toAlternativeName),
      extensions: isAdministrator ? [new x509.Extension(CLI_AUTHORIZATION, false, yes)] : [],
    });
    if ((await this.#records.create(certname, issued)) === null) throw certificateExists(certname, 'signed');
    return { certname, certificate: issued.pem, key: await privateKeyToPem(keys.privateKey) };
  }

  /** The signed certificate in PEM, or null. */
  async findCertificate(certname: string): Promise<string | null> {
    return (await this.#records.get(certname))?.pem ?? null;
  }

  /** The pending request in PEM, or null. */
  async request(certname: string): Promise<string | null> {
    const stored = await this.#parts.documents.get(REQUESTS, certname);
    return stored === null ? null : readText(stored, 'pem');
  }

  /** The revocation lists of the whole chain in PEM, with the time of the last change. */
  async revocationLists(): Promise<{ readonly pem: string; readonly updatedAt: number }> {
    const { pem, updatedAt } = await this.revocations.getCurrent();
    if (this.#others.forList !== pem) {
      const record = await readPublicAuthority(this.#parts.documents);
      if (record !== null) this.#others = { pem: record.otherLists, forList: pem };
    }
    return { pem: pem + this.#others.pem, updatedAt };
  }

  /**
   * Replaces revocation lists of the CAs above this one by newer ones (PEM); returns the names of
   * these CAs. The own list is signed again, so that all processes and agents read all of them
   * anew.
   * Throws RevocationListRefused for lists of other CAs.
   */
  async updateLists(pem: string): Promise<readonly string[]> {
    const replaced = await updateUpperLists(this.#parts.documents, pem);
    if (replaced.length > 0) await this.revocations.reissue();
    return replaced;
  }

  /** Expiry of the CA's certificates, by name. */
  listCertificateEnds(): readonly Ending[] {
    return certificatesInPem(this.certificatePem).map((one) => ({ name: one.subject, at: one.notAfter }));
  }

  /** Expiry of the CA's certificates and revocation lists, by name. */
  async listExpirations(): Promise<{ readonly certificates: readonly Ending[]; readonly lists: readonly Ending[] }> {
    const { pem } = await this.revocationLists();
    return {
      certificates: this.listCertificateEnds(),
      lists: crlsInPem(pem).flatMap(({ issuer, nextUpdate }) =>
        nextUpdate === undefined ? [] : [{ name: issuer, at: nextUpdate }],
      ),
    };
  }

  /** Certnames with a pending request. */
  async listRequests(limit: number): Promise<readonly string[]> {
    return (await this.#parts.documents.list(REQUESTS, '', limit)).map(({ key }) => key);
  }

  /**
   * Revokes all certificates `certname` ever had; the last one stays stored. False when there is
   * none.
   */
  async revoke(certname: string): Promise<boolean> {
    return (await this.revokeAll([certname])).length === 0;
  }

  /** Revokes several certnames with one signed list; returns those without a certificate. */
  async revokeAll(certnames: readonly string[]): Promise<readonly string[]> {
    const closed = await this.#closeAndRevoke(certnames);
    return certnames.filter((certname) => !closed.has(certname));
  }

  /**
   * Revokes and deletes the certificates of `certname`, so that the node can request a new one;
   * false when there is none.
   */
  async clean(certname: string): Promise<boolean> {
    return (await this.cleanAll([certname])).length === 0;
  }

  /** Cleans several certnames with one signed list; returns those without a certificate. */
  async cleanAll(certnames: readonly string[]): Promise<readonly string[]> {
    const closed = await this.#closeAndRevoke(certnames);
    for (const [certname, record] of closed) {
      await this.#parts.documents.delete(REQUESTS, certname);
      await this.#records.remove(certname, record);
    }
    return certnames.filter((certname) => !closed.has(certname));
  }

  /**
   * Deletes certificate and request of `certname` without revoking; false when there is neither.
   */
  async forget(certname: string): Promise<boolean> {
    const { documents } = this.#parts;
    const kept = await Promise.all([documents.get(CERTIFICATES, certname), documents.get(REQUESTS, certname)]);
    await documents.delete(REQUESTS, certname);
    await documents.delete(CERTIFICATES, certname);
    return kept.some((one) => one !== null);
  }

  /** Deletes the pending request of `certname`; false when there is none. */
  async refuse(certname: string): Promise<boolean> {
    const waits = (await this.request(certname)) !== null;
    await this.#parts.documents.delete(REQUESTS, certname);
    return waits;
  }

  /**
   * Certificate and key of a TLS server with `name` and the other names (DNS names or IP
   * addresses). They are created when missing, and replaced when they expire within 30 days or when
   * the names or the CA changed. With `edgeVault` they are those of an edge, which opens its key
   * with that vault; else of the process that has the CA's own.
   */
  async serverCredentials(name: string, others: readonly string[], edgeVault?: KeyVault): Promise<ServerCredentials> {
    const { documents, vault, clock } = this.#parts;
    const names = [...new Set([name, ...others])];
    const store = new ServerCredentialStore(documents, edgeVault ?? vault, edgeVault !== undefined);
    const stored = await store.findUsable(names, this.issuerName, clock.now());
    if (stored !== null) return { ...stored, certificate: stored.certificate + this.certificatePem };
    const keys = await generateServerKeys();
    const alternativeNames = names.map(toAlternativeName);
    const issued = await this.#issue({ certname: name, publicKey: keys.publicKey, alternativeNames, extensions: [] });
    const key = await privateKeyToPem(keys.privateKey);
    await store.put({ certificate: issued.pem, key, names });
    return { certificate: issued.pem + this.certificatePem, key };
  }

  /**
   * Revokes all certificates that servers with the first name `name` ever had, and deletes their
   * keys: the next `serverCredentials` issues others. False when there is no such server.
   */
  async revokeServer(name: string): Promise<boolean> {
    const { documents } = this.#parts;
    if (!(await deleteServerCredentials(documents, name))) return false;
    await this.revocations.add(...(await serialsOf(documents, name)));
    return true;
  }

  /**
   * Closes the records of `certnames`, then revokes all certificates they ever had. A closed record
   * cannot be renewed, so no serial number is issued after the serials were read. Certnames without
   * a record are left out.
   */
  async #closeAndRevoke(certnames: readonly string[]): Promise<ReadonlyMap<string, CertificateRecord>> {
    const found = await inParallel(READS_AT_ONCE, new Set(certnames), async (certname) => {
      const record = await this.#records.close(certname);
      if (record === null) return [];
      const last = new x509.X509Certificate(record.pem);
      const ever = await serialsOf(this.#parts.documents, certname);
      return [{ certname, record, ever: [...ever, { serial: record.serial, endsAt: last.notAfter.getTime() }] }];
    });
    const serials = found.flat().flatMap(({ ever }): readonly Revocable[] => ever);
    if (serials.length > 0) await this.revocations.add(...serials);
    return new Map(found.flat().map(({ certname, record }) => [certname, record]));
  }

  async #issue(leaf: Omit<LeafRequest, 'serial' | 'now'>): Promise<Signed> {
    const { documents, clock } = this.#parts;
    const issuer = this.#issuer;
    if (issuer === null) throw new Error('invariant: signing needs the key of the certificate authority');
    const now = clock.now();
    const endsAt = endOf(issuer, { ...leaf, now }).getTime();
    const serial = await allocateSerial(documents, leaf.certname, endsAt);
    const certificate = await signLeaf(issuer, { ...leaf, serial, now });
    return { pem: `${certificate.toString('pem')}\n`, serial, endsAt };
  }

  /** Rejects server names: the holder of such a certificate could impersonate the server. */
  async #refuseServerName(certname: string): Promise<void> {
    const taken = await isServerName(this.#parts.documents, certname);
    if (taken) throw new CertificateRequestRejected(`'${certname}' is a name of this server, not of a node`);
  }

  async #refuseTooMany(): Promise<void> {
    const { documents, mostPending } = this.#parts;
    if (mostPending === null || (await documents.countKeys(REQUESTS, mostPending)) < mostPending) return;
    throw new CertificateRequestRejected(`${mostPending} certificate requests are pending; no more are accepted`);
  }

  async #refuseDuplicate(certname: string): Promise<void> {
    const record = await this.#records.get(certname);
    if (record !== null) {
      throw certificateExists(certname, (await this.revocations.isRevoked(record.serial)) ? 'revoked' : 'signed');
    }
    if ((await this.request(certname)) !== null) throw certificateExists(certname, 'requested');
  }
}

interface Ending {
  readonly name: string;
  readonly at: Date;
}

interface AuthorityParts extends Pick<Stores, 'documents' | 'clock'> {
  readonly vault: KeyVault;
  readonly policy: SigningPolicy;
  readonly renewalIntervalMs: number;
  readonly onSigned: OnSigned;
  /** Null for no bound. */
  readonly mostPending: number | null;
}

function certificateExists(certname: string, what: 'signed' | 'requested' | 'revoked'): CertificateRequestRejected {
  return new CertificateRequestRejected(`${certname} already has a ${what} certificate; ignoring certificate request`);
}

function toAlternativeName(value: string): { readonly type: 'ip' | 'dns'; readonly value: string } {
  return { type: /^[\d.]+$/.test(value) || value.includes(':') ? 'ip' : 'dns', value };
}

function readText(document: StoredDocument, field: string): string {
  const value = document[field];
  if (typeof value !== 'string') throw new Error(`The stored document has no ${field}`);
  return value;
}
