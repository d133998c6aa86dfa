import { gunzipSync } from 'node:zlib';
import { REPORT_COLLECTIONS } from '../../config/report-collections.ts';
import { allDocuments } from '../../store/list-pages.ts';
import type { DocumentStore, StoredDocument } from '../../store/ports/document-store.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { DAY_MS } from '../../util/day.ts';
import { newestFirst } from './newest-first.ts';
import { type QuietRun, readQuietRun } from './quiet-run.ts';
import { type RunChanges, readStoredChanges } from './run-changes.ts';

/** The stored values of a report's status. */
export const REPORT_STATUSES = ['failed', 'changed', 'unchanged', 'unknown'] as const;

/** Summary of a report, without its content. */
export interface ReportSummary {
  readonly certname: string;
  /** When it was received, in milliseconds. */
  readonly receivedAt: number;
  /** `failed`, `changed` or `unchanged`, as the agent reports; `unknown` for anything else. */
  readonly status: (typeof REPORT_STATUSES)[number];
  readonly environment: string | null;
  /** Start of the run, as the agent wrote it. */
  readonly time: string | null;
  readonly puppetVersion: string | null;
  readonly transactionUuid: string | null;
  /** UUID of the catalog that was applied; absent when it is not known. */
  readonly catalogUuid?: string;
  readonly noop: boolean;
  /** Milliseconds that the run took; absent when the report does not say it. */
  readonly durationMs?: number;
  /** The blob with the original report, gzipped; null for a run that changed nothing. */
  readonly blob: string | null;
  /** Absent for a run that changed nothing. */
  readonly changes?: RunChanges;
  /** Further values that are kept of a run that changed nothing. */
  readonly quiet?: QuietRun;
}

/** A summary that is to be stored, with the status as the agent wrote it. */
type NewSummary = Omit<ReportSummary, 'blob' | 'status' | 'quiet'> & { readonly status: unknown };

export interface ReportQuery {
  readonly certname?: string | undefined;
  readonly status?: string | undefined;
  /** Only reports received at this time or later, in milliseconds. */
  readonly since?: number | undefined;
  /** Only reports received earlier, in milliseconds. */
  readonly before?: number | undefined;
  /** Only reports behind this one, in the order of lists. */
  readonly behind?: ReportPlace | undefined;
  readonly limit: number;
}

/** A report's place among others: newest first, then by certname and transaction. */
export type ReportPlace = Pick<ReportSummary, 'receivedAt' | 'certname' | 'transactionUuid'>;

type Ports = Pick<Stores, 'documents' | 'blobs'>;

/** Retention of reports. */
interface ReportRetention {
  /** Reports kept per node. */
  readonly kept: number;
  /** Days that a report is kept. */
  readonly days: number;
}

/** Limit of summaries per query. */
export const MOST_REPORTS = 1000;

/**
 * Number of shards of the index by status and time, so that a fleet's reports do not all go to one.
 */
const SHARDS = 16;
const PAGE = 200;
/** Limit of surplus reports deleted with each new report. */
const DROPPED_AT_ONCE = 10;
const LAST_MILLISECOND = 9_999_999_999_999;

/**
 * Stores the summary of a run that changed nothing, in place of that of the last such run, and
 * counts it: see `findUnchangedRuns`. `quiet` is what `packQuietRun` gave.
 */
export async function storeQuietRun(
  { documents }: Pick<Ports, 'documents'>,
  summary: NewSummary & { readonly quiet: StoredDocument },
): Promise<void> {
  await documents.count(runsOf(summary.certname), summary.certname, { ...summary });
}

/**
 * Stores a report, its summary and its index entry; deletes the node's oldest reports beyond
 * `kept`.
 */
export async function storeReport(
  ports: Ports,
  summary: NewSummary,
  gzipped: Uint8Array,
  { kept, days }: ReportRetention,
): Promise<void> {
  const { certname, receivedAt, transactionUuid } = summary;
  const blob = `reports/${certname}/${keyOf(receivedAt, transactionUuid)}`;
  await ports.blobs.put(blob, gzipped);
  await indexReport(ports.documents, summary, blob, receivedAt + days * DAY_MS);
  const newest = await ports.documents.list(ofNode(certname), '', kept + DROPPED_AT_ONCE);
  for (const old of newest.slice(kept)) await drop(ports, certname, old.key, old.document);
}

/** Stores the summary and the index entry of a report already stored as `blob`. */
async function indexReport(
  documents: DocumentStore,
  summary: NewSummary,
  blob: string,
  expiresAt?: number,
): Promise<void> {
  const { certname, receivedAt, transactionUuid } = summary;
  const key = keyOf(receivedAt, transactionUuid);
  const status = readStatus(summary.status);
  const document = { ...summary, status, blob };
  await documents.put(ofNode(certname), key, document, expiresAt);
  await documents.put(ofStatus(status, certname), `${key}-${certname}`, document, expiresAt);
}

/** Deletes all reports received before `before`; returns their number. */
export async function expireReports(ports: Ports, before: number): Promise<number> {
  let expired = 0;
  for (const collection of REPORT_STATUSES.flatMap(shardsOf)) {
    for await (const { document } of allDocuments(ports.documents, collection, { after: `${ageOf(before)}~` })) {
      const { certname, receivedAt, transactionUuid } = readReportSummary(document);
      await drop(ports, certname, keyOf(receivedAt, transactionUuid), document);
      expired += 1;
    }
  }
  return expired;
}

/**
 * Matching summaries, newest first. The last run of a node that changed nothing is listed only
 * when `certname` asks for that node.
 */
export async function listReports(
  { documents }: Pick<Ports, 'documents'>,
  query: ReportQuery,
): Promise<readonly ReportSummary[]> {
  const collections =
    query.certname === undefined
      ? (query.status === undefined ? REPORT_STATUSES : [query.status]).flatMap(shardsOf)
      : [ofNode(query.certname)];
  const { status, since = 0, behind, limit } = query;
  const before = Math.min(query.before ?? Number.POSITIVE_INFINITY, behind ? behind.receivedAt + 1 : Infinity);
  const isAsked = (one: ReportSummary) =>
    (status ?? one.status) === one.status &&
    one.receivedAt >= since &&
    one.receivedAt < before &&
    (behind === undefined || compareReports(one, behind) > 0);
  const after = before === Number.POSITIVE_INFINITY ? undefined : `${ageOf(before)}~`;
  const newest = await newestFirst(documents, collections, { since, limit, after }, (document) => {
    const summary = readReportSummary(document);
    return { time: summary.receivedAt, value: isAsked(summary) ? summary : null };
  });
  const unchanged = query.certname === undefined ? null : await findUnchangedRuns({ documents }, query.certname);
  const last = unchanged && isAsked(unchanged.last) ? [unchanged.last] : [];
  return [...newest, ...last].toSorted(compareReports).slice(0, limit);
}

/** Compares reports in the order of lists: newest first, then by certname and transaction. */
export function compareReports(a: ReportPlace, b: ReportPlace): number {
  if (a.receivedAt !== b.receivedAt) return b.receivedAt - a.receivedAt;
  return compareTexts(a.certname, b.certname) || compareTexts(a.transactionUuid ?? '', b.transactionUuid ?? '');
}

function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** The stored summary of a report; null when it is not kept. */
export async function findSummary(
  documents: Pick<DocumentStore, 'get'>,
  { certname, receivedAt, transactionUuid }: ReportPlace,
): Promise<ReportSummary | null> {
  const document = await documents.get(ofNode(certname), keyOf(receivedAt, transactionUuid));
  return document && readReportSummary(document);
}

/** Summaries of reports with a status, received in a span of time, in no order. */
export async function* listReportsWithin(
  { documents }: Pick<Ports, 'documents'>,
  status: (typeof REPORT_STATUSES)[number],
  { from, before }: { readonly from: number; readonly before: number },
): AsyncGenerator<ReportSummary> {
  for (const collection of shardsOf(status)) {
    // Keys sort newest first, and have a time below `before`.
    const behind = { after: `${ageOf(before)}~`, pageSize: PAGE };
    for await (const { key, document } of allDocuments(documents, collection, behind)) {
      if (key >= ageOf(from - 1)) break;
      const summary = readReportSummary(document);
      if (summary.receivedAt >= from && summary.receivedAt < before) yield summary;
    }
  }
}

/**
 * A node's report as the agent sent it, by transaction; null: the newest. Returns null when there
 * is none, or when it is deleted by now.
 */
export async function findReport(ports: Ports, certname: string, transactionUuid: string | null): Promise<unknown> {
  // One more than the newest: a run that changed nothing has no report.
  const summaries = await listReports(ports, { certname, limit: transactionUuid === null ? 2 : MOST_REPORTS });
  const found = summaries.find(
    (one) => one.blob !== null && (transactionUuid === null || one.transactionUuid === transactionUuid),
  );
  const bytes = found?.blob ? await ports.blobs.get(found.blob) : null;
  return bytes ? JSON.parse(gunzipSync(bytes).toString('utf8')) : null;
}

/** The runs of a node that changed nothing. */
interface UnchangedRuns {
  /** Their number since the node was created. */
  readonly count: number;
  /** The summary of the last one. */
  readonly last: ReportSummary;
}

/** The node's runs that changed nothing; null when it had none. */
export async function findUnchangedRuns(
  { documents }: Pick<Ports, 'documents'>,
  certname: string,
): Promise<UnchangedRuns | null> {
  const document = await documents.get(runsOf(certname), certname);
  return document && { count: Number(document.count), last: readReportSummary(document) };
}

/** Yields the time of each node's last run that changed nothing. */
export async function* listUnchangedRuns({
  documents,
}: Pick<Ports, 'documents'>): AsyncGenerator<Pick<ReportSummary, 'certname' | 'receivedAt'>> {
  for (let shard = 0; shard < SHARDS; shard += 1) {
    const runs = allDocuments(documents, `${REPORT_COLLECTIONS.unchanged}${shard}`, { pageSize: PAGE });
    for await (const { key, document } of runs) yield { certname: key, receivedAt: Number(document.receivedAt) };
  }
}

/** Deletes all reports of a node, and the count of its unchanged runs. */
export async function deleteReports(ports: Ports, certname: string): Promise<void> {
  await ports.documents.delete(runsOf(certname), certname);
  for await (const { key, document } of allDocuments(ports.documents, ofNode(certname))) {
    await drop(ports, certname, key, document);
  }
}

async function drop(ports: Ports, certname: string, key: string, document: StoredDocument): Promise<void> {
  const { status, blob } = readReportSummary(document);
  await ports.documents.delete(ofStatus(status, certname), `${key}-${certname}`);
  if (blob !== null) await ports.blobs.delete(blob);
  await ports.documents.delete(ofNode(certname), key);
}

/** A key that sorts newest first. */
function keyOf(receivedAt: number, transactionUuid: string | null): string {
  const uuid = transactionUuid !== null && /^[\w-]{1,64}$/.test(transactionUuid) ? transactionUuid : 'none';
  return `${ageOf(receivedAt)}-${uuid}`;
}

function ageOf(receivedAt: number): string {
  return String(LAST_MILLISECOND - receivedAt).padStart(13, '0');
}

function ofNode(certname: string): string {
  return `${REPORT_COLLECTIONS.ofNode}${certname}`;
}

function ofStatus(status: string, certname: string): string {
  return `report-index/${status}/${shardOf(certname)}`;
}

/** The collection with the counter of a node's unchanged runs. */
function runsOf(certname: string): string {
  return `${REPORT_COLLECTIONS.unchanged}${shardOf(certname)}`;
}

function shardOf(certname: string): number {
  let sum = 0;
  for (const byte of Buffer.from(certname)) sum = (sum * 31 + byte) % 65_521;
  return sum % SHARDS;
}

function shardsOf(status: string): readonly string[] {
  return Array.from({ length: SHARDS }, (_, shard) => `report-index/${status}/${shard}`);
}

/** Reads a summary that this module wrote: a document of one of `REPORT_COLLECTIONS`. */
export function readReportSummary(document: StoredDocument): ReportSummary {
  const { certname, receivedAt, status, environment, time, puppetVersion, transactionUuid, noop, blob } = document;
  const { catalogUuid, durationMs } = document;
  const quiet = readQuietRun(document.quiet);
  const changes = readStoredChanges(document.changes);
  return {
    certname: String(certname),
    receivedAt: Number(receivedAt),
    status: readStatus(status),
    environment: textOrNull(environment),
    time: textOrNull(time),
    puppetVersion: textOrNull(puppetVersion),
    transactionUuid: textOrNull(transactionUuid),
    ...(typeof catalogUuid === 'string' ? { catalogUuid } : {}),
    noop: noop === true,
    ...(typeof durationMs === 'number' ? { durationMs } : {}),
    blob: textOrNull(blob),
    ...(changes === null ? {} : { changes }),
    ...(quiet === null ? {} : { quiet }),
  };
}

/** The status that is stored for what an agent reported. */
export function readStatus(value: unknown): ReportSummary['status'] {
  return REPORT_STATUSES.find((known) => known === value) ?? 'unknown';
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
