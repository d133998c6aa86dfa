import type { Stores } from '../../store/ports/stores.ts';
import { isJsonObject } from '../../util/json-object.ts';
import type { RunHealth } from './canary-verdict.ts';
import { findReport, type ReportSummary } from './node-reports.ts';

/** Reads the health of a run from its report. */
export async function readRunHealth(
  ports: Pick<Stores, 'documents' | 'blobs'>,
  { certname, status, transactionUuid, blob }: ReportSummary,
): Promise<RunHealth> {
  const isFailed = status === 'failed';
  if (blob === null) return { isFailed, failedResources: 0 };
  const report = transactionUuid === null ? null : await findReport(ports, certname, transactionUuid);
  return { isFailed, failedResources: countFailed(report) };
}

/** Puppet: the metric `resources` has `[["failed", "Failed", 1], …]`, lib/puppet/util/metric.rb */
function countFailed(report: unknown): number | null {
  const metrics = isJsonObject(report) && isJsonObject(report.metrics) ? report.metrics.resources : null;
  const values = isJsonObject(metrics) && Array.isArray(metrics.values) ? metrics.values : [];
  const failed: unknown = values.find((value: unknown) => Array.isArray(value) && value[0] === 'failed');
  const count: unknown = Array.isArray(failed) ? failed[2] : null;
  return typeof count === 'number' ? count : null;
}
