import { allDocuments } from '../../store/list-pages.ts';
import type { Clock } from '../../store/ports/clock.ts';
import type { DocumentStore, StoredDocument } from '../../store/ports/document-store.ts';
import type { KeyVault, SecretSource } from '../../store/ports/secrets.ts';
import { UrlGuard, UrlRefused } from '../../util/url-guard.ts';
import { uuidFromBytes } from '../../util/uuid.ts';
import { type DirectoryUser, logInToDirectory, testDirectory } from './ldap-directory.ts';
import { DirectoryRefused, type LdapSettings, readLdapSettings } from './ldap-settings.ts';

/** A stored connection, without its password. */
export interface Directory extends LdapSettings {
  readonly id: string;
}

/** The hosts that may be named: not this machine over the API, any by a command (`own`). */
type DirectoryReach = 'private' | 'own';

interface DirectoryPorts {
  readonly documents: DocumentStore;
  readonly clock: Clock;
  readonly secrets: SecretSource;
  /** Seals the passwords of connections; null: there can be none. */
  readonly vault: KeyVault | null;
}

/** Connections by id: `{settings, reach, password}`, the password sealed. */
const DIRECTORIES = 'access-directories';
const MOST_DIRECTORIES = 10;

interface StoredDirectory {
  readonly directory: Directory;
  readonly reach: DirectoryReach;
  /** Sealed. */
  readonly password: string | null;
}

/** The directories whose users can log in. */
export class Directories {
  readonly #ports: DirectoryPorts;

  constructor(ports: DirectoryPorts) {
    this.#ports = ports;
  }

  async list(): Promise<readonly Directory[]> {
    return (await this.#listStored()).map(({ directory }) => directory);
  }

  /** Rejects with DirectoryRefused `not-found`. */
  async get(id: string): Promise<Directory> {
    return (await this.#read(id)).directory;
  }

  /**
   * Creates a connection, or replaces the one with `id`; without a password in `given` it keeps the
   * one that it has, unless its host or its login is another one. Returns the id. Rejects with
   * DirectoryRefused.
   */
  async put(given: Readonly<Record<string, unknown>>, reach: DirectoryReach, id?: string): Promise<string> {
    const before = id === undefined ? null : await this.#read(id);
    const settings = readLdapSettings(given);
    await findAddress(settings, reach);
    if (before === null && (await this.list()).length >= MOST_DIRECTORIES) {
      throw new DirectoryRefused('conflict', `There are ${MOST_DIRECTORIES} directories already`);
    }
    const password = await this.#sealPassword(given.password, settings, before);
    const key = id ?? uuidFromBytes(this.#ports.secrets.bytes(16));
    await this.#ports.documents.put(DIRECTORIES, key, { settings, reach, password });
    return key;
  }

  /** Rejects with DirectoryRefused `not-found`. */
  async delete(id: string): Promise<void> {
    await this.#read(id);
    await this.#ports.documents.delete(DIRECTORIES, id);
  }

  /**
   * Tries settings. With the id of a connection, and without a password, it uses the connection's.
   * Returns the milliseconds that it took. Rejects with DirectoryRefused.
   */
  async test(given: Readonly<Record<string, unknown>>, reach: DirectoryReach): Promise<number> {
    const begun = this.#ports.clock.now();
    const stored = typeof given.id === 'string' && given.password === undefined ? await this.#read(given.id) : null;
    const settings = readLdapSettings(given);
    const kept = stored !== null && isSamePlace(settings, stored.directory) ? stored : null;
    const address = await findAddress(settings, kept?.reach ?? reach);
    const password = typeof given.password === 'string' ? given.password : kept && (await this.#open(kept));
    await testDirectory({ ...settings, address, password });
    return this.#ports.clock.now() - begun;
  }

  /**
   * The user of a login and a password, from the first directory that has him; null when none has.
   * Rejects with DirectoryRefused when one that could have him does not answer.
   */
  async logIn(login: string, password: string): Promise<DirectoryUser | null> {
    let absent: DirectoryRefused | null = null;
    for (const stored of await this.#listStored()) {
      try {
        const address = await findAddress(stored.directory, stored.reach);
        const access = { ...stored.directory, address, password: await this.#open(stored) };
        const user = await logInToDirectory(access, login, password);
        if (user !== null) return user;
      } catch (error) {
        if (!(error instanceof DirectoryRefused)) throw error;
        absent = new DirectoryRefused('directory-unavailable', error.message);
      }
    }
    if (absent !== null) throw absent;
    return null;
  }

  async #sealPassword(given: unknown, settings: LdapSettings, before: StoredDirectory | null): Promise<string | null> {
    if (given === undefined || given === null) {
      // Whoever names another host would get the password sent there.
      return before !== null && isSamePlace(settings, before.directory) ? before.password : null;
    }
    if (typeof given !== 'string') throw new DirectoryRefused('schema-violation', "The key 'password' must be a text");
    const { vault } = this.#ports;
    if (vault === null) throw new DirectoryRefused('schema-violation', 'Here, nothing can seal the password');
    return vault.seal(given);
  }

  async #open({ password }: StoredDirectory): Promise<string | null> {
    return password === null || this.#ports.vault === null ? null : this.#ports.vault.open(password);
  }

  async #listStored(): Promise<readonly StoredDirectory[]> {
    const found: StoredDirectory[] = [];
    for await (const { key, document } of allDocuments(this.#ports.documents, DIRECTORIES))
      found.push(readStored(key, document));
    return found;
  }

  async #read(id: string): Promise<StoredDirectory> {
    const document = await this.#ports.documents.get(DIRECTORIES, id);
    if (document === null) throw new DirectoryRefused('not-found', `There is no directory with the id ${id}`);
    return readStored(id, document);
  }
}

function readStored(id: string, { settings, reach, password }: StoredDocument): StoredDirectory {
  return {
    directory: { ...(settings as LdapSettings), id },
    reach: reach === 'own' ? 'own' : 'private',
    password: typeof password === 'string' ? password : null,
  };
}

/** Whether a password may be sent with these settings that was given for the other ones. */
function isSamePlace(settings: LdapSettings, other: LdapSettings): boolean {
  const keys = ['hostname', 'port', 'login', 'ssl', 'start_tls', 'ssl_hostname_validation', 'certificates'] as const;
  return keys.every((key) => settings[key] === other[key]);
}

/** The address of the host. Rejects with DirectoryRefused when it is out of reach. */
async function findAddress({ hostname, port, ssl }: LdapSettings, reach: DirectoryReach): Promise<string> {
  const host = hostname.includes(':') ? `[${hostname}]` : hostname;
  const url = `${ssl ? 'ldaps' : 'ldap'}://${host}:${port}`;
  try {
    return (await new UrlGuard(reach).demand(url, 'directory'))[0] ?? hostname;
  } catch (error) {
    throw error instanceof UrlRefused ? new DirectoryRefused('schema-violation', error.message) : error;
  }
}
