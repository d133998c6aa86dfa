import {
  type DeployPreview,
  type DeployReport,
  deployEnvironment,
  type Preparation,
  type PreparedEnvironment,
  prepareEnvironment,
} from '../../shared/fleet/code/deploy.ts';
import {
  type ScannedEnvironment,
  type ScanOptions,
  scanEnvironment,
} from '../../shared/fleet/code/scan-environment.ts';
import { findAffectedParts, listAffectedNodes } from '../../shared/fleet/dependencies/affected-nodes.ts';
import type { InvalidatePorts } from '../../shared/fleet/fan-out/settle-environment.ts';
import { loadSnapshot } from '../../shared/fleet/snapshots/snapshot-cache.ts';
import { codeIdOf } from '../../shared/fleet/snapshots/snapshot-manifest.ts';
import { compareSnapshots } from '../../shared/puppet/environment/snapshot-diff.ts';

/** Deploys an environment of a control repo. */
export async function deployFolder(
  ports: InvalidatePorts,
  controlRepo: string,
  name: string,
  by: string,
  prepare: Preparation = {},
  scan: ScanOptions = {},
): Promise<DeployReport> {
  return deployEnvironment(ports, await scanEnvironment(controlRepo, name, scan), by, prepare);
}

/** Prepares the deploy of an environment of a control repo. */
export async function prepareFolder(
  ports: InvalidatePorts,
  controlRepo: string,
  name: string,
  prepare: Preparation = {},
  scan: ScanOptions = {},
): Promise<PreparedEnvironment> {
  return prepareEnvironment(ports, await scanEnvironment(controlRepo, name, scan), prepare);
}

/** Returns the files that the deploy of a scanned environment changes, and the nodes it affects. */
export async function previewScanned(
  ports: InvalidatePorts,
  { snapshot }: Pick<ScannedEnvironment, 'snapshot'>,
): Promise<DeployPreview> {
  const name = snapshot.environment;
  const record = await ports.environments.get(name);
  const before = record && (await loadSnapshot(ports.blobs, record.codeId));
  const affected = await findAffectedParts(name, { before, after: snapshot }, ports);
  return {
    environment: name,
    codeId: codeIdOf(snapshot),
    changes: compareSnapshots(before, snapshot),
    nodes: await listAffectedNodes(name, affected, ports),
  };
}
