import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { USUALLY_LEFT_OUT } from '../config/left-out.ts';
import {
  CodeIsStaged,
  type DeployGate,
  type DeployReport,
  deployEnvironment,
  type Preparation,
} from '../fleet/code/deploy.ts';
import type { LinkBoundary } from '../fleet/code/link-boundary.ts';
import {
  environmentsOf,
  findMisnamedEnvironments,
  LinkLeavesRepo,
  listMountedFolders,
  repoBoundary,
  type ScanOptions,
  scanEnvironment,
} from '../fleet/code/scan-environment.ts';
import { CodeIsHeld, holdCode, releaseHeld } from '../fleet/code/taken-back.ts';
import { removeEnvironment } from '../fleet/fan-out/remove-environment.ts';
import type { InvalidatePorts } from '../fleet/fan-out/settle-environment.ts';
import { DeployRefused } from '../fleet/previews/deploy-verdict.ts';
import { PREPARATION } from '../http/preparation.ts';
import { standardPlace } from '../puppet/environment/directory-environment.ts';
import { parseEnvironmentConf } from '../puppet/environment/environment-conf.ts';
import { fileStat } from '../puppet/environment/file-tree.ts';
import { FILESERVER_CONF } from '../puppet/environment/snapshot.ts';
import { PuppetError } from '../puppet/errors/puppet-error.ts';
import { digestSha256 } from '../util/digest.ts';
import { NamedError } from '../util/named-error.ts';
import { describeEntries, describeFile } from './folder-state.ts';

/** The folder cannot be used as a control repo; the message names it. */
export class NoControlRepo extends NamedError {}

export interface DeployObserver {
  onDeployed(report: DeployReport): void;
  onRemoved(environment: string): void;
  /** The folder of an environment is gone; the environment stays in force. */
  kept(environment: string): void;
  onFailed(environment: string, error: unknown): void;
}

export interface ControlRepoOptions {
  /** The author of deploys, in the deploy history. */
  readonly by?: string;
  /** Whether to remove environments whose folder is gone. Otherwise they stay in force. */
  readonly purge?: boolean;
  /** Whether symbolic links may lead out of the folder. Otherwise they are refused. */
  readonly followLinks?: boolean;
  /** Names of files and folders that are not deployed; absent: the usual ones. */
  readonly leaveOut?: readonly string[];
  /** Checks code before it is in force; absent: nothing is checked. */
  readonly gate?: DeployGate;
}

/** The name under which faults of the folder as a whole are reported. */
const CONTROL_REPO = 'the control repo';
/** Faults of the files, which stay until they change. */
const LASTING_FAULTS = [CodeIsHeld, DeployRefused, LinkLeavesRepo, PuppetError];
const FIRST_PAUSE_MS = 500;
/** Scanning all files may take at most this share of the time. */
const SHARE = 0.02;

/** Keeps the environments of a folder deployed: at the start, and whenever a file changes. */
export class ControlRepo {
  readonly #directory: string;
  readonly #ports: InvalidatePorts;
  readonly #observer: DeployObserver;
  readonly #by: string;
  readonly #purge: boolean;
  readonly #scan: Required<Pick<ScanOptions, 'followLinks' | 'leaveOut'>>;
  readonly #preparation: Preparation;
  /** Environments in force without a folder that were already reported. */
  readonly #kept = new Set<string>();
  readonly #faults = new Map<string, string>();
  readonly #seen = new Map<string, string>();
  /** States that were refused because of a staged deploy: they are read again after its end. */
  readonly #refused = new Map<string, string>();
  /** Time that scanning took in the last round. A slow deploy does not delay the next scan. */
  #lookedMs = 0;
  /** Whether `environments` contains the environments; otherwise the control repo is one itself. */
  #hasSeveral: boolean;

  /** Throws NoControlRepo when the folder does not exist or contains no environment. */
  constructor(directory: string, ports: InvalidatePorts, notes: DeployObserver, options: ControlRepoOptions = {}) {
    this.#directory = resolve(directory);
    this.#by = options.by ?? 'control repo';
    this.#purge = options.purge ?? false;
    this.#scan = { followLinks: options.followLinks ?? false, leaveOut: options.leaveOut ?? USUALLY_LEFT_OUT };
    this.#preparation = { ...PREPARATION, gate: holdCode(ports, options.gate) };
    this.#ports = ports;
    this.#observer = notes;
    demandControlRepo(directory);
    this.#hasSeveral = hasFolder(join(this.#directory, 'environments'));
  }

  /** Environments whose last deploy failed, with the reasons. */
  get faults(): readonly (readonly [string, string])[] {
    return [...this.#faults];
  }

  /**
   * Scans once and deploys the environments whose files changed. An environment whose folder is
   * gone is removed when `purge` is set, and reported otherwise. Throws NoControlRepo, and changes
   * nothing, when the control repo or all of its environments are gone.
   */
  async deployChanges(): Promise<void> {
    this.#demandLayout();
    const environments = environmentsOf(this.#directory);
    for (const [name, fault] of findMisnamedEnvironments(this.#directory)) this.#noteFault(name, new Error(fault));
    const shared = await this.#stateOf(['modules', 'hiera.yaml', FILESERVER_CONF, ...this.#listMounts()]);
    for (const environment of environments) await this.#deployIfChanged(environment, shared);
    await this.#settleOthers(environments);
    this.#faults.delete(CONTROL_REPO);
  }

  /**
   * Scans at once, then repeatedly until `signal` aborts. The larger the folder, the longer the
   * pauses.
   */
  async watch(signal: AbortSignal): Promise<void> {
    const { clock } = this.#ports;
    while (!signal.aborted) {
      this.#lookedMs = 0;
      await this.deployChanges().catch((error: unknown) => this.#noteFault(CONTROL_REPO, error));
      await clock.sleep(Math.max(FIRST_PAUSE_MS, this.#lookedMs / SHARE), signal);
    }
  }

  /** Reports an environment that cannot be scanned; the others continue. */
  async #deployIfChanged(environment: string, shared: string): Promise<void> {
    let state: string;
    try {
      state = digestSha256(shared + (await this.#stateOf([this.#rootOf(environment)])));
    } catch (error) {
      this.#noteFault(environment, error);
      this.#seen.delete(environment);
      return;
    }
    if (this.#seen.get(environment) === state) return;
    if (this.#refused.get(environment) === state && (await this.#ports.environments.get(environment))?.stage) return;
    await this.#deploy(environment, state);
  }

  async #deploy(environment: string, state: string): Promise<void> {
    try {
      this.#checkConf(environment);
      const scanned = await scanEnvironment(this.#directory, environment, this.#scan);
      const report = await deployEnvironment(this.#ports, scanned, this.#by, this.#preparation);
      await releaseHeld(environment, report.codeId, this.#ports);
      this.#faults.delete(environment);
      if (report.changed || !this.#seen.has(environment)) this.#observer.onDeployed(report);
    } catch (error) {
      this.#noteFault(environment, error);
      if (error instanceof CodeIsStaged) this.#refused.set(environment, state);
      // A fault of the files stays until they change; anything else is retried.
      if (!LASTING_FAULTS.some((kind) => error instanceof kind)) return;
    }
    this.#seen.set(environment, state);
  }

  #noteFault(environment: string, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    if (this.#faults.get(environment) === message) return;
    this.#faults.set(environment, message);
    this.#observer.onFailed(environment, error);
  }

  /**
   * Throws PuppetError for an environment.conf that cannot be read: the snapshot in force stays.
   */
  #checkConf(environment: string): void {
    const file = join(this.#rootOf(environment), 'environment.conf');
    const text = hasFile(file) ? readFileSync(file, 'utf8') : null;
    parseEnvironmentConf(text, file, standardPlace(this.#directory, environment));
  }

  /**
   * A repo with several environments may have none for a moment, while it is being written. It does
   * not become a single environment then.
   */
  #demandLayout(): void {
    const needed = this.#hasSeveral ? join(this.#directory, 'environments') : this.#directory;
    if (!hasFolder(needed)) throw new NoControlRepo(`'${needed}' is gone: the deployed code stays in force`);
    this.#hasSeveral ||= hasFolder(join(this.#directory, 'environments'));
    if (environmentsOf(this.#directory).length === 0) {
      throw new NoControlRepo(`'${needed}' has no environment: the deployed code stays in force`);
    }
  }

  /**
   * Lists the folders that fileserver.conf mounts. The list is empty when the file cannot be read,
   * which deploys report.
   */
  #listMounts(): readonly string[] {
    try {
      return this.#hasSeveral ? listMountedFolders(this.#directory) : [];
    } catch (error) {
      if (error instanceof PuppetError) return [];
      throw error;
    }
  }

  #rootOf(environment: string): string {
    return this.#hasSeveral ? join(this.#directory, 'environments', environment) : this.#directory;
  }

  /** Handles environments that are in force but have no folder. */
  async #settleOthers(environments: readonly string[]): Promise<void> {
    for (const name of environments) this.#kept.delete(name);
    for (const { name } of await this.#ports.environments.list()) {
      if (environments.includes(name)) continue;
      this.#seen.delete(name);
      if (this.#purge) {
        await removeEnvironment(this.#ports, name);
        this.#observer.onRemoved(name);
      } else if (!this.#kept.has(name)) {
        this.#kept.add(name);
        this.#observer.kept(name);
      }
    }
  }

  /**
   * Returns a digest of the names, sizes and times of all files, folders and links below these
   * paths.
   */
  async #stateOf(paths: readonly string[]): Promise<string> {
    const lines: string[] = [];
    for (const path of paths) {
      const folder = resolve(this.#directory, path);
      const boundary = this.#scan.followLinks ? null : repoBoundary(this.#directory, folder);
      await this.#describe(folder, { lines, boundary });
    }
    return digestSha256(lines.join('\n'));
  }

  /**
   * Waits at each folder, so that a large repo does not block requests. It follows no link back to
   * one of the folders `above`, and none out of the boundary.
   */
  async #describe(path: string, into: FolderState, above: readonly string[] = []): Promise<void> {
    const { lines, boundary } = into;
    const identity = this.#look(() => describeFile(path, lines));
    if (identity === null || above.includes(identity)) return;
    const entries = await readdir(path, { withFileTypes: true });
    const folders = this.#look(() => describeEntries(path, entries, lines, boundary, this.#scan.leaveOut));
    for (const folder of folders) await this.#describe(folder, into, [...above, identity]);
  }

  /** Measures only the time spent on scanning, without other work that runs meanwhile. */
  #look<T>(work: () => T): T {
    const { clock } = this.#ports;
    const before = clock.now();
    try {
      return work();
    } finally {
      this.#lookedMs += clock.now() - before;
    }
  }
}

/** Throws NoControlRepo when the folder does not exist or contains no environment. */
export function demandControlRepo(directory: string): void {
  if (!hasFolder(directory)) throw new NoControlRepo(`The control repo '${directory}' is not a directory`);
  if (!hasEnvironment(resolve(directory))) {
    throw new NoControlRepo(
      `The control repo '${directory}' has no environment: it contains neither a folder in '${join(directory, 'environments')}' nor a folder 'manifests'`,
    );
  }
}

interface FolderState {
  readonly lines: string[];
  /** Null when links may lead anywhere. */
  readonly boundary: LinkBoundary | null;
}

function hasFolder(path: string): boolean {
  return fileStat(path)?.isDirectory() === true;
}

function hasFile(path: string): boolean {
  return fileStat(path)?.isFile() === true;
}

function hasEnvironment(directory: string): boolean {
  if (hasFolder(join(directory, 'environments'))) return environmentsOf(directory).length > 0;
  return hasFolder(join(directory, 'manifests'));
}
