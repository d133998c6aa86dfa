import type { RunHealth } from '../../fleet/reports/canary-verdict.ts';
import { listReports } from '../../fleet/reports/node-reports.ts';
import { readRunHealth } from '../../fleet/reports/run-health.ts';
import type { CatalogPointer } from '../../store/ports/node-record.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { hasApplied } from './due-decision.ts';

type Ports = Pick<Stores, 'documents' | 'blobs'>;

/** Reports of a node in which a run and the one before it are looked for. */
const RECENT_REPORTS = 20;

/** Whether the node's last report applied this catalog. */
export async function hasNewestCatalog(
  ports: Pick<Ports, 'documents'>,
  certname: string,
  catalog: CatalogPointer,
): Promise<boolean> {
  const [last] = await listReports(ports, { certname, limit: 1 });
  return last !== undefined && hasApplied(last, catalog);
}

/** Finds the health of a node's run by its report, and of the run before it; null: unknown. */
export async function findRunHealth(
  ports: Ports,
  certname: string,
  transactionUuid: string | null,
): Promise<{ readonly before: RunHealth | null; readonly after: RunHealth | null }> {
  const reports = await listReports(ports, { certname, limit: RECENT_REPORTS });
  const place = reports.findIndex((report) => transactionUuid !== null && report.transactionUuid === transactionUuid);
  const [after, before] = place < 0 ? [undefined, reports[0]] : [reports[place], reports[place + 1]];
  return {
    before: before === undefined ? null : await readRunHealth(ports, before),
    after: after === undefined ? null : await readRunHealth(ports, after),
  };
}
