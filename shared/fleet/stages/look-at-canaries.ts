import {
  type CodeStage,
  codeInForce,
  type EnvironmentRecord,
  type StagePlan,
} from '../../store/ports/environment-store.ts';
import type { CatalogPointer, NodeRecord } from '../../store/ports/node-record.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { countUnits } from '../../util/count-units.ts';
import { inParallel } from '../../util/in-parallel.ts';
import { catalogUuid } from '../catalogs/catalog-blob.ts';
import { environmentInForce } from '../nodes/classification.ts';
import { judgeCanary } from '../reports/canary-verdict.ts';
import { listReports, type ReportSummary } from '../reports/node-reports.ts';
import { readRunHealth } from '../reports/run-health.ts';

/** Progress of a canary so far. */
export interface CanaryProgress {
  readonly certname: string;
  /**
   * `good`: it ran with the staged code, and is not worse. `uncounted`: it was purged, uses another
   * environment, or did not compile before either; it says nothing, and nobody waits for it.
   */
  readonly status: 'waiting' | 'good' | 'worse' | 'uncounted';
  /** Why it waits or is worse, or where it is; null for a good one. */
  readonly reason: string | null;
  /** Whether its stage has not invalidated it, as far as its record says. */
  readonly isMissed: boolean;
}

export type CanaryPorts = Pick<Stores, 'nodes' | 'documents' | 'blobs'>;

const READS_AT_ONCE = 16;
/** Reports of a node in which a run of the stage and the one before it are looked for. */
const RECENT_REPORTS = 50;
const LONGEST_REASON = 200;

/** Looks at all canaries of a stage, in the order of their names. */
export async function lookAtCanaries(
  record: EnvironmentRecord,
  stage: CodeStage,
  ports: CanaryPorts,
): Promise<readonly CanaryProgress[]> {
  return inParallel(READS_AT_ONCE, stage.canaries, (certname) => lookAtCanary(certname, record, stage, ports));
}

async function lookAtCanary(
  certname: string,
  record: EnvironmentRecord,
  stage: CodeStage,
  ports: CanaryPorts,
): Promise<CanaryProgress> {
  const node = await ports.nodes.get(certname);
  const state = (status: CanaryProgress['status'], reason: string | null, isMissed = false): CanaryProgress => {
    return { certname, status, reason: reason?.slice(0, LONGEST_REASON) ?? null, isMissed };
  };
  if (node === null) return state('uncounted', 'it was purged');
  const environment = environmentInForce(node, node.environment);
  if (environment !== record.name) return state('uncounted', `it uses environment ${environment}`);
  const isCurrent = node.built >= node.wanted;
  if (!isCurrent || node.revision !== codeInForce(record, certname).revision) {
    return state('waiting', 'its catalog is not compiled yet', isCurrent && node.inputs !== null);
  }
  if (node.failure !== null) {
    return failedBefore(node, stage)
      ? state('uncounted', 'it failed before, too')
      : state('worse', `no catalog: ${node.failure.message}`);
  }
  const reports = await listReports(ports, { certname, limit: RECENT_REPORTS });
  const after = reports.find((report) => isOfStage(report, node.catalog, stage));
  if (after === undefined) return state('waiting', 'it has not run yet');
  const reason = await compareRuns(
    after,
    reports.find(({ receivedAt }) => receivedAt < stage.begunAt),
    stage.plan,
    ports,
  );
  return reason === null ? state('good', null) : state('worse', reason);
}

/** Whether the node failed to compile before the stage began, too. */
function failedBefore({ failure, inputs }: NodeRecord, { begunAt }: CodeStage): boolean {
  if (failure !== null && failure.at < begunAt) return true;
  const before = inputs?.compiles.find(({ at }) => at < begunAt);
  return before?.outcome === 'failed';
}

/** Whether a report is of a run with the catalog that the node has since the stage began. */
function isOfStage(
  { receivedAt, catalogUuid: applied, time }: ReportSummary,
  catalog: CatalogPointer | null,
  { begunAt }: CodeStage,
): boolean {
  if (catalog === null || receivedAt < begunAt) return false;
  if (applied !== undefined) {
    return [catalog.hash, ...Object.values(catalog.static ?? {})].some((hash) => catalogUuid(hash) === applied);
  }
  // Old agents name no catalog: their runs began after it was compiled.
  return catalog.compiledAt < begunAt || Date.parse(time ?? '') >= catalog.compiledAt;
}

/** Why a run is worse than the one before; null when it is not. */
async function compareRuns(
  after: ReportSummary,
  before: ReportSummary | undefined,
  { countsChanges }: StagePlan,
  ports: CanaryPorts,
): Promise<string | null> {
  const verdict = judgeCanary(before ? await readRunHealth(ports, before) : null, await readRunHealth(ports, after));
  if (verdict.isWorse) return verdict.reason;
  const [changed, changedBefore] = [countChanges(after), before ? countChanges(before) : 0];
  if (!countsChanges || changed <= changedBefore) return null;
  return `${countUnits(changed, 'resource')} changed, ${changedBefore} before`;
}

function countChanges({ changes }: ReportSummary): number {
  return changes ? changes.corrective + changes.intentional : 0;
}
