import type { StoredDocument } from '../../store/ports/document-store.ts';

/** Values that are kept of the report of a run that changed nothing, besides its summary. */
export interface QuietRun {
  readonly reportFormat: number | null;
  readonly configurationVersion: string | null;
  readonly codeId: string | null;
  readonly jobId: string | null;
  readonly cachedCatalogStatus: string | null;
  /** By category and name; seconds are rounded to microseconds. */
  readonly metrics: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/**
 * Longer metrics are left out. A usual agent's take 450 characters. With them the document of the
 * run stays below a kilobyte: one write unit in DynamoDB.
 */
const MOST_METRICS = 2000;
/**
 * Metrics that each report has; those that are 0 are not stored. Puppet: `add_metric` in
 * Puppet::Transaction::Report
 */
const USUAL_METRICS: Readonly<Record<string, readonly string[]>> = {
  resources: [
    'total',
    'skipped',
    'failed',
    'failed_to_restart',
    'restarted',
    'changed',
    'out_of_sync',
    'scheduled',
    'corrective_change',
  ],
  changes: ['total'],
  events: ['total', 'failure', 'success'],
};

/** The part of a report's own members that `readQuietRun` reads. */
export function packQuietRun(report: Readonly<Record<string, unknown>>): StoredDocument {
  const metrics = packMetrics(report.metrics);
  return {
    format: report.report_format ?? null,
    version: textOf(report.configuration_version),
    code: textOf(report.code_id),
    job: textOf(report.job_id),
    cached: textOf(report.cached_catalog_status),
    ...(JSON.stringify(metrics).length > MOST_METRICS ? {} : { metrics }),
  };
}

/** Reads what `packQuietRun` gave; null for anything else. */
export function readQuietRun(value: unknown): QuietRun | null {
  if (!isObject(value)) return null;
  const { format, version, code, job, cached, metrics } = value;
  return {
    reportFormat: typeof format === 'number' ? format : null,
    configurationVersion: textOf(version),
    codeId: textOf(code),
    jobId: textOf(job),
    cachedCatalogStatus: textOf(cached),
    metrics: isObject(metrics) ? unpackMetrics(metrics) : {},
  };
}

function packMetrics(metrics: unknown): QuietRun['metrics'] {
  const categories = isObject(metrics) ? Object.entries(metrics) : [];
  return Object.fromEntries(
    categories.map(([category, metric]) => {
      const rows = isObject(metric) && Array.isArray(metric.values) ? metric.values.filter(Array.isArray) : [];
      const values = rows.flatMap(([name, , value]: readonly unknown[]) => {
        const isKept = typeof value === 'number' && (value !== 0 || !isUsual(category, String(name)));
        return isKept ? [[String(name), Math.round(value * 1e6) / 1e6] as const] : [];
      });
      return [category, Object.fromEntries(values)];
    }),
  );
}

const isUsual = (category: string, name: string): boolean => USUAL_METRICS[category]?.includes(name) === true;

function unpackMetrics(packed: Readonly<Record<string, unknown>>): QuietRun['metrics'] {
  return Object.fromEntries(
    Object.entries(packed).map(([category, values]) => {
      const zeros = (USUAL_METRICS[category] ?? []).map((name) => [name, 0] as const);
      const stored = isObject(values)
        ? Object.entries(values).map(([name, value]) => [name, Number(value)] as const)
        : [];
      return [category, Object.fromEntries([...zeros, ...stored])];
    }),
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reports have numbers for some texts. */
function textOf(value: unknown): string | null {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}
