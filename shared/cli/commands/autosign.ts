import { execFile } from 'node:child_process';
import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Autosign, isListed } from '../../access/ca/signing-policy.ts';
import { StoreRefused } from '../../store/ports/store-errors.ts';

/** How long a policy program may think about a request. */
const LIMIT_MS = 30_000;

/**
 * What `--autosign FILE` says, as Puppet's setting: an executable is asked for each request
 * (certname as its argument, the request on standard input; it signs with exit code 0), any other
 * file is an autosign.conf, read anew for each request. Throws StoreRefused when there is no such
 * file.
 */
export function autosignOf(file: string, failed: (message: string, cause: unknown) => void): Autosign {
  const path = resolve(file);
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) {
    throw new StoreRefused(`the autosign file '${file}' does not exist`);
  }
  return async (certname, pem) =>
    isExecutable(path) ? asks(path, certname, pem, failed) : isListedInFile(path, certname, failed);
}

function isListedInFile(path: string, certname: string, failed: (message: string, cause: unknown) => void): boolean {
  try {
    return isListed(readFileSync(path, 'utf8'), certname);
  } catch (error) {
    failed('The autosign list cannot be read; the request waits for a signature', error);
    return false;
  }
}

function asks(
  path: string,
  certname: string,
  pem: string,
  failed: (message: string, cause: unknown) => void,
): Promise<boolean> {
  return new Promise((answer) => {
    const child = execFile(path, [certname], { timeout: LIMIT_MS, killSignal: 'SIGKILL' }, (error) => {
      if (error !== null && typeof error.code !== 'number') {
        failed('The autosign program failed; the request waits for a signature', error.message);
      }
      answer(error === null);
    });
    // A program may decide without reading.
    child.stdin?.on('error', () => {});
    child.stdin?.end(pem);
  });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
