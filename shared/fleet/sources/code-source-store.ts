import { isAbsolute } from 'node:path';
import { type Author, readAuthor } from '../../access/accounts/account.ts';
import type { StoredDocument } from '../../store/ports/document-store.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { hideLogins } from '../../util/hide-logins.ts';
import { InvalidSource, readGitUrl } from './git-url.ts';

/** A git repository whose branches are environments. */
export interface GitSource {
  readonly name: string;
  readonly url: string;
  /** The file of the private key for ssh; null without one. */
  readonly key: string | null;
  /** Prefix of the names of its environments, without the `_`; null for none. */
  readonly prefix: string | null;
  /** The file of the secret that signs calls of its webhook; null: it has none. */
  readonly secretFile: string | null;
  /** The user who set its URL; null for somebody with a command. */
  readonly author: Author | null;
}

/** Environment that a source put in force. */
export interface SourcedEnvironment {
  readonly environment: string;
  readonly source: string;
  readonly branch: string;
  readonly commit: string;
}

/** State of the last synchronisation of a source, whichever server made it. */
export interface SyncOutcome {
  /** When it began, in ms since 1970. */
  readonly at: number;
  readonly isRunning: boolean;
  /** Branches that were not deployed and why, or have another name; empty when all went well. */
  readonly troubles: readonly string[];
}

const SYNCS = 'code-source-syncs';
/** Characters of a trouble that are kept. */
const MOST_CHARACTERS = 2000;
/** A synchronisation that did not end by then was cut off with its server. */
const LONGEST_SYNC_MS = 3600_000;
const CUT_OFF = 'the server ended before the synchronisation did';
const SOURCES = 'code-sources';
const ENVIRONMENTS = 'code-source-environments';
const MOST = 1000;
const MOST_ENVIRONMENTS = 10_000;

/** Checks the settings of a source. Throws InvalidSource. */
function checkGitSource(source: GitSource): GitSource {
  if (!/^[a-z][a-z0-9_-]{0,62}$/.test(source.name)) {
    throw new InvalidSource(`'${source.name}' is no name of a source: small letters, digits, - and _`);
  }
  if (source.prefix !== null && !/^\w{1,100}$/.test(source.prefix)) {
    throw new InvalidSource(`'${source.prefix}' is no prefix of environments: letters, digits and _`);
  }
  for (const file of [source.key, source.secretFile]) {
    if (file !== null && !isAbsolute(file)) throw new InvalidSource(`'${file}' must be an absolute path`);
  }
  readGitUrl(source.url);
  return source;
}

/** The name of the environment of a branch, as r10k gives it; `isCorrected`: not all fitted. */
export function environmentOfBranch(
  { prefix }: Pick<GitSource, 'prefix'>,
  branch: string,
): { readonly name: string; readonly isCorrected: boolean } {
  const name = branch.replace(/\W/g, '_');
  return { name: prefix === null ? name : `${prefix}_${name}`, isCorrected: name !== branch };
}

/** The stores that keep sources: a URL with a login is sealed. */
export type SourceStores = Pick<Stores, 'documents' | 'seal'>;

/** Whether a branch of the source could have that environment. */
export function mayHaveEnvironment({ prefix }: Pick<GitSource, 'prefix'>, environment: string): boolean {
  return prefix === null || environment.startsWith(`${prefix}_`);
}

/** Keeps the sources, and which of them put which environment in force. */
export class GitSourceStore {
  readonly #documents: SourceStores['documents'];
  readonly #seal: SourceStores['seal'];

  constructor({ documents, seal }: SourceStores) {
    this.#documents = documents;
    this.#seal = seal;
  }

  /** Throws StoreRefused for a URL that was sealed elsewhere. */
  async list(): Promise<readonly GitSource[]> {
    const found = await this.#documents.list(SOURCES, '', MOST);
    return found.map(({ key, document }) => this.#read(key, document));
  }

  /** Throws as `list` does. */
  async get(name: string): Promise<GitSource | null> {
    const document = await this.#documents.get(SOURCES, name);
    return document && this.#read(name, document);
  }

  /** Creates or replaces a source. Throws InvalidSource. */
  async put(source: GitSource): Promise<void> {
    const { name, url, ...settings } = checkGitSource(source);
    const shown = hideLogins(url);
    await this.#documents.put(SOURCES, name, {
      ...settings,
      url: shown,
      ...(shown === url ? {} : { sealedUrl: this.#seal.seal(url) }),
      author: settings.author && { ...settings.author },
    });
  }

  /** Forgets a source; its environments stay in force. False when there is none. */
  async delete(name: string): Promise<boolean> {
    if ((await this.get(name)) === null) return false;
    for (const { environment, source } of await this.listEnvironments()) {
      if (source === name) await this.forgetEnvironment(environment);
    }
    await this.#documents.delete(SOURCES, name);
    await this.#documents.delete(SYNCS, name);
    return true;
  }

  /** The last synchronisations by the names of their sources. `now`: ms since 1970. */
  async listSyncs(now: number): Promise<ReadonlyMap<string, SyncOutcome>> {
    const found = await this.#documents.list(SYNCS, '', MOST);
    return new Map(found.map(({ key, document }) => [key, readOutcome(document, now)]));
  }

  /** Notes a synchronisation, unless another server began a later one. */
  async noteSync(name: string, outcome: SyncOutcome): Promise<void> {
    const known = await this.#documents.get(SYNCS, name);
    if (known !== null && Number(known.at) > outcome.at) return;
    const troubles = outcome.troubles.map((trouble) => trouble.slice(0, MOST_CHARACTERS));
    await this.#documents.put(SYNCS, name, { ...outcome, troubles });
  }

  async listEnvironments(): Promise<readonly SourcedEnvironment[]> {
    const found = await this.#documents.list(ENVIRONMENTS, '', MOST_ENVIRONMENTS);
    return found.map(({ key, document: { source, branch, commit } }) => ({
      environment: key,
      source: String(source),
      branch: String(branch),
      commit: String(commit),
    }));
  }

  async noteEnvironment({ environment, ...origin }: SourcedEnvironment): Promise<void> {
    await this.#documents.put(ENVIRONMENTS, environment, origin);
  }

  async forgetEnvironment(environment: string): Promise<void> {
    await this.#documents.delete(ENVIRONMENTS, environment);
  }

  #read(name: string, document: StoredDocument): GitSource {
    const { url, sealedUrl, key, prefix, secretFile, author } = document;
    const textOf = (value: unknown) => (typeof value === 'string' ? value : null);
    const files = { key: textOf(key), secretFile: textOf(secretFile) };
    const full = typeof sealedUrl === 'string' ? this.#seal.open(sealedUrl) : String(url);
    return { name, url: full, prefix: textOf(prefix), ...files, author: readAuthor(author) };
  }
}

function readOutcome({ at, isRunning, troubles }: StoredDocument, now: number): SyncOutcome {
  const known = Array.isArray(troubles) ? troubles.map(String) : [];
  const isCutOff = isRunning === true && now - Number(at) > LONGEST_SYNC_MS;
  return {
    at: Number(at),
    isRunning: isRunning === true && !isCutOff,
    troubles: isCutOff ? [...known, CUT_OFF] : known,
  };
}
