import type { DocumentStore } from '../../store/ports/document-store.ts';
import { isJsonObject } from '../../util/json-object.ts';
import { findUnchangedRuns, listReports, type ReportSummary } from './node-reports.ts';

/** The outcomes of runs. A run is `refused` when the server gave it no catalog. */
type RunOutcome = 'changed' | 'unchanged' | 'failed' | 'noop' | 'refused';

/** A run of a node. */
interface KnownRun {
  /** When its report came, in milliseconds since 1970. */
  readonly at: number;
  /** Null when the report does not say it. */
  readonly durationMs: number | null;
  readonly outcome: RunOutcome;
  readonly transactionUuid: string | null;
  /** Whether its report is kept. */
  readonly hasReport: boolean;
}

/** The last runs of a node. */
interface NodeRuns {
  /** The newest first. */
  readonly runs: readonly KnownRun[];
  /** Whether each run is among them; else, of those that changed nothing only the last one is. */
  readonly isEach: boolean;
  /** The number of runs that changed nothing since the node was created. */
  readonly unchangedCount: number;
  /** The usual time between two runs; null when it is not known. */
  readonly intervalMs: number | null;
  /** When the next run is expected; null when it is not known. */
  readonly nextAt: number | null;
}

/** Reads the rows of a query of the inventory, which is a syntax tree as JSON. */
type AskRows = (query: string) => Promise<readonly unknown[]>;

/** Runs that are shown: two days of runs each half an hour. */
const MOST_RUNS = 96;
/** Runs that the usual time between runs is measured by, and how few are enough. */
const MEASURED = 24;
const LEAST_MEASURED = 4;

const COLUMNS = ['producer_timestamp', 'start_time', 'end_time', 'status', 'noop', 'transaction_uuid', 'catalog_uuid'];

/**
 * Reads the last runs of a node, at most 96. The inventory knows each run; without it (`askRows` is
 * null, or rejects, which goes to `reportFailure`) they are those whose reports are kept, and the
 * last one that changed nothing.
 */
export async function readNodeRuns(
  certname: string,
  { documents }: { readonly documents: DocumentStore },
  askRows: AskRows | null,
  reportFailure: (error: unknown) => void,
): Promise<NodeRuns> {
  const fail = (error: unknown) => {
    reportFailure(error);
    return null;
  };
  const [kept, unchanged, rows] = await Promise.all([
    listReports({ documents }, { certname, limit: MOST_RUNS }),
    findUnchangedRuns({ documents }, certname),
    askRows === null ? null : askRuns(certname, askRows).catch(fail),
  ]);
  const isEach = rows !== null;
  const runs = joinRuns(kept.map(describeSummary), rows ?? []);
  const intervalMs = isEach ? findInterval(runs) : null;
  const newest = runs[0]?.at ?? null;
  return {
    runs,
    isEach,
    unchangedCount: unchanged?.count ?? 0,
    intervalMs,
    nextAt: newest === null || intervalMs === null ? null : newest + intervalMs,
  };
}

async function askRuns(certname: string, askRows: AskRows): Promise<readonly KnownRun[]> {
  const rows = await askRows(
    JSON.stringify([
      'from',
      'reports',
      ['extract', [...COLUMNS, 'cached_catalog_status'], ['=', 'certname', certname]],
      ['order_by', [['producer_timestamp', 'desc']]],
      ['limit', MOST_RUNS],
    ]),
  );
  return rows.filter(isJsonObject).map(describeRow);
}

function describeRow(row: Readonly<Record<string, unknown>>): KnownRun {
  const { transaction_uuid: uuid, status, noop, catalog_uuid, cached_catalog_status: cached } = row;
  const [at, start, end] = [row.producer_timestamp, row.start_time, row.end_time].map((time) =>
    Date.parse(String(time)),
  );
  return {
    at: at ?? 0,
    durationMs: end === undefined || start === undefined || !(end > start) ? null : end - start,
    outcome: nameOutcome({ status, noop, hasCatalog: typeof catalog_uuid === 'string', cached }),
    transactionUuid: typeof uuid === 'string' ? uuid : null,
    hasReport: false,
  };
}

function describeSummary({ status, noop, catalogUuid, quiet, ...summary }: ReportSummary): KnownRun {
  const seconds = quiet?.metrics.time?.total;
  return {
    at: summary.receivedAt,
    durationMs: summary.durationMs ?? (seconds === undefined ? null : Math.round(seconds * 1000)),
    outcome: nameOutcome({ status, noop, hasCatalog: catalogUuid !== undefined, cached: quiet?.cachedCatalogStatus }),
    transactionUuid: summary.transactionUuid,
    hasReport: summary.blob !== null,
  };
}

interface RunFacts {
  readonly status: unknown;
  readonly noop: unknown;
  readonly hasCatalog: boolean;
  /** `on_failure`: a catalog of an earlier run was applied, because there was no other. */
  readonly cached: unknown;
}

// Puppet: a run without a catalog reports `failed` and no catalog, lib/puppet/configurer.rb
function nameOutcome({ status, noop, hasCatalog, cached }: RunFacts): RunOutcome {
  if (status === 'failed') return hasCatalog ? 'failed' : 'refused';
  if (cached === 'on_failure') return 'refused';
  if (status === 'changed') return 'changed';
  if (noop === true) return 'noop';
  return status === 'unchanged' ? 'unchanged' : 'failed';
}

/** The runs of both lists, each once: of the kept ones it is known that they have a report. */
function joinRuns(kept: readonly KnownRun[], rows: readonly KnownRun[]): readonly KnownRun[] {
  const known = new Map(kept.map((run) => [run.transactionUuid ?? run.at, run]));
  const others = rows.filter(({ transactionUuid, at }) => !known.has(transactionUuid ?? at));
  const durations = new Map(rows.map(({ transactionUuid, at, durationMs }) => [transactionUuid ?? at, durationMs]));
  const own = kept.map((run) => ({
    ...run,
    durationMs: run.durationMs ?? durations.get(run.transactionUuid ?? run.at) ?? null,
  }));
  return [...own, ...others].toSorted((a, b) => b.at - a.at).slice(0, MOST_RUNS);
}

/** The median of the times between the last runs; null for too few. */
function findInterval(runs: readonly KnownRun[]): number | null {
  const times = runs.slice(0, MEASURED).map(({ at }) => at);
  if (times.length < LEAST_MEASURED) return null;
  const gaps = times.slice(1).map((at, index) => (times[index] ?? at) - at);
  return gaps.toSorted((a, b) => a - b)[gaps.length >> 1] ?? null;
}
