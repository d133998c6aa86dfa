import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describeLostRight } from '../../access/accounts/lost-rights.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { shortenId } from '../../util/short-id.ts';
import type { Resolve } from '../../util/url-guard.ts';
import type { WorkObserver } from '../../util/work-observer.ts';
import { type DeployReport, deployEnvironment, type Preparation, prepareEnvironment } from '../code/deploy.ts';
import { type ScanOptions, scanEnvironment } from '../code/scan-environment.ts';
import { CodeIsHeld, holdCode, releaseHeld } from '../code/taken-back.ts';
import { removeEnvironment } from '../fan-out/remove-environment.ts';
import type { InvalidatePorts } from '../fan-out/settle-environment.ts';
import type { BegunStage } from '../stages/begin-stage.ts';
import { isStagedByPolicy, type PolicyStage, stageByPolicy } from '../stages/stage-by-policy.ts';
import { environmentOfBranch, type GitSource, GitSourceStore, type SourcedEnvironment } from './code-source-store.ts';
import { GitMirror, ownFolder } from './git-mirror.ts';
import { installModules, type ModulePorts } from './install-modules.ts';
import { guardSource } from './source-guard.ts';

/** Ports of a synchronisation. */
export interface SyncPorts {
  readonly stores: InvalidatePorts & Pick<Stores, 'documents' | 'seal'>;
  readonly modules: Omit<ModulePorts, 'key' | 'guard'>;
  /** Resolves names; absent: as the system does. */
  readonly resolve?: Resolve;
  readonly preparation: Preparation;
  /** The choice of files; absent: the usual one. */
  readonly scan?: ScanOptions;
}

/** Called as environments are done. */
export interface SyncObserver {
  onDeployed(report: DeployReport, commit: string): void;
  /** The policy of the environment gave the commit to some nodes first. */
  onStaged(begun: BegunStage, commit: string): void;
  onRemoved(environment: string): void;
  /** The code of a branch was rolled back: `what` says so. */
  onHeld(what: string): void;
  /** A branch was not deployed, or is deployed under another name: `what` says so. */
  onTrouble(what: string): void;
  /** Gets git's own steps of a fetch: objects of each. */
  readonly onFetching?: WorkObserver;
}

/** The outcome of a synchronisation. */
export interface SyncReport {
  /** Without those that are staged. */
  readonly deployed: readonly string[];
  readonly failed: readonly string[];
  readonly removed: readonly string[];
  /** Their code was rolled back, and their branches have no other code yet. */
  readonly held: readonly string[];
}

/**
 * Fetches a source and deploys its branches, each as an environment with the modules of its
 * Puppetfile, or stages it where the policy says so; `only` bounds it to some branches. Then
 * environments that it deployed are removed whose branches are gone. Other environments are left
 * alone, also those of other sources. Throws GitFailed and InvalidSource when nothing could be
 * fetched, and SourceRefused; a branch that fails does not stop the others, and one whose code was
 * rolled back is held.
 */
export async function syncSource(
  source: GitSource,
  only: readonly string[] | null,
  ports: SyncPorts,
  observer: SyncObserver,
): Promise<SyncReport> {
  await demandAuthor(source, ports);
  const sources = new GitSourceStore(ports.stores);
  const mirror = await openMirror(source, ports);
  await mirror.fetch(observer.onFetching);
  const branches = await mirror.listBranches();
  const owners = new Map((await sources.listEnvironments()).map((one) => [one.environment, one]));
  const deployed: string[] = [];
  const failed: string[] = [];
  const held: string[] = [];
  const claimed = new Map<string, string>();
  for (const [branch, commit] of branches) {
    const { name, isCorrected } = environmentOfBranch(source, branch);
    const rival = claimed.get(name);
    claimed.set(name, rival ?? branch);
    if (only !== null && !only.includes(branch)) continue;
    try {
      if (rival !== undefined) throw new Error(`branch '${rival}' is environment '${name}', too`);
      demandFree(name, source, owners.get(name), await ports.stores.environments.get(name));
      if (isCorrected) observer.onTrouble(`branch '${branch}' is deployed as environment '${name}'`);
      const report = await deployBranch(source, { branch, commit, name }, mirror, ports);
      if ('kind' in report) {
        if (report.kind === 'staged') observer.onStaged(report.begun, commit);
        continue;
      }
      await sources.noteEnvironment({ environment: name, source: source.name, branch, commit });
      observer.onDeployed(report, commit);
      deployed.push(name);
    } catch (error) {
      if (error instanceof CodeIsHeld) {
        observer.onHeld(error.message);
        held.push(name);
        continue;
      }
      observer.onTrouble(`branch '${branch}' was not deployed: ${error instanceof Error ? error.message : error}`);
      failed.push(name);
    }
  }
  const gone = [...owners.values()].filter((one) => one.source === source.name && !branches.has(one.branch));
  return { deployed, failed, held, removed: await purge(gone, branches.size, ports, observer) };
}

/** The user who set a source no longer may; nothing of it is fetched. */
class SourceRefused extends Error {
  constructor(name: string, reason: string) {
    super(`source '${name}' is not used: ${reason}`);
    this.name = 'SourceRefused';
  }
}

/** Throws SourceRefused when the user who set the source may not deploy all environments now. */
export async function demandAuthor({ name, author }: GitSource, { stores }: Pick<SyncPorts, 'stores'>): Promise<void> {
  const permission = { objectType: 'environment', action: 'deploy_code', instance: '*' };
  const lost = await describeLostRight(stores, author, permission);
  if (lost !== null) throw new SourceRefused(name, lost);
}

/** The copy of a source's repository. */
export async function openMirror(source: GitSource, { stores, modules, resolve }: SyncPorts): Promise<GitMirror> {
  const { own } = await guardSource(source, stores, resolve);
  return new GitMirror(source.url, source.key, modules.git, own);
}

/** Throws when the environment is another source's, or was deployed in another way. */
export function demandFree(
  name: string,
  source: GitSource,
  owner: SourcedEnvironment | undefined,
  inForce: { readonly by: string } | null,
): void {
  if (owner !== undefined && owner.source !== source.name) {
    throw new Error(`environment '${name}' belongs to the source '${owner.source}'`);
  }
  if (owner === undefined && inForce !== null && inForce.by !== EXAMPLE_AUTHOR) {
    throw new Error(
      `environment '${name}' was deployed by ${inForce.by}; 'understudy code remove ${name}' makes room for the branch`,
    );
  }
}

/** The author of the example's deploys: a source replaces it. */
const EXAMPLE_AUTHOR = 'example control repo';

/** A branch as an environment. */
interface BranchPlace {
  readonly branch: string;
  readonly commit: string;
  /** The environment. */
  readonly name: string;
}

function deployBranch(
  source: GitSource,
  place: BranchPlace,
  mirror: GitMirror,
  ports: SyncPorts,
): Promise<DeployReport | PolicyStage> {
  const { branch, commit, name } = place;
  const { stores, preparation, scan } = ports;
  const ownBy = `git ${source.name} ${branch} `;
  const by = `${ownBy}${shortenId(commit)}`;
  return withBranch(source, place, mirror, ports, async (folder) => {
    const scanned = await scanEnvironment(folder, name, scan);
    if (await isStagedByPolicy(name, stores)) {
      const { codeId } = await prepareEnvironment(stores, scanned, preparation);
      const check = async () => preparation.gate?.(name, codeId);
      const isOwn = (author: string) => author.startsWith(ownBy);
      const author = source.author ?? undefined;
      const code = { environment: name, codeId, by, ...(author && { author }), isOwn, isRepeated: true, check };
      const staged = await stageByPolicy(code, stores);
      if (staged !== null) return staged;
    }
    const gate = holdCode(stores, preparation.gate);
    const report = await deployEnvironment(stores, scanned, by, { ...preparation, gate });
    await releaseHeld(name, report.codeId, stores);
    return report;
  });
}

/** Runs `use` on a control repo with one environment: the branch with its modules. */
export async function withBranch<T>(
  source: GitSource,
  { branch, commit, name }: BranchPlace,
  mirror: GitMirror,
  { stores, modules, resolve }: SyncPorts,
  use: (controlRepo: string) => Promise<T>,
): Promise<T> {
  const { folder } = modules.git;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const work = await mkdtemp(join(folder, 'work-'));
  try {
    const root = join(work, 'environments', name);
    for (const own of [work, join(work, 'environments')]) await ownFolder(own, modules.git);
    await mirror.write(commit, root);
    const { modules: guard } = await guardSource(source, stores, resolve);
    await installModules(root, branch, { ...modules, key: source.key, guard });
    return await use(work);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** A repository without any branch is taken for a fault. */
async function purge(
  gone: readonly SourcedEnvironment[],
  branches: number,
  { stores }: SyncPorts,
  observer: SyncObserver,
): Promise<readonly string[]> {
  if (branches === 0) {
    observer.onTrouble('the repository has no branch; nothing is removed');
    return [];
  }
  for (const { environment } of gone) {
    await removeEnvironment(stores, environment);
    await new GitSourceStore(stores).forgetEnvironment(environment);
    observer.onRemoved(environment);
  }
  return gone.map(({ environment }) => environment);
}
