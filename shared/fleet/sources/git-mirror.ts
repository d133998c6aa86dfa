import { existsSync } from 'node:fs';
import { chown, lutimes, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BoundedCache } from '../../util/bounded-cache.ts';
import { digestSha256 } from '../../util/digest.ts';
import { inParallel } from '../../util/in-parallel.ts';
import type { UrlGuard } from '../../util/url-guard.ts';
import type { WorkObserver } from '../../util/work-observer.ts';
import { type AskUrl, askUrl, InvalidSource, readGitRef, readGitUrl } from './git-url.ts';
import { GitFailed, type GitSettings, runGit } from './run-git.ts';
import { demandUrl, fetchGuarded } from './source-guard.ts';

/** Milliseconds to ask for the references of a repository. */
const ASK_MS = 30_000;
const COMMIT = /^[0-9a-f]{40}([0-9a-f]{24})?$/;

const TIMES_AT_ONCE = 16;
/** Files whose times are remembered: a tag of a module is written at each deploy of a branch. */
const MOST_TIMES = 200_000;
/** Times by repository and commit, which never change. */
const TIMES = new BoundedCache<CommitTimes>(MOST_TIMES, ({ files }) => files.length);

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

  /**
   * Fetches all branches and tags; those that are gone there are gone here. The observer gets git's
   * own steps. Throws GitFailed.
   */
  async fetch(observe?: WorkObserver): Promise<void> {
    if (!existsSync(join(this.#folder, 'HEAD'))) {
      await rm(this.#folder, { recursive: true, force: true });
      await ownFolder(this.#settings.folder, this.#settings);
      await ownFolder(this.#folder, this.#settings);
      await this.#git(['init', '--quiet', '--bare', '--template=', this.#folder]);
    }
    const refs = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'];
    const flags = [
      observe === undefined ? '--quiet' : '--progress',
      '--prune',
      '--no-tags',
      '--no-recurse-submodules',
      '--no-write-fetch-head',
    ];
    const { url, settings, protocols } = await this.#findPlace();
    const variables: Record<string, string> = protocols === null ? {} : { GIT_ALLOW_PROTOCOL: protocols };
    await this.#git([...settings, ...this.#at, 'fetch', ...flags, '--', url, ...refs], variables, observe);
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

  /**
   * Writes the files of a commit into an empty folder, each with the time of the last commit that
   * changed it. No hook runs, and no filter.
   */
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
    const times = await this.#findTimes(commit);
    await inParallel(TIMES_AT_ONCE, times.files, async ([path, time]) => setTime(join(folder, path), time));
  }

  /**
   * The times of the files of a commit, in seconds. A history that is too long to read gives all of
   * them the time of the commit.
   */
  async #findTimes(commit: string): Promise<CommitTimes> {
    const known = TIMES.get(`${this.#folder} ${commit}`);
    if (known !== undefined) return known;
    const list = ['-c', 'core.quotePath=false', ...this.#at];
    const paths = (await this.#git([...list, 'ls-tree', '-r', '--name-only', commit])).split('\n').filter(Boolean);
    const log = [...list, 'log', '--format=%x01%ct', '--name-only', '--no-renames'];
    const own = Number(await this.#git([...this.#at, 'log', '-1', '--format=%ct', commit]));
    const history = await this.#git([...log, commit]).catch((error: unknown) => {
      if (error instanceof GitFailed) return '';
      throw error;
    });
    const last = readHistory(history);
    const times = { files: paths.map((path) => [path, last.get(path) ?? own] as const) };
    TIMES.set(`${this.#folder} ${commit}`, times);
    return times;
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

  #git(
    args: readonly string[],
    variables: Readonly<Record<string, string>> = {},
    observe?: WorkObserver,
  ): Promise<string> {
    return runGit(args, this.#settings, { key: this.#key, variables, measured: this.#folder, observe });
  }
}

/** The last commit's time of each path in a log, which has the newest first. */
function readHistory(log: string): ReadonlyMap<string, number> {
  const last = new Map<string, number>();
  let time = 0;
  for (const line of log.split('\n')) {
    if (line.startsWith('\u0001')) time = Number(line.slice(1));
    else if (line !== '' && !last.has(line)) last.set(line, time);
  }
  return last;
}

const UNSET: ReadonlySet<unknown> = new Set(['ENOENT', 'EPERM']);

/** Sets the time of a file; of a link, its own. */
async function setTime(path: string, seconds: number): Promise<void> {
  await lutimes(path, seconds, seconds).catch((error: unknown) => {
    // The file keeps the time of its checkout when git quotes its name, or it is another user's.
    if (!(error instanceof Error && 'code' in error && UNSET.has(error.code))) throw error;
  });
}

interface CommitTimes {
  /** Path and time, in seconds since 1970. */
  readonly files: readonly (readonly [string, number])[];
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
