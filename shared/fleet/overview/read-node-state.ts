import { summarizeNode } from '../../store/node-summary.ts';
import type { NodeRecord } from '../../store/ports/node-record.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { listReports } from '../reports/node-reports.ts';
import { type FleetNodeState, fleetState } from './fleet-states.ts';

/** State of a node, in the words of lists. */
interface StateOfNode {
  readonly state: FleetNodeState;
  /** The status of its last run; null before one. */
  readonly reportStatus: string | null;
}

/** The state of one node, from its record and its newest report: `FleetView` would say the same. */
export async function readNodeState(
  record: NodeRecord,
  { documents, clock }: Pick<Stores, 'documents' | 'clock'>,
): Promise<StateOfNode> {
  const [last] = await listReports({ documents }, { certname: record.certname, limit: 1 });
  const reportStatus = last?.status ?? null;
  const summary = summarizeNode(record);
  const node = {
    ...summary,
    runStatus: reportStatus,
    isStale: record.built < record.wanted,
    lastSeen: Math.max(record.lastSeen, last?.receivedAt ?? 0),
  };
  return { state: fleetState(node, clock.now()), reportStatus };
}
