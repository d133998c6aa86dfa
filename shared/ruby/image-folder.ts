import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * A folder for what may be made anew at any time: beside the packages, or in the system's folder for temporary files where that can't
 * be written. Null when neither can be used; a folder that others may write to is not, since who writes there chooses what runs.
 */
export function cacheFolder(): string | null {
  const packageFile = createRequire(import.meta.url).resolve('@ruby/3.2-wasm-wasi/dist/ruby.wasm');
  const beside = join(dirname(packageFile), '../../../.cache/understudy');
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
