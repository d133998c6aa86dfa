import { join, resolve } from 'node:path';
import { readLeftOut } from '../config/left-out.ts';
import type { Preparation } from '../fleet/code/deploy.ts';
import { GitSync } from '../fleet/sources/git-sync.ts';
import { askUrl } from '../fleet/sources/git-url.ts';
import { FORGE_URL } from '../fleet/sources/install-modules.ts';
import { GIT_LIMITS } from '../fleet/sources/run-git.ts';
import { printBegunStage } from '../fleet/stages/begin-stage.ts';
import type { Stores } from '../store/ports/stores.ts';
import type { LocalLog } from './local-log.ts';
import type { LocalOptions } from './options.ts';

/** Copies of repositories are kept in this folder of the data directory. */
const FOLDER = 'git';

/** Synchronises sources of code while the server runs. `path`: the search path for git. */
export function createLocalSources(
  { data, gitUser, gitFolder, forge, leaveOut }: LocalOptions,
  path: string | undefined,
  stores: Stores,
  preparation: Preparation,
  log: LocalLog,
): GitSync {
  const git = { folder: resolve(gitFolder ?? join(data, FOLDER)), path, user: gitUser ?? null, ...GIT_LIMITS };
  const modules = { git, fetch: askUrl, forge: forge ?? FORGE_URL };
  return new GitSync(
    { stores, modules, preparation, scan: { leaveOut: readLeftOut(leaveOut) } },
    {
      onDeployed: (report) => {
        if (report.changed) log.onDeployed(report);
      },
      onStaged: (begun) => log.logEntry(printBegunStage(begun)),
      onRemoved: (environment) => log.logEntry(`removed ${environment}: its branch is gone`),
      onHeld: (what) => log.logEntry(what),
      onTrouble: (what) => log.logEntry(`git: ${what}`),
    },
  );
}
