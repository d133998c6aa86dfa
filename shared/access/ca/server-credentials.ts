import type { DocumentStore, StoredDocument } from '../../store/ports/document-store.ts';
import type { KeyVault } from '../../store/ports/secrets.ts';
import { StoreRefused } from '../../store/ports/store-errors.ts';
import { DAY_MS } from '../../util/day.ts';
import { NO_VAULT, readPublicAuthority } from './authority-record.ts';
import { x509 } from './x509.ts';

export interface ServerCredentials {
  /** PEM: the server's certificate, then those of the CA that clients may lack. */
  readonly certificate: string;
  /** PEM, PKCS #8. */
  readonly key: string;
}

/** Stored credentials of a server, without the certificates of the CA. */
interface StoredCredentials extends ServerCredentials {
  readonly names: readonly string[];
}

const COLLECTION = 'ca';
/** Prefix of all servers. */
const SERVER = 'server-';
/**
 * In addition, of servers whose process must not use the vault of the CA: their keys are sealed
 * with another one.
 */
const EDGE = 'edge/';
const MOST_SERVERS = 1000;
const RENEW_BEFORE_MS = 30 * DAY_MS;

/**
 * The credentials of the TLS servers that belong to a CA, in its store. Each key is sealed with the
 * vault of the process that serves with it.
 */
export class ServerCredentialStore {
  readonly #documents: DocumentStore;
  readonly #vault: KeyVault;
  readonly #prefix: string;

  constructor(documents: DocumentStore, vault: KeyVault, isEdge: boolean) {
    this.#documents = documents;
    this.#vault = vault;
    this.#prefix = isEdge ? SERVER + EDGE : SERVER;
  }

  /** Credentials that are valid for these names at `now`, and issued by `issuer`; else null. */
  async findUsable(names: readonly string[], issuer: string, now: number): Promise<ServerCredentials | null> {
    const stored = await this.#documents.get(COLLECTION, this.#keyOf(names[0] ?? ''));
    return stored !== null && this.#isUsable(stored, names, issuer, now) ? this.#open(stored) : null;
  }

  /** The stored credentials of a server by its first name, in any state; null without any. */
  async find(name: string): Promise<ServerCredentials | null> {
    const stored = await this.#documents.get(COLLECTION, this.#keyOf(name));
    return stored && this.#open(stored);
  }

  async put({ certificate, key, names }: StoredCredentials): Promise<void> {
    const document = { certificate, key: await this.#vault.seal(key), names };
    await this.#documents.put(COLLECTION, this.#keyOf(names[0] ?? ''), document);
  }

  async #open(stored: StoredDocument): Promise<ServerCredentials> {
    return { certificate: readText(stored, 'certificate'), key: await this.#vault.open(readText(stored, 'key')) };
  }

  #isUsable(stored: StoredDocument, names: readonly string[], issuer: string, now: number): boolean {
    const certificate = new x509.X509Certificate(readText(stored, 'certificate'));
    const isClear = readText(stored, 'key').startsWith('-----BEGIN');
    return (
      isClear === (this.#vault === NO_VAULT) &&
      JSON.stringify(stored.names) === JSON.stringify(names) &&
      certificate.issuer === issuer &&
      certificate.notAfter.getTime() - now > RENEW_BEFORE_MS
    );
  }

  #keyOf(name: string): string {
    return this.#prefix + name;
  }
}

/**
 * The credentials of a front door without the CA's key. Throws StoreRefused as long as the process
 * with the key has not stored them.
 */
export async function readEdgeCredentials(
  documents: DocumentStore,
  vault: KeyVault,
  name: string,
): Promise<ServerCredentials> {
  const authority = await readPublicAuthority(documents);
  const found = await new ServerCredentialStore(documents, vault, true).find(name);
  if (authority === null || found === null) {
    throw new StoreRefused(`the authority service has not issued a certificate for ${name} yet`);
  }
  return { certificate: found.certificate + authority.chain, key: found.key };
}

/** Whether a server of this CA has this name: no node may get a certificate for it. */
export async function isServerName(documents: DocumentStore, name: string): Promise<boolean> {
  const servers = await documents.list(COLLECTION, SERVER, MOST_SERVERS);
  return servers.some(({ document: { names } }) => Array.isArray(names) && names.includes(name));
}

/** Deletes the credentials of the servers with this first name; false when there are none. */
export async function deleteServerCredentials(documents: DocumentStore, name: string): Promise<boolean> {
  const keys = [SERVER + name, SERVER + EDGE + name];
  const found = await Promise.all(keys.map((key) => documents.get(COLLECTION, key)));
  for (const key of keys) await documents.delete(COLLECTION, key);
  return found.some((one) => one !== null);
}

function readText(document: StoredDocument, field: string): string {
  const value = document[field];
  if (typeof value !== 'string') throw new Error(`The stored document has no ${field}`);
  return value;
}
