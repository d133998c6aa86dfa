import { existsSync } from 'node:fs';
import { chown, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { digestSha256 } from '../../util/digest.ts';
import type { UrlGuard } from '../../util/url-guard.ts';
import { type AskUrl, askUrl, InvalidSource, readGitRef, readGitUrl } from './git-url.ts';
import { GitFailed, type GitSettings, runGit } from './run-git.ts';
import { demandUrl, fetchGuarded } from './source-guard.ts';

/** Milliseconds to ask for the references of a repository. */
const ASK_MS = 30_000;
const COMMIT = /^[0-9a-f]{40}([0-9a-f]{24})?$/;

/** A bare copy of a repository, which is fetched and of which trees are written. */
export class GitMirror {
  readonly #url: string;
  readonly #key: string | null;
  readonly #settings: GitSettings;
  readonly #folder: string;
  readonly #guard: UrlGuard | null;

  /** `guard` bounds where the URL leads. Throws InvalidSource for a URL that is none. */
  constructor(url: string, key: string | null, settings: GitSettings, guard: UrlGuard | null = null) {
    this.#url = readGitUrl(url);
    this.#key = key;
    this.#settings = settings;
    this.#guard = guard;
    // A client that has the key gets what was fetched with it.
    const name = digestSha256(key === null ? url : `${url}\n${key}`).slice(0, 32);
    this.#folder = join(settings.folder, `${name}.git`);
  }

  /** Fetches all branches and tags; those that are gone there are gone here. Throws GitFailed. */
  async fetch(): Promise<void> {
    if (!existsSync(join(this.#folder, 'HEAD'))) {
      await rm(this.#folder, { recursive: true, force: true });
      await ownFolder(this.#settings.folder, this.#settings);
      await ownFolder(this.#folder, this.#settings);
      await this.#git(['init', '--quiet', '--bare', '--template=', this.#folder]);
    }
    const refs = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'];
    const flags = ['--quiet', '--prune', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head'];
    const { url, settings, protocols } = await this.#findPlace();
    const variables: Record<string, string> = protocols === null ? {} : { GIT_ALLOW_PROTOCOL: protocols };
    await this.#git([...settings, ...this.#at, 'fetch', ...flags, '--', url, ...refs], variables);
  }

  /** The commits of the branches, by name. */
  async listBranches(): Promise<ReadonlyMap<string, string>> {
    const format = '--format=%(objectname) %(refname:strip=2)';
    const lines = (await this.#git([...this.#at, 'for-each-ref', format, 'refs/heads'])).split('\n');
    return new Map(
      lines.filter(Boolean).map((line) => [line.slice(line.indexOf(' ') + 1), line.slice(0, line.indexOf(' '))]),
    );
  }

  /** The commit of a branch, a tag or a commit; null when there is none. */
  async findCommit(ref: string): Promise<string | null> {
    const name = readGitRef(ref);
    for (const full of [`refs/heads/${name}`, `refs/tags/${name}`, ...(/^[0-9a-f]{7,64}$/.test(name) ? [name] : [])]) {
      const found = await this.#git([...this.#at, 'rev-parse', '--verify', '--quiet', `${full}^{commit}`]).catch(
        (error: unknown) => {
          if (error instanceof GitFailed) return '';
          throw error;
        },
      );
      if (COMMIT.test(found.trim())) return found.trim();
    }
    return null;
  }

  /** Writes the files of a commit into an empty folder. No hook runs, and no filter. */
  async write(commit: string, folder: string): Promise<void> {
    await mkdir(folder, { recursive: true });
    await ownFolder(folder, this.#settings);
    const index = join(this.#folder, 'work.index');
    const variables = { GIT_INDEX_FILE: index };
    try {
      await this.#git([...this.#at, 'read-tree', commit], variables);
      await this.#git([...this.#at, `--work-tree=${folder}`, 'checkout-index', '--all', '--force'], variables);
    } finally {
      await rm(index, { force: true });
    }
  }

  /**
   * Finds the place to fetch. With a guard, git follows no redirect: each hop is asked here; git
   * gets the last one with the address that was looked at.
   */
  async #findPlace(): Promise<FetchPlace> {
    if (this.#guard === null) return { url: this.#url, settings: [], protocols: null };
    const protocols = 'https:http:ssh:git';
    const addresses = await demandUrl(this.#guard, this.#url, 'git');
    if (!/^https?:/.test(this.#url)) return { url: this.#url, settings: [], protocols };
    const url = await followRefs(this.#url, this.#guard);
    const final = url === this.#url ? addresses : await demandUrl(this.#guard, url, 'git');
    const { hostname, port, protocol } = new URL(url);
    const place = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}:${final.join(',')}`;
    const settings = ['http.followRedirects=false', `http.curloptResolve=${place}`].flatMap((one) => ['-c', one]);
    return { url, settings, protocols };
  }

  get #at(): readonly string[] {
    return [`--git-dir=${this.#folder}`];
  }

  #git(args: readonly string[], variables: Readonly<Record<string, string>> = {}): Promise<string> {
    return runGit(args, this.#settings, { key: this.#key, variables, measured: this.#folder });
  }
}

interface FetchPlace {
  readonly url: string;
  readonly settings: readonly string[];
  /** The schemes that git may use; null for all that are safe. */
  readonly protocols: string | null;
}

const REFS = '/info/refs?service=git-upload-pack';

/** The repository that a URL leads to. git: the address of its references may be redirected. */
async function followRefs(url: string, guard: UrlGuard): Promise<string> {
  const { username, password, origin, pathname } = new URL(url);
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  const headers = username === '' ? {} : { Authorization: `Basic ${credentials}` };
  let last = `${origin}${pathname}`;
  const note: AskUrl = async (hop, init, addresses) => {
    const { href } = new URL(hop);
    if (!href.endsWith(REFS)) throw new InvalidSource(`${origin}${pathname} leads to ${href}, which is no repository`);
    last = href.slice(0, -REFS.length);
    const isSame = new URL(href).origin === origin;
    return askUrl(hop, isSame ? { ...init, headers } : init, addresses);
  };
  const signal = AbortSignal.timeout(ASK_MS);
  try {
    const response = await fetchGuarded(`${last}${REFS}`, () => guard, note, { signal });
    await response.body?.cancel();
  } catch (error) {
    if (error instanceof InvalidSource) throw error;
    throw new GitFailed(`${origin}${pathname} does not answer: ${error instanceof Error ? error.message : error}`);
  }
  const found = new URL(last);
  if (found.origin === origin) [found.username, found.password] = [username, password];
  return found.href;
}

/** Creates a folder in which git's user may write. */
export async function ownFolder(folder: string, { user }: Pick<GitSettings, 'user'>): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (user !== null) await chown(folder, user.uid, user.gid);
}
