import { accessSync, constants, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir, userInfo } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { threadId } from 'node:worker_threads';

/** Files of other versions that are left beside a new one. */
const KEPT = 3;

/**
 * A folder for what may be made anew at any time: beside the packages, or in the system's folder
 * for temporary files where that can't be written. Null when neither can be used; a folder that
 * others may write to is not, since who writes there chooses what runs.
 */
export function cacheFolder(): string | null {
  const packageFile = createRequire(import.meta.url).resolve('@ruby/3.2-wasm-wasi/dist/ruby.wasm');
  const beside = join(dirname(packageFile), '../../../../../.cache/understudy');
  const temporary = join(tmpdir(), `understudy-${userInfo().uid}`);
  return [beside, temporary].find(isOurs) ?? null;
}

function isOurs(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.W_OK);
    const { uid, mode } = statSync(folder);
    return uid === userInfo().uid && (mode & 0o022) === 0;
  } catch {
    return false;
  }
}

/**
 * Keeps what was made. It is written to a file of its own first: who reads meanwhile sees the old
 * one or none. Of files with the same suffix only the youngest stay. Throws when the folder can't
 * be written.
 */
export function keepFile(path: string, content: Uint8Array): void {
  const draft = `${path}.${process.pid}.${threadId}`;
  writeFileSync(draft, content, { mode: 0o600 });
  renameSync(draft, path);
  const folder = dirname(path);
  const aged = readdirSync(folder)
    .filter((name) => extname(name) === extname(path))
    .map((name) => ({ name, age: -statSync(join(folder, name)).mtimeMs }))
    .sort((a, b) => a.age - b.age);
  for (const { name } of aged.slice(KEPT)) rmSync(join(folder, name), { force: true });
}

/** `keepFile` where it does not matter: a full disk costs the next start its time, nothing else. */
export function keepFileIfPossible(path: string, content: Uint8Array): void {
  try {
    keepFile(path, content);
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
  }
}
