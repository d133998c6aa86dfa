import { gunzipSync } from 'node:zlib';
import type { ReportSummary } from '../../fleet/reports/node-reports.ts';
import type { ExportedResource } from '../../puppet/catalog/exported.ts';
import type { InventoryCommand } from '../commands/apply-command.ts';
import { isWireMap, readWireJson, type WireMap, writeWireJson } from '../commands/wire-json.ts';
import { toWireCatalog } from './wire-catalog.ts';
import { readAgentReport, toQuietReport, toWireReport } from './wire-report.ts';

/** A stored document of a node, with the fields that it does not hold itself. */
export interface NewDocument {
  /** Gzipped JSON. */
  readonly bytes: Uint8Array;
  readonly environment: string;
  /** When it was made, in ISO 8601. */
  readonly time: string;
}

/** A stored catalog, and what the node exports for others. */
export interface NewCatalog extends NewDocument {
  readonly exported: readonly ExportedResource[];
}

/** A report that was stored. */
export interface NewReport {
  readonly summary: ReportSummary;
  /** The gzipped report; null for a run that changed nothing. */
  readonly bytes: Uint8Array | null;
}

/** `replace facts` with stored facts; null for a blob that holds none. */
export function makeFactsCommand(
  certname: string,
  { bytes, environment, time }: NewDocument,
  producer: string,
): InventoryCommand | null {
  const { facts, trusted } = readMap(bytes);
  if (!isWireMap(facts)) return null;
  const values = { ...facts, trusted };
  const payload = writeWireJson({ certname, environment, producer, producer_timestamp: time, values });
  return { command: 'replace facts', version: 5, certname, payload };
}

/** `replace catalog` with a stored catalog. */
export function makeCatalogCommand(
  certname: string,
  { bytes, environment, time, exported }: NewCatalog,
  producer: string,
): InventoryCommand {
  const payload = writeWireJson(toWireCatalog(readMap(bytes), { certname, environment, producer, time }, exported));
  return { command: 'replace catalog', version: 9, certname, payload };
}

/** `store report` with what is kept of a report. */
export function makeReportCommand({ summary, bytes }: NewReport, producer: string): InventoryCommand {
  const report = bytes === null ? null : readAgentReport(unzip(bytes));
  const wire = report === null ? toQuietReport(summary, producer) : toWireReport(report, summary, producer);
  return { command: 'store report', version: 8, certname: summary.certname, payload: writeWireJson(wire) };
}

const unzip = (bytes: Uint8Array): string => gunzipSync(bytes).toString('utf8');

function readMap(bytes: Uint8Array): WireMap {
  const data = readWireJson(unzip(bytes));
  return isWireMap(data) ? data : {};
}
