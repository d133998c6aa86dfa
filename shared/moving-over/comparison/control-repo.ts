import { statSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError } from '../../cli/commands/node-files.ts';
import { deployEnvironment } from '../../fleet/code/deploy.ts';
import { type ScanOptions, scanEnvironment } from '../../fleet/code/scan-environment.ts';
import { PREPARATION } from '../../http/preparation.ts';
import type { Stores } from '../../store/ports/stores.ts';

/**
 * Gives what deploys an environment of a control repo; one that the repo does not have is not
 * deployed, so that its nodes fail. Throws CommandError for a folder that is no control repo.
 */
export async function checkControlRepo(
  controlRepo: string,
  scan: ScanOptions,
): Promise<(stores: Stores, environment: string) => Promise<void>> {
  if (!isFolder(join(controlRepo, 'environments'))) {
    throw new CommandError(`'${controlRepo}' is no control repo: it has no folder 'environments'`);
  }
  return async (stores, environment) => {
    if (!isFolder(join(controlRepo, 'environments', environment))) return;
    await deployEnvironment(stores, await scanEnvironment(controlRepo, environment, scan), 'compare', PREPARATION);
  };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
