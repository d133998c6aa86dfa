import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The user `nobody` of Debian: neither Lambda nor the edge's container runs as root. */
const NOBODY = 65_534;

/** Whether code can be run as a user other than the one who owns it. */
export const canChangeUser = process.getuid?.() === 0;

/**
 * Read-only copies of deployed code, below a folder that every user can reach, and the processes
 * that run it as another user. A user who is not root runs them as himself.
 */
export class Sandbox {
  readonly folder: string;
  readonly #node: string;

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'understudy-sandbox-'));
    chmodSync(this.folder, 0o755);
    this.#node = join(this.folder, 'node');
    // The packages may lie where no other user comes.
    copyFileSync(process.execPath, this.#node);
    chmodSync(this.#node, 0o755);
  }

  /**
   * Unpacks a folder with the modes of its files, which the archive of `cdk deploy` keeps, and
   * without permission to write. `isOwned`: the user who runs it owns it, as in our image.
   */
  unpack(from: string, name: string, isOwned = false): string {
    const to = join(this.folder, name);
    cpSync(from, to, { recursive: true });
    for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      const copy = join(to, path.slice(from.length));
      chmodSync(copy, statSync(path).mode & 0o555);
      if (isOwned && canChangeUser) chownSync(copy, NOBODY, NOBODY);
    }
    chmodSync(to, 0o555);
    return to;
  }

  /** Places one readable file of ours. */
  place(from: string, name: string): string {
    const to = join(this.folder, name);
    mkdirSync(join(to, '..'), { recursive: true });
    copyFileSync(from, to);
    chmodSync(to, 0o444);
    return to;
  }

  /** Runs Node in `cwd` with only these variables. */
  spawn(args: readonly string[], cwd: string, variables: Readonly<Record<string, string>>): ChildProcess {
    return spawn(this.#node, [...args], {
      cwd,
      env: { ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(canChangeUser ? { uid: NOBODY, gid: NOBODY } : {}),
    });
  }

  remove(): void {
    for (const entry of readdirSync(this.folder, { recursive: true, withFileTypes: true })) {
      if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), 0o755);
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}
