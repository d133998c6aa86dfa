import { gunzipSync } from 'node:zlib';
import type { ReportSummary } from '../../fleet/reports/node-reports.ts';
import { parseJsonInSteps } from '../../puppet/serialization/json.ts';
import { printTaggedYamlInSteps } from '../../puppet/serialization/yaml-emitter.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import { runInSteps } from '../../util/in-steps.ts';

const TAG = '!ruby/object:Puppet::Transaction::Report';

/**
 * A report as Puppet's report processor `http` sends it: YAML of a Puppet::Transaction::Report.
 * `bytes`: the stored report; null for a run that changed nothing, of which metrics alone are kept.
 * A large report leaves the event loop free. Null when the stored report cannot be read.
 */
// Puppet: lib/puppet/reports/http.rb, and `to_data_hash` of Puppet::Transaction::Report.
export async function printReportBody(summary: ReportSummary, bytes: Uint8Array | null): Promise<string | null> {
  const text = bytes === null ? JSON.stringify(describeQuiet(summary)) : gunzipSync(bytes).toString('utf8');
  const report = await runInSteps(parseJsonInSteps(text));
  return report instanceof PuppetHash ? runInSteps(printTaggedYamlInSteps(TAG, report)) : null;
}

/** Builds the report of a run that changed nothing, without its logs and resources. */
function describeQuiet(summary: ReportSummary): Readonly<Record<string, unknown>> {
  const { quiet } = summary;
  const optional = {
    catalog_uuid: summary.catalogUuid,
    code_id: quiet?.codeId ?? undefined,
    job_id: quiet?.jobId ?? undefined,
    cached_catalog_status: quiet?.cachedCatalogStatus ?? undefined,
  };
  return {
    host: summary.certname,
    time: summary.time ?? new Date(summary.receivedAt).toISOString(),
    configuration_version: quiet?.configurationVersion ?? null,
    transaction_uuid: summary.transactionUuid,
    report_format: quiet?.reportFormat ?? 12,
    puppet_version: summary.puppetVersion,
    status: summary.status,
    transaction_completed: true,
    noop: summary.noop,
    noop_pending: false,
    environment: summary.environment,
    logs: [],
    metrics: Object.fromEntries(
      Object.entries(quiet?.metrics ?? {}).map(([name, values]) => [name, describeMetric(name, values)]),
    ),
    resource_statuses: {},
    corrective_change: false,
    ...optional,
  };
}

function describeMetric(name: string, values: Readonly<Record<string, number>>) {
  const rows = Object.entries(values).map(([one, value]) => [one, labelOf(one), value]);
  return { name, label: labelOf(name), values: rows };
}

/** Puppet: Puppet::Util::Metric.labelize */
function labelOf(name: string): string {
  const text = name.replaceAll('_', ' ');
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1).toLowerCase()}`;
}
