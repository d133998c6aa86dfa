import { isAbsolute } from 'node:path';
import { type Author, readAuthor } from '../../access/accounts/authors.ts';
import type { DocumentStore } from '../../store/ports/document-store.ts';
import { InvalidSource, readGitUrl } from './git-url.ts';

/** A git repository whose branches are environments. */
export interface GitSource {
  readonly name: string;
  readonly url: string;
  /** The file of the private key for ssh; null without one. */
  readonly key: string | null;
  /** What precedes the names of its environments, without the `_`; null for nothing. */
  readonly prefix: string | null;
  /** The file of the secret that signs calls of its webhook; null: it has none. */
  readonly secretFile: string | null;
  /** The user who set its URL; null for somebody with a command. */
  readonly author: Author | null;
}

/** What a source put in force. */
export interface SourcedEnvironment {
  readonly environment: string;
  readonly source: string;
  readonly branch: string;
  readonly commit: string;
}

const SOURCES = 'code-sources';
const ENVIRONMENTS = 'code-source-environments';
const MOST = 1000;
const MOST_ENVIRONMENTS = 10_000;

/** Checks the settings of a source. Throws InvalidSource. */
export function checkGitSource(source: GitSource): GitSource {
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

/** Keeps the sources, and which of them put which environment in force. */
export class GitSourceStore {
  readonly #documents: DocumentStore;

  constructor(documents: DocumentStore) {
    this.#documents = documents;
  }

  async list(): Promise<readonly GitSource[]> {
    const found = await this.#documents.list(SOURCES, '', MOST);
    return found.map(({ key, document }) => readSource(key, document));
  }

  async get(name: string): Promise<GitSource | null> {
    const document = await this.#documents.get(SOURCES, name);
    return document && readSource(name, document);
  }

  /** Creates or replaces a source. Throws InvalidSource. */
  async put(source: GitSource): Promise<void> {
    const { name, ...settings } = checkGitSource(source);
    await this.#documents.put(SOURCES, name, { ...settings, author: settings.author && { ...settings.author } });
  }

  /** Forgets a source; its environments stay in force. False when there is none. */
  async delete(name: string): Promise<boolean> {
    if ((await this.get(name)) === null) return false;
    for (const { environment, source } of await this.listEnvironments()) {
      if (source === name) await this.forgetEnvironment(environment);
    }
    await this.#documents.delete(SOURCES, name);
    return true;
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
}

function readSource(name: string, document: Readonly<Record<string, unknown>>): GitSource {
  const { url, key, prefix, secretFile, author } = document;
  const textOf = (value: unknown) => (typeof value === 'string' ? value : null);
  const files = { key: textOf(key), secretFile: textOf(secretFile) };
  return { name, url: String(url), prefix: textOf(prefix), ...files, author: readAuthor(author) };
}
