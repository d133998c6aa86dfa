import { existsSync } from 'node:fs';
import { chown, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { digestSha256 } from '../../util/digest.ts';
import { readGitRef, readGitUrl } from './git-url.ts';
import { GitFailed, type GitSettings, runGit } from './run-git.ts';

const COMMIT = /^[0-9a-f]{40}([0-9a-f]{24})?$/;

/** A bare copy of a repository, which is fetched and of which trees are written. */
export class GitMirror {
  readonly #url: string;
  readonly #key: string | null;
  readonly #settings: GitSettings;
  readonly #folder: string;

  /** Throws InvalidSource for a URL that is none. */
  constructor(url: string, key: string | null, settings: GitSettings) {
    this.#url = readGitUrl(url);
    this.#key = key;
    this.#settings = settings;
    this.#folder = join(settings.folder, `${digestSha256(url).slice(0, 32)}.git`);
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
    await this.#git([...this.#at, 'fetch', ...flags, '--', this.#url, ...refs]);
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

  get #at(): readonly string[] {
    return [`--git-dir=${this.#folder}`];
  }

  #git(args: readonly string[], variables: Readonly<Record<string, string>> = {}): Promise<string> {
    return runGit(args, this.#settings, { key: this.#key, variables, measured: this.#folder });
  }
}

/** Creates a folder in which git's user may write. */
export async function ownFolder(folder: string, { user }: Pick<GitSettings, 'user'>): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (user !== null) await chown(folder, user.uid, user.gid);
}
