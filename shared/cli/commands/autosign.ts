import { execFile } from 'node:child_process';
import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Autosign, isListed } from '../../access/ca/signing-policy.ts';
import { StoreRefused } from '../../store/ports/store-errors.ts';

/** Time limit of the policy program for one request. */
const LIMIT_MS = 30_000;

/**
 * Implements `--autosign FILE` like Puppet's setting. An executable file is a policy program: it
 * gets the certname as its argument and the request on standard input, and signs with exit code 0.
 * Any other file is an autosign.conf. The file is read for each request. Throws StoreRefused when
 * it does not exist.
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
    // A policy program may decide without reading the request.
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
