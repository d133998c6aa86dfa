import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ClientError, describeCause } from './client-error.ts';

/**
 * Writes a token for its owner only (mode 0600), in place of an earlier one. Throws ClientError.
 */
export function writeTokenFile(path: string, token: string): void {
  const draft = `${path}.new`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    rmSync(draft, { force: true });
    writeFileSync(draft, token, { mode: 0o600, flag: 'wx' });
    chmodSync(draft, 0o600);
    renameSync(draft, path);
  } catch (error) {
    throw new ClientError(`the token cannot be saved: ${describeCause(error)}`, error);
  }
}

/** Reads a token; null without a file. Throws ClientError. */
export function readTokenFile(path: string): string | null {
  if (!existsSync(path)) return null;
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new ClientError(`the token cannot be read: ${describeCause(error)}`, error);
  }
}

/** Deletes a token's file; false when there is none. */
export function deleteTokenFile(path: string): boolean {
  if (!existsSync(path)) return false;
  rmSync(path);
  return true;
}
