import type { ReportSummary } from '../../fleet/reports/node-reports.ts';
import { isWireMap, readWireJson, type WireMap } from '../commands/wire-json.ts';

/**
 * A report as an agent sent it, in the form of `store report` 8. Puppet: PuppetDB's report
 * processor, `report_to_hash`
 */
export function toWireReport(report: WireMap, { certname, receivedAt }: ReportSummary, producer: string): WireMap {
  const resources = membersOf(report.resource_statuses).map(toWireStatus);
  const hasNoop = resources.some(({ events }) => events.some(({ status }) => status === 'noop'));
  return {
    certname,
    puppet_version: String(report.puppet_version ?? ''),
    report_format: wholeNumber(report.report_format) ?? 0,
    configuration_version: String(report.configuration_version ?? ''),
    start_time: report.time,
    end_time: endOf(report),
    producer_timestamp: new Date(receivedAt).toISOString(),
    producer,
    environment: report.environment ?? 'production',
    transaction_uuid: report.transaction_uuid ?? null,
    catalog_uuid: report.catalog_uuid ?? null,
    code_id: report.code_id ?? null,
    job_id: (report.job_id ?? null) === null ? null : String(report.job_id),
    cached_catalog_status: report.cached_catalog_status ?? null,
    status: report.status ?? null,
    noop: report.noop === true,
    noop_pending: report.noop_pending ?? hasNoop,
    corrective_change: report.corrective_change ?? null,
    logs: (Array.isArray(report.logs) ? report.logs : []).filter(isWireMap).map(toWireLog),
    metrics: membersOf(report.metrics).flatMap(toWireMetrics),
    resources: resources.filter(({ events, skipped }) => events.length > 0 || skipped),
  };
}

/** The report of a run that changed nothing: as it was sent, but without logs. */
export function toQuietReport(summary: ReportSummary, producer: string): WireMap {
  const received = new Date(summary.receivedAt).toISOString();
  const { quiet } = summary;
  const start = summary.time ?? received;
  return {
    certname: summary.certname,
    puppet_version: summary.puppetVersion ?? '',
    report_format: quiet?.reportFormat ?? 12,
    configuration_version: quiet?.configurationVersion ?? '',
    start_time: start,
    end_time: quiet === undefined ? received : addSeconds(start, quiet.metrics.time?.total),
    producer_timestamp: received,
    producer,
    environment: summary.environment ?? 'production',
    transaction_uuid: summary.transactionUuid,
    catalog_uuid: summary.catalogUuid ?? null,
    code_id: quiet?.codeId ?? null,
    job_id: quiet?.jobId ?? null,
    cached_catalog_status: quiet?.cachedCatalogStatus ?? null,
    status: summary.status,
    noop: summary.noop,
    noop_pending: false,
    corrective_change: quiet === undefined ? null : false,
    logs: [],
    metrics: Object.entries(quiet?.metrics ?? {}).flatMap(([category, values]) =>
      Object.entries(values).map(([name, value]) => ({ category, name, value })),
    ),
    resources: [],
  };
}

const membersOf = (value: unknown): readonly WireMap[] =>
  isWireMap(value) ? Object.values(value).filter(isWireMap) : [];

function toWireStatus(status: WireMap) {
  const events = (Array.isArray(status.events) ? status.events : []).filter(isWireMap).map(toWireEvent);
  return {
    skipped: status.skipped === true,
    timestamp: status.time,
    resource_type: String(status.resource_type ?? ''),
    resource_title: String(status.title ?? ''),
    file: status.file ?? null,
    line: status.line ?? null,
    containment_path: status.containment_path ?? [],
    corrective_change: status.corrective_change ?? null,
    events,
  };
}

function toWireEvent(event: WireMap) {
  return {
    status: event.status,
    timestamp: event.time,
    name: event.name ?? null,
    property: event.property ?? null,
    new_value: asText(event.desired_value),
    old_value: asText(event.previous_value),
    corrective_change: event.corrective_change ?? null,
    message: event.message ?? null,
  };
}

/** A value as Ruby's `to_s` gives it, near enough for what reports hold. */
function asText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function toWireLog({ file, line, level, message, source, tags, time }: WireMap): WireMap {
  return { file: file ?? null, line: line ?? null, level, message, source, tags: tags ?? [], time };
}

function toWireMetrics({ name, values }: WireMap): readonly WireMap[] {
  const rows = Array.isArray(values) ? values.filter(Array.isArray) : [];
  return rows.map((row: readonly unknown[]) => ({ category: name, name: row[0], value: row[2] }));
}

/** Adds the total duration in the metrics to the start. */
function endOf(report: WireMap): unknown {
  const times = isWireMap(report.metrics) && isWireMap(report.metrics.time) ? toWireMetrics(report.metrics.time) : [];
  const total = times.find(({ name }) => name === 'total')?.value;
  return addSeconds(report.time, total === undefined ? undefined : Number(JSON.stringify(total)));
}

function addSeconds(time: unknown, seconds = 0): unknown {
  const start = Date.parse(String(time));
  return Number.isNaN(start) || Number.isNaN(seconds) ? time : new Date(start + seconds * 1000).toISOString();
}

function wholeNumber(value: unknown): number | null {
  return Number.isSafeInteger(value) ? (value as number) : null;
}

/** A report's JSON text as an object; null for anything else. */
export function readAgentReport(text: string): WireMap | null {
  const report = readWireJson(text);
  return isWireMap(report) ? report : null;
}
