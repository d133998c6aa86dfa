import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { endGroup } from '../../util/end-group.ts';
import { hideLogins } from '../../util/hide-logins.ts';
import type { WorkObserver } from '../../util/work-observer.ts';
import { GitProgress } from './git-progress.ts';

/** git failed; the message has the end of what it printed. */
export class GitFailed extends Error {
  constructor(message: string) {
    super(hideLogins(message));
    this.name = 'GitFailed';
  }
}

/** Settings of git processes. */
export interface GitSettings {
  /** Folder of repositories. */
  readonly folder: string;
  /** The search path of the process. */
  readonly path: string | undefined;
  /** The user of git; null for that of this process. */
  readonly user: { readonly uid: number; readonly gid: number } | null;
  /** The most milliseconds of a command. */
  readonly limitMs: number;
  /** The most bytes of a repository. */
  readonly limitBytes: number;
}

export const GIT_LIMITS = { limitMs: 300_000, limitBytes: 2 * 2 ** 30 } as const;

interface GitCall {
  /** The private key for ssh; null without one. */
  readonly key?: string | null;
  readonly variables?: Readonly<Record<string, string>>;
  /** A repository that is measured while git works. */
  readonly measured?: string;
  /** Gets the steps that git reports on standard error with `--progress`. */
  readonly observe?: WorkObserver | undefined;
}

const MOST_OUTPUT = 16 * 2 ** 20;
const LONGEST_ERROR = 1000;
/** More than a URL and an error: what is cut here of a URL is not shown. */
const KEPT_ERRORS = 8 * LONGEST_ERROR;
const MEASURE_MS = 1000;

/** No hook, no program from a configuration, and no prompt. */
const SAFE = [
  ...['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'core.askPass=', 'credential.helper='],
  ...['protocol.ext.allow=never', 'gc.auto=0', 'maintenance.auto=false', 'submodule.recurse=false'],
  ...['safe.directory=*', 'advice.detachedHead=false', 'core.protectHFS=true', 'core.protectNTFS=true'],
].flatMap((setting) => ['-c', setting]);

/**
 * Runs git without a shell, configuration of the machine, hooks or prompts, within bounds of time
 * and size. Returns its output. Throws GitFailed.
 */
export async function runGit(args: readonly string[], settings: GitSettings, call: GitCall = {}): Promise<string> {
  mkdirSync(settings.folder, { recursive: true, mode: 0o700 });
  const { user } = settings;
  const child = spawn('git', [...SAFE, ...args], {
    cwd: settings.folder,
    env: { ...environmentOf(settings, call.key ?? null), ...call.variables },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Its own group: helpers of git end with it.
    detached: true,
    ...(user === null ? {} : { uid: user.uid, gid: user.gid }),
  });
  let cause: string | null = null;
  const stop = (why: string) => {
    cause ??= why;
    if (child.pid !== undefined) endGroup(child.pid);
  };
  const timer = setTimeout(() => stop(`it took longer than ${settings.limitMs / 1000} s`), settings.limitMs);
  const measure = setInterval(() => void checkSize(call.measured, settings, stop), MEASURE_MS);
  const output: Buffer[] = [];
  let size = 0;
  let errors = '';
  const progress = call.observe && new GitProgress(call.observe);
  child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > MOST_OUTPUT) stop('it printed too much');
    else output.push(chunk);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    const text = chunk.toString('utf8');
    errors = (errors + (progress?.take(text) ?? text)).slice(-KEPT_ERRORS);
  });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', (error) => reject(new GitFailed(`git cannot be run: ${error.message}`)));
      child.once('close', resolve);
    });
    await checkSize(call.measured, settings, stop);
    if (cause !== null || code !== 0) {
      throw new GitFailed(
        `git ${args.find((arg) => !arg.startsWith('-')) ?? ''}: ${cause ?? hideLogins((errors + (progress?.rest ?? '')).trim()).slice(-LONGEST_ERROR)}`,
      );
    }
    return Buffer.concat(output).toString('utf8');
  } finally {
    clearTimeout(timer);
    clearInterval(measure);
  }
}

function environmentOf({ folder, path }: GitSettings, key: string | null): Record<string, string> {
  const hosts = quoteForSsh(join(folder, 'known_hosts'));
  const identity = key === null ? '' : ` -i ${quoteForSsh(key)} -o IdentitiesOnly=yes`;
  return {
    PATH: path ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: folder,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ALLOW_PROTOCOL: 'https:http:ssh:git:file',
    GIT_LFS_SKIP_SMUDGE: '1',
    // The key of a new host is kept, and has to be the same from then on.
    GIT_SSH_COMMAND: `ssh -F /dev/null -o BatchMode=yes -o StrictHostKeyChecking=accept-new -o UserKnownHostsFile=${hosts}${identity}`,
  };
}

/** git passes the command of ssh to a shell. */
function quoteForSsh(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

async function checkSize(
  folder: string | undefined,
  { limitBytes }: GitSettings,
  stop: (why: string) => void,
): Promise<void> {
  if (folder !== undefined && (await sizeOf(folder)) > limitBytes) {
    stop(`the repository has more than ${limitBytes} bytes`);
  }
}

async function sizeOf(folder: string): Promise<number> {
  let size = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])) {
    if (!entry.isFile()) continue;
    size += (await stat(join(entry.parentPath, entry.name)).catch(() => null))?.size ?? 0;
  }
  return size;
}
