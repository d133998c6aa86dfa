import type { Snapshot } from '../../puppet/environment/snapshot.ts';
import { compareSnapshots } from '../../puppet/environment/snapshot-diff.ts';
import type { EnvironmentRecord } from '../../store/ports/environment-store.ts';
import { describeAmbiguousId, matchIds } from '../../util/short-id.ts';
import { type AffectedDependencies, findAffectedParts, listAffectedNodes } from '../dependencies/affected-nodes.ts';
import { abortStage } from '../fan-out/end-stage.ts';
import type { InvalidatePorts } from '../fan-out/settle-environment.ts';
import { settleEnvironment } from '../fan-out/settle-environment.ts';
import { NoSuchCode } from '../snapshots/no-such-code.ts';
import { loadSnapshot } from '../snapshots/snapshot-cache.ts';
import { type DeployPreview, type DeployReport, switchEnvironment } from './deploy.ts';
import { NoSuchEnvironment } from './scan-environment.ts';

/** One deployed state of an environment. */
export interface Deployed {
  readonly codeId: string;
  readonly deployedAt: number;
  readonly by: string;
}

/**
 * The deployed states of the environment, newest first; the first one is in force. Throws
 * NoSuchEnvironment.
 */
export async function codeHistory(
  { environments }: Pick<InvalidatePorts, 'environments'>,
  name: string,
): Promise<readonly Deployed[]> {
  return listDeployedStates(await demandEnvironment(environments, name));
}

/**
 * Finds the state whose code id begins with `given`; without one, the state before the one in
 * force. Throws NoSuchEnvironment, NoSuchCode.
 */
export async function findDeployed(
  ports: Pick<InvalidatePorts, 'environments'>,
  name: string,
  given: string | null,
): Promise<Deployed> {
  const [current, ...earlier] = await codeHistory(ports, name);
  if (given === null) {
    const [previous] = earlier.filter(({ codeId }) => codeId !== current?.codeId);
    if (!previous) throw new NoSuchCode(`environment '${name}' has no earlier code`);
    return previous;
  }
  const states = current === undefined ? earlier : [current, ...earlier];
  const ids = matchIds(
    states.map(({ codeId }) => codeId),
    given.toLowerCase(),
  );
  const first = states.find(({ codeId }) => codeId === ids[0]);
  if (!first)
    throw new NoSuchCode(`environment '${name}' had no code '${given}'; 'code list ${name}' lists its history`);
  if (ids.length > 1) throw new NoSuchCode(`environment '${name}': ${describeAmbiguousId(given, ids)}`);
  return first;
}

/**
 * The differences from state `from` (null: the previous one) to state `to` (null: the one in
 * force), and the nodes that use what differs. Throws NoSuchEnvironment, NoSuchCode.
 */
export async function diffDeployed(
  ports: InvalidatePorts,
  name: string,
  from: string | null,
  to: string | null,
): Promise<DeployPreview> {
  const { affected, ...difference } = await compareDeployed(ports, name, from, to);
  return { ...difference, nodes: await listAffectedNodes(name, affected, ports) };
}

/** The difference of two deployed states, and the affected parts of the dependency index. */
export interface DeployedDifference extends Omit<DeployPreview, 'nodes'> {
  readonly affected: AffectedDependencies;
}

/** Like `diffDeployed`, without reading the nodes. */
export async function compareDeployed(
  ports: InvalidatePorts,
  name: string,
  from: string | null,
  to: string | null,
): Promise<DeployedDifference> {
  const [current] = await codeHistory(ports, name);
  const after = to === null ? current : await findDeployed(ports, name, to);
  const before = await findDeployed(ports, name, from);
  const codeId = after?.codeId ?? before.codeId;
  const [old, next] = [await loadSnapshot(ports.blobs, before.codeId), await loadSnapshot(ports.blobs, codeId)];
  const affected = await findAffectedParts(name, { before: old, after: next }, ports);
  return { environment: name, codeId, changes: compareSnapshots(old, next), affected };
}

/** A completed rollback: the state that was in force, and the one that is. */
export interface RollBackReport extends DeployReport {
  readonly from: Deployed;
  readonly to: Deployed;
  /** Whether `from` was in force for the canaries of a stage alone, and is in no history. */
  readonly wasStaged: boolean;
}

/**
 * Deploys an earlier state again and invalidates the affected nodes. The state that it leaves is
 * the previous one from then on, so another rollback returns to it. A source that has that state
 * does not bring it again; see `TakenBack`. While the environment has a
 * stage, that is what is taken back, and nothing else without `given`. Throws NoSuchEnvironment,
 * NoSuchCode.
 */
export async function rollBack(
  ports: InvalidatePorts,
  name: string,
  given: string | null,
  by: string,
): Promise<RollBackReport> {
  const { stage, ...inForce } = await demandEnvironment(ports.environments, name);
  if (stage && given === null) return takeStageBack(ports, inForce, by);
  const to = await findDeployed(ports, name, given);
  const [from = to] = await codeHistory(ports, name);
  const aborted = await abortStage(name, ports, null, by);
  const { codeId } = to;
  const snapshot: Snapshot = await loadSnapshot(ports.blobs, codeId);
  // The newest code of a source is what would come again.
  const newest = aborted?.stage.isRepeated ? aborted.stage : from;
  const takenBack = { codeId: newest.codeId, by, at: ports.clock.now() };
  const changed = await switchEnvironment(ports, name, codeId, by, takenBack);
  const { certnames: nodes, count: nodeCount } = await settleEnvironment(name, ports);
  const files = Object.keys(snapshot.files).length;
  return { environment: name, codeId, changed, files, nodes, nodeCount, from, to, wasStaged: false };
}

/** Takes the staged code of an environment back: its canaries have the code of the others again. */
async function takeStageBack(ports: InvalidatePorts, record: EnvironmentRecord, who: string): Promise<RollBackReport> {
  const { name, codeId, deployedAt, by } = record;
  const to = { codeId, deployedAt, by };
  const { files } = await loadSnapshot(ports.blobs, codeId);
  const aborted = await abortStage(name, ports, null, who);
  const nodes = aborted?.invalidated ?? [];
  const from = aborted ? { codeId: aborted.stage.codeId, deployedAt: aborted.stage.begunAt, by: aborted.stage.by } : to;
  return {
    environment: name,
    codeId,
    changed: aborted !== null,
    files: Object.keys(files).length,
    nodes,
    nodeCount: nodes.length,
    from,
    to,
    wasStaged: true,
  };
}

function listDeployedStates({ codeId, deployedAt, by, history }: EnvironmentRecord): readonly Deployed[] {
  return [{ codeId, deployedAt, by }, ...history];
}

async function demandEnvironment(
  environments: InvalidatePorts['environments'],
  name: string,
): Promise<EnvironmentRecord> {
  const record = await environments.get(name);
  if (!record) throw new NoSuchEnvironment(`there is no environment '${name}'`);
  return record;
}
