import type { DeployGate } from '../fleet/code/deploy.ts';
import { createDeployGate } from '../fleet/previews/deploy-gate.ts';
import { createWorkerTrials } from '../fleet/previews/trial-compiler.ts';
import type { StoreFaults } from '../http/store-faults.ts';
import type { Stores } from '../store/ports/stores.ts';
import { ControlRepo, type DeployObserver, NoControlRepo } from './control-repo.ts';
import type { LocalLog } from './local-log.ts';
import type { WatchedRepo } from './watched-repo.ts';

/** Timeout for each compile of a check of changed code. */
const GATE_HOLD_MS = 120_000;

/** Opens the control repo; its deploys are checked where the policy demands it. */
export function openControlRepo(watched: WatchedRepo, stores: Stores, notes: DeployObserver): ControlRepo {
  return new ControlRepo(watched.directory, stores, notes, { ...watched, gate: openGate(stores) });
}

/** Opens what checks changed code by compiles of the server's own workers. */
export function openGate(stores: Stores): DeployGate {
  return createDeployGate(createWorkerTrials(stores, GATE_HOLD_MS), stores);
}

/** Logs deploys, and shows one that could not be stored on the status page. */
export function noteFaults(log: LocalLog, faults: StoreFaults): DeployObserver {
  return {
    onDeployed: (report) => log.onDeployed(report),
    onRemoved: (environment) => log.onRemoved(environment),
    kept: (environment) => log.kept(environment),
    onFailed: (environment, error) => {
      faults.note(error);
      log.onFailed(environment, error);
    },
  };
}

/**
 * Deploys `directory` when no environment is in force, because there is nothing to serve. Code in
 * force is served at once; changes since then are deployed meanwhile. Throws NoControlRepo, which
 * names the fault of each environment, when none could be deployed.
 */
export async function deployFirst(directory: string, stores: Stores, controlRepo: ControlRepo): Promise<void> {
  if ((await stores.environments.list()).length > 0) return;
  await controlRepo.deployChanges();
  if ((await stores.environments.list()).length > 0) return;
  const faults = controlRepo.faults.map(([environment, message]) => `\n  ${environment}: ${message}`);
  throw new NoControlRepo(`No environment of the control repo '${directory}' could be deployed:${faults.join('')}`);
}
