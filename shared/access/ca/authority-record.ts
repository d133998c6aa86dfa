import type { Clock } from '../../store/ports/clock.ts';
import type { DocumentStore, StoredDocument } from '../../store/ports/document-store.ts';
import type { KeyVault } from '../../store/ports/secrets.ts';
import { StoreRefused } from '../../store/ports/store-errors.ts';
import { CA_LIFETIME_MS, type Issuer, makeCaCertificate, signCrl } from './certificates.ts';
import { crlToPem } from './crl.ts';
import { generateKeys, type KeyKind, type KeyPair, privateKeyToPem, signingKeyFromPem, signingKeyOf } from './keys.ts';
import { certificatesInPem, pemOf, x509 } from './x509.ts';

/**
 * The public part of the stored CA: its certificate chain, signing certificate first, and the
 * revocation lists of the other CAs in it.
 */
export interface PublicAuthority {
  /** The signing certificate. */
  readonly certificate: x509.X509Certificate;
  /** PEM, the signing certificate first. */
  readonly chain: string;
  /** Revocation lists of the CAs above the signing one, PEM. Agents check the whole chain. */
  readonly otherLists: string;
  /** When the chain was stored; null for a CA that was stored without that time. */
  readonly storedAt: number | null;
}

/** The stored CA with its key. */
export interface AuthorityRecord extends PublicAuthority {
  readonly issuer: Issuer;
}

/** Stores secrets in clear: for tests, and for stores that are encrypted as a whole. */
export const NO_VAULT: KeyVault = { seal: async (secret) => secret, open: async (sealed) => sealed };

const COLLECTION = 'ca';
const KEY = 'authority';
/** Prefix of a key that is not sealed. */
const CLEAR = '-----BEGIN';

/** Reads the CA; null when there is none. A key that was stored in clear is sealed. */
export async function readAuthority(documents: DocumentStore, vault: KeyVault): Promise<AuthorityRecord | null> {
  const stored = await documents.get(COLLECTION, KEY);
  if (stored === null) return null;
  const sealed = readText(stored, 'key');
  const isClear = sealed.startsWith(CLEAR);
  const key = isClear ? sealed : await vault.open(sealed);
  if (isClear && vault !== NO_VAULT) {
    const { rootKey } = stored;
    const root = typeof rootKey === 'string' ? { rootKey: await vault.seal(rootKey) } : {};
    await documents.replace(COLLECTION, KEY, stored, { ...stored, key: await vault.seal(sealed), ...root });
  }
  const known = publicPartOf(stored);
  return { ...known, issuer: await issuerOf(known.chain, key) };
}

/**
 * Returns the keys of the stored CA in clear, PEM: the signing key, and the root's, or null when
 * the root's key is kept elsewhere. Throws StoreRefused.
 */
export async function readAuthorityKeys(
  documents: DocumentStore,
  vault: KeyVault,
): Promise<{ readonly key: string; readonly rootKey: string | null }> {
  const stored = await documents.get(COLLECTION, KEY);
  if (stored === null) throw new StoreRefused('this store has no certificate authority');
  const open = async (text: string) => (text.startsWith(CLEAR) ? text : vault.open(text));
  const { rootKey } = stored;
  return {
    key: await open(readText(stored, 'key')),
    rootKey: typeof rootKey === 'string' ? await open(rootKey) : null,
  };
}

/** Whether the stored CA has a key that only its vault opens. */
export async function hasSealedKey(documents: DocumentStore): Promise<boolean> {
  const stored = await documents.get(COLLECTION, KEY);
  return stored !== null && !readText(stored, 'key').startsWith(CLEAR);
}

/** Reads what is public of the CA, for processes that must not use its key; null without a CA. */
export async function readPublicAuthority(documents: DocumentStore): Promise<PublicAuthority | null> {
  const stored = await documents.get(COLLECTION, KEY);
  return stored && publicPartOf(stored);
}

function publicPartOf(stored: StoredDocument): PublicAuthority {
  const chain = readText(stored, 'certificate');
  const otherLists = typeof stored.otherLists === 'string' ? stored.otherLists : '';
  const storedAt = typeof stored.storedAt === 'number' ? stored.storedAt : null;
  return { certificate: signingCertificateOf(chain), chain, otherLists, storedAt };
}

/** Stores a CA; false when one exists. */
export async function storeAuthority(
  documents: DocumentStore,
  vault: KeyVault,
  record: Omit<PublicAuthority, 'certificate' | 'storedAt'> & {
    readonly storedAt: number;
    readonly key: string;
    readonly rootKey?: string;
  },
): Promise<boolean> {
  const { chain, otherLists, storedAt, key, rootKey } = record;
  return documents.create(COLLECTION, KEY, {
    certificate: chain,
    otherLists,
    storedAt,
    key: await vault.seal(key),
    ...(rootKey === undefined ? {} : { rootKey: await vault.seal(rootKey) }),
  });
}

/** Replaces the lists of the CAs above; false when others than `before` are in force. */
export async function replaceOtherLists(documents: DocumentStore, before: string, next: string): Promise<boolean> {
  const stored = await documents.get(COLLECTION, KEY);
  if (stored === null || publicPartOf(stored).otherLists !== before) return false;
  return documents.replace(COLLECTION, KEY, stored, { ...stored, otherLists: next });
}

/**
 * Deletes the CA: first all that belongs to it (revocations, credentials of servers, the last
 * serial number), the CA itself last.
 */
export async function removeAuthorityRecord(documents: DocumentStore, pageSize: number): Promise<void> {
  for (;;) {
    const page = await documents.list(COLLECTION, '', pageSize);
    const others = page.filter(({ key }) => key !== KEY);
    for (const { key } of others) await documents.delete(COLLECTION, key);
    if (page.length < pageSize) break;
  }
  await documents.delete(COLLECTION, KEY);
}

/**
 * Creates a root CA and an intermediate signing CA, named as `puppetserver ca setup` names them.
 * When several processes start on an empty store, one creates them and the others read its result.
 */
export async function makeAuthority(
  documents: DocumentStore,
  clock: Clock,
  vault: KeyVault,
  name: string,
  kind: KeyKind,
): Promise<AuthorityRecord> {
  const now = clock.now();
  const [rootKeys, keys] = await Promise.all([generateKeys(kind), generateKeys(kind)]);
  const rootName = `Puppet Root CA: ${await computeFingerprint(rootKeys)}`;
  const root = await makeCaCertificate(rootName, '01', rootKeys, now);
  const rootIssuer = { certificate: root, ...signingKeyOf(rootKeys) };
  const signing = await makeCaCertificate(`Puppet CA: ${name}`, '02', keys, now, rootIssuer);
  const rootList = await signCrl(rootIssuer, 0, [], now, CA_LIFETIME_MS);
  await storeAuthority(documents, vault, {
    chain: pemOf([signing, root]),
    otherLists: crlToPem({ rawData: rootList }),
    storedAt: now,
    key: await privateKeyToPem(keys.privateKey),
    rootKey: await privateKeyToPem(rootKeys.privateKey),
  });
  const made = await readAuthority(documents, vault);
  if (made === null) throw new StoreRefused('the certificate authority vanished from the store');
  return made;
}

/**
 * The first certificate of `chain` with its key (PEM). Throws StoreRefused when the key does not
 * match.
 */
export async function issuerOf(chain: string, keyPem: string): Promise<Issuer> {
  const certificate = signingCertificateOf(chain);
  const signing = await signingKeyFromPem(keyPem);
  const probe = new x509.X509Crl(await signCrl({ certificate, ...signing }, 0, [], 0));
  if (!(await probe.verify({ publicKey: certificate.publicKey }))) {
    throw new StoreRefused("the CA's private key is not that of its first certificate");
  }
  return { certificate, ...signing };
}

function signingCertificateOf(chain: string): x509.X509Certificate {
  const [certificate] = certificatesInPem(chain);
  if (certificate === undefined) throw new StoreRefused('the CA has no certificate');
  return certificate;
}

/** Distinguishes root CAs of the same name by their keys. */
async function computeFingerprint({ publicKey }: KeyPair): Promise<string> {
  const identifier = await x509.SubjectKeyIdentifierExtension.create(publicKey);
  return identifier.keyId.slice(0, 14);
}

function readText(document: StoredDocument, field: string): string {
  const value = document[field];
  if (typeof value !== 'string') throw new StoreRefused(`the stored certificate authority has no ${field}`);
  return value;
}
