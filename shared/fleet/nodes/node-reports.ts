import { gunzipSync } from 'node:zlib';
import type { DocumentStore, StoredDocument } from '../../store/ports/document-store.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { newestFirst } from './newest-first.ts';

/** Summary of a report, without its content. */
export interface ReportSummary {
  readonly certname: string;
  /** When it was received, in milliseconds. */
  readonly receivedAt: number;
  /** `failed`, `changed` or `unchanged`, as the agent reports; `unknown` for anything else. */
  readonly status: string;
  readonly environment: string | null;
  /** Start of the run, as the agent wrote it. */
  readonly time: string | null;
  readonly puppetVersion: string | null;
  readonly transactionUuid: string | null;
  readonly noop: boolean;
  /** The blob with the original report, gzipped. */
  readonly blob: string;
}

export interface ReportQuery {
  readonly certname?: string | undefined;
  readonly status?: string | undefined;
  /** Only reports received at this time or later, in milliseconds. */
  readonly since?: number | undefined;
  readonly limit: number;
}

type Ports = Pick<Stores, 'documents' | 'blobs'>;

/** The stored values of a report's status. */
export const REPORT_STATUSES = ['failed', 'changed', 'unchanged', 'unknown'] as const;
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
 * Stores a report, its summary and its index entry; deletes the node's oldest reports beyond
 * `kept`.
 */
export async function storeReport(
  ports: Ports,
  summary: Omit<ReportSummary, 'blob' | 'status'> & { readonly status: unknown },
  gzipped: Uint8Array,
  kept: number,
): Promise<void> {
  const { certname, receivedAt, transactionUuid } = summary;
  const blob = `reports/${certname}/${keyOf(receivedAt, transactionUuid)}`;
  await ports.blobs.put(blob, gzipped);
  await indexReport(ports.documents, summary, blob);
  const newest = await ports.documents.list(ofNode(certname), '', kept + DROPPED_AT_ONCE);
  for (const old of newest.slice(kept)) await drop(ports, certname, old.key, old.document);
}

/** Stores the summary and the index entry of a report already stored as `blob`. */
export async function indexReport(
  documents: DocumentStore,
  summary: Omit<ReportSummary, 'blob' | 'status'> & { readonly status: unknown },
  blob: string,
): Promise<void> {
  const { certname, receivedAt, transactionUuid } = summary;
  const key = keyOf(receivedAt, transactionUuid);
  const status = REPORT_STATUSES.find((known) => known === summary.status) ?? 'unknown';
  const document = { ...summary, status, blob };
  await documents.put(ofNode(certname), key, document);
  await documents.put(ofStatus(status, certname), `${key}-${certname}`, document);
}

/** Deletes all reports received before `before`; returns their number. */
export async function expireReports(ports: Ports, before: number): Promise<number> {
  let expired = 0;
  for (const collection of REPORT_STATUSES.flatMap(shardsOf)) {
    for (;;) {
      const page = await ports.documents.list(collection, '', PAGE, `${ageOf(before)}~`);
      for (const { document } of page) {
        const { certname, receivedAt, transactionUuid } = summaryOf(document);
        await drop(ports, certname, keyOf(receivedAt, transactionUuid), document);
      }
      expired += page.length;
      if (page.length < PAGE) break;
    }
  }
  return expired;
}

/** Matching summaries, newest first. */
export async function listReports(
  { documents }: Pick<Ports, 'documents'>,
  query: ReportQuery,
): Promise<readonly ReportSummary[]> {
  const collections =
    query.certname === undefined
      ? (query.status === undefined ? REPORT_STATUSES : [query.status]).flatMap(shardsOf)
      : [ofNode(query.certname)];
  const { status, since = 0, limit } = query;
  const newest = await newestFirst(documents, collections, { since, limit }, (document) => {
    const summary = summaryOf(document);
    const isAsked = status === undefined || summary.status === status;
    return { time: summary.receivedAt, value: isAsked ? summary : null };
  });
  return newest.toSorted((a, b) => b.receivedAt - a.receivedAt || (a.certname < b.certname ? -1 : 1)).slice(0, limit);
}

/**
 * A node's report as the agent sent it, by transaction; null: the newest. Returns null when there
 * is none, or when it is deleted by now.
 */
export async function findReport(ports: Ports, certname: string, transactionUuid: string | null): Promise<unknown> {
  const summaries = await listReports(ports, { certname, limit: transactionUuid === null ? 1 : MOST_REPORTS });
  const found = summaries.find((one) => transactionUuid === null || one.transactionUuid === transactionUuid);
  const bytes = found && (await ports.blobs.get(found.blob));
  return bytes ? JSON.parse(gunzipSync(bytes).toString('utf8')) : null;
}

/** Deletes all reports of a node. */
export async function deleteReports(ports: Ports, certname: string): Promise<void> {
  for (;;) {
    const some = await ports.documents.list(ofNode(certname), '', PAGE);
    for (const { key, document } of some) await drop(ports, certname, key, document);
    if (some.length < PAGE) return;
  }
}

async function drop(ports: Ports, certname: string, key: string, document: StoredDocument): Promise<void> {
  const { status, blob } = summaryOf(document);
  await ports.documents.delete(ofStatus(status, certname), `${key}-${certname}`);
  await ports.blobs.delete(blob);
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
  return `reports/${certname}`;
}

function ofStatus(status: string, certname: string): string {
  let sum = 0;
  for (const byte of Buffer.from(certname)) sum = (sum * 31 + byte) % 65_521;
  return `report-index/${status}/${sum % SHARDS}`;
}

function shardsOf(status: string): readonly string[] {
  return Array.from({ length: SHARDS }, (_, shard) => `report-index/${status}/${shard}`);
}

/** Reads a summary that this module wrote. */
function summaryOf(document: StoredDocument): ReportSummary {
  const { certname, receivedAt, status, environment, time, puppetVersion, transactionUuid, noop, blob } = document;
  return {
    certname: String(certname),
    receivedAt: Number(receivedAt),
    status: String(status),
    environment: textOrNull(environment),
    time: textOrNull(time),
    puppetVersion: textOrNull(puppetVersion),
    transactionUuid: textOrNull(transactionUuid),
    noop: noop === true,
    blob: String(blob),
  };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
