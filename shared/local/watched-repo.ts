import { readPublicAuthority } from '../access/ca/authority-record.ts';
import { readLeftOut } from '../config/left-out.ts';
import { NO_CODE } from '../fleet/code/no-code.ts';
import { listUploadedCode } from '../fleet/code/uploaded-code.ts';
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
  /** Names of files and folders that are not deployed. */
  readonly leaveOut: readonly string[];
}

/** The control repo that a trial deploys. */
export interface ExampleRepo {
  readonly directory: string;
  /** Whether this start is a trial; otherwise only `--example` deploys it. */
  readonly isOffered: boolean;
}

type CodePorts = Pick<Stores, 'seal' | 'environments' | 'documents' | 'nodes'>;

const EXAMPLE = 'example control repo';
const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/;

/**
 * Chooses the control repo that the operator named, or the example where it is wanted: while no
 * other code is deployed, with `--example`, or in a trial whose data directory is fresh (no code,
 * no nodes, no certificate authority). Otherwise returns null: what is deployed stays in force.
 */
export async function chooseWatchedRepo(
  options: LocalOptions,
  example: ExampleRepo | null,
  ports: CodePorts,
): Promise<WatchedRepo | null> {
  const scan = { followLinks: options.followLinks ?? false, leaveOut: readLeftOut(options.leaveOut) };
  if (options.controlRepo !== undefined) {
    const purge = options.purgeEnvironments ?? false;
    return { directory: options.controlRepo, by: 'control repo', purge, ...scan };
  }
  if (example === null || !(options.example || (example.isOffered && isTrial(options)))) return null;
  const inForce = await ports.environments.list();
  if (inForce.some(({ by }) => by !== EXAMPLE) || (await isCodeExpected(ports))) return null;
  const isWanted = options.example || inForce.length > 0 || (await isFresh(ports));
  return isWanted ? { directory: example.directory, by: EXAMPLE, purge: false, ...scan } : null;
}

/** Whether the options are those of somebody who tries Understudy on one machine. */
function isTrial({ config, host, caUpstream, compilerUpstream }: LocalOptions): boolean {
  return [config, caUpstream, compilerUpstream].every((one) => one === undefined) && LOOPBACK.test(host);
}

/** Whether pipelines or git repositories are to bring code. */
async function isCodeExpected(ports: CodePorts): Promise<boolean> {
  if ((await listUploadedCode(ports)).length > 0) return true;
  return (await new GitSourceStore(ports).list()).length > 0;
}

/** Whether no server ran here and no certificate authority was imported. */
async function isFresh({ documents, nodes }: CodePorts): Promise<boolean> {
  return (await readPublicAuthority(documents)) === null && (await nodes.getCounts()).nodes === 0;
}

/** Describes a start without a watched control repo. */
export async function describeUnwatched(
  { example }: Pick<LocalOptions, 'example'>,
  { environments }: CodePorts,
): Promise<string> {
  const deployed = await environments.list();
  const names = deployed.map(({ name }) => name).join(', ');
  const ignored = example ? '--example changes nothing, because other code is deployed or expected. ' : '';
  if (names === '')
    return `${ignored}${NO_CODE}. 'understudy code deploy' deploys some, and so does --control-repo DIR`;
  const isExample = deployed.every(({ by }) => by === EXAMPLE);
  const kind = isExample ? ", which is the example's: 'understudy code remove' removes it" : '';
  return `${ignored}No --control-repo is given: the deployed environments stay in force (${names}${kind})`;
}
