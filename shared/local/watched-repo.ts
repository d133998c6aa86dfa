import { listStagedCode } from '../fleet/code/stage-code.ts';
import { GitSourceStore } from '../fleet/sources/code-source-store.ts';
import type { Stores } from '../store/ports/stores.ts';
import type { LocalOptions } from './options.ts';

/** The control repo that a server keeps deployed, and the author of its deploys. */
export interface WatchedRepo {
  readonly directory: string;
  readonly by: string;
  /** Whether to remove environments that the control repo does not have. */
  readonly purge: boolean;
  readonly followLinks: boolean;
}

type CodePorts = Pick<Stores, 'environments' | 'documents' | 'nodes'>;

const EXAMPLE = 'example control repo';

/**
 * Chooses the control repo that the operator named. If none is named, chooses the example, but only
 * for a data directory without code and nodes, or with only the example deployed. Otherwise returns
 * null: the deployed code stays in force.
 */
export async function chooseWatchedRepo(options: LocalOptions, ports: CodePorts): Promise<WatchedRepo | null> {
  const directory = options.controlRepo;
  const followLinks = options.followLinks ?? false;
  if (options.isControlRepoNamed) {
    return { directory, by: 'control repo', purge: options.purgeEnvironments ?? false, followLinks };
  }
  const inForce = await ports.environments.list();
  if (inForce.some(({ by }) => by !== EXAMPLE)) return null;
  const isUnused = (await isWithoutCode(ports)) && (await ports.nodes.getCounts()).nodes === 0;
  return inForce.length > 0 || isUnused ? { directory, by: EXAMPLE, purge: false, followLinks } : null;
}

/** Whether neither pipelines nor git repositories are to bring code. */
async function isWithoutCode(ports: CodePorts): Promise<boolean> {
  if ((await listStagedCode(ports)).length > 0) return false;
  return (await new GitSourceStore(ports.documents).list()).length === 0;
}

/** Describes a start without a watched control repo. */
export async function describeUnwatched({ environments }: CodePorts): Promise<string> {
  const names = (await environments.list()).map(({ name }) => name);
  return names.length === 0
    ? 'No --control-repo is given, and no environment is deployed: nodes get no catalogs until you deploy one'
    : `No --control-repo is given: the deployed environments stay in force (${names.join(', ')})`;
}
