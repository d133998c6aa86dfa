import { readFileSync } from 'node:fs';
import type { TrustedNames } from '../../access/ca/trusted-oid-mapping.ts';

export const TRUSTED_NAMES_OPTION = [
  '--trusted-oid-mapping <file>',
  "names of certificate extensions in $trusted, as the server's option of that name",
] as const;

/** Reads the file of the option; without one, extensions have Puppet's names only. */
export async function readTrustedNames(file: string | undefined): Promise<TrustedNames> {
  const { NO_TRUSTED_NAMES, readTrustedOidMapping } = await import('../../access/ca/trusted-oid-mapping.ts');
  return file === undefined ? NO_TRUSTED_NAMES : readTrustedOidMapping(readFileSync(file, 'utf8'), file);
}
