import type { DocumentStore } from '../../store/ports/document-store.ts';
import { inParallel } from '../../util/in-parallel.ts';
import { isJsonObject } from '../../util/json-object.ts';
import { quotePattern } from '../../util/literal-pattern.ts';
import { compareReports, findSummary, type ReportPlace, type ReportSummary, readStatus } from './node-reports.ts';

/** Filters of reports by what their runs did; null: not filtered by it. */
export interface ReportFilter {
  /** A resource as `File[/etc/motd]`, or a part of a title. */
  readonly resource: string | null;
  /** A part of the message of an event, in any case. */
  readonly message: string | null;
  readonly environment: string | null;
  readonly status: string | null;
  readonly certname: string | null;
  /** Received at this time or later, in milliseconds. */
  readonly since: number;
  /** Received earlier than this. */
  readonly before: number | null;
  /** Only reports behind this one, in the order of lists. */
  readonly behind: ReportPlace | null;
  readonly limit: number;
}

/** Reports of the same millisecond as the last one of a page. */
const MOST_ALIKE = 100;
const READS_AT_ONCE = 8;
const COLUMNS = [
  ...['certname', 'producer_timestamp', 'start_time', 'end_time', 'status', 'noop', 'environment'],
  ...['puppet_version', 'transaction_uuid', 'catalog_uuid'],
];

/** The query of the inventory, a syntax tree as JSON, for the reports that match, newest first. */
export function askForReports(filter: ReportFilter): string {
  const { environment, status, certname, since, behind } = filter;
  const before = behind === null ? filter.before : behind.receivedAt + 1;
  const conditions = [
    ['>=', 'producer_timestamp', new Date(since).toISOString()],
    ...(before === null ? [] : [['<', 'producer_timestamp', new Date(before).toISOString()]]),
    ...Object.entries({ environment, status, certname }).flatMap(([name, value]) =>
      value === null ? [] : [['=', name, value]],
    ),
    ...conditionsOfEvents(filter),
  ];
  return JSON.stringify([
    'from',
    'reports',
    ['extract', COLUMNS, ['and', ...conditions]],
    ['order_by', [['producer_timestamp', 'desc'], ['certname'], ['transaction_uuid']]],
    ['limit', filter.limit + (behind === null ? 1 : MOST_ALIKE)],
  ]);
}

function conditionsOfEvents({ resource, message, since }: ReportFilter): readonly unknown[] {
  const [, type, title] = /^([A-Z][\w:]*)\[(.*)\]$/s.exec(resource ?? '') ?? [];
  const ofResource =
    type !== undefined && title !== undefined
      ? [
          ['=', 'resource_type', type],
          ['=', 'resource_title', title],
        ]
      : resource === null
        ? []
        : [['~', 'resource_title', containing(resource)]];
  const ofMessage = message === null ? [] : [['~', 'message', containing(message)]];
  const conditions = [...ofResource, ...ofMessage];
  if (conditions.length === 0) return [];
  const lately = ['>=', 'report_receive_time', new Date(since).toISOString()];
  return [['in', 'hash', ['extract', 'report', ['select_events', ['and', ...conditions, lately]]]]];
}

function containing(text: string): string {
  return `(?i)${quotePattern(text)}`;
}

/**
 * The summaries of the rows of `askForReports`, and whether there are more. A report that is kept
 * has the summary that is stored; of another one only the inventory knows.
 */
export async function readFoundReports(
  rows: readonly unknown[],
  { behind, limit }: ReportFilter,
  documents: Pick<DocumentStore, 'get'>,
): Promise<{ readonly reports: readonly ReportSummary[]; readonly hasMore: boolean }> {
  const found = rows
    .filter(isJsonObject)
    .map(describeRow)
    .filter((one) => behind === null || compareReports(one, behind) > 0)
    .toSorted(compareReports);
  const page = found.slice(0, limit);
  const reports = await inParallel(READS_AT_ONCE, page, async (one) => (await findSummary(documents, one)) ?? one);
  return { reports, hasMore: found.length > limit };
}

function describeRow(row: Readonly<Record<string, unknown>>): ReportSummary {
  const { certname, status, noop, environment, puppet_version, transaction_uuid, catalog_uuid } = row;
  const [at = Number.NaN, start = Number.NaN, end = Number.NaN] = ['producer_timestamp', 'start_time', 'end_time'].map(
    (name) => Date.parse(String(row[name])),
  );
  return {
    certname: String(certname),
    receivedAt: at,
    status: readStatus(status),
    environment: textOrNull(environment),
    time: textOrNull(row.start_time),
    puppetVersion: textOrNull(puppet_version),
    transactionUuid: textOrNull(transaction_uuid),
    ...(typeof catalog_uuid === 'string' ? { catalogUuid: catalog_uuid } : {}),
    noop: noop === true,
    ...(end > start ? { durationMs: end - start } : {}),
    blob: null,
  };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
