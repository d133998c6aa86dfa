import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { loadCatalog } from '../../fleet/catalogs/catalog-blob.ts';
import { loadFacts } from '../../fleet/nodes/facts-blob.ts';
import type { ReportSummary } from '../../fleet/nodes/node-reports.ts';
import { printJsonInSteps } from '../../puppet/serialization/json.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import type { NodeRecord } from '../../store/ports/node-record.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { runInSteps } from '../../util/in-steps.ts';
import type { InventoryCommand } from '../commands/apply-command.ts';
import { isWireMap, readWireJson, writeWireJson } from '../commands/wire-json.ts';
import { toWireCatalog } from './wire-catalog.ts';
import { readAgentReport, toQuietReport, toWireReport } from './wire-report.ts';

const decompress = promisify(gunzip);

interface CommandSource {
  readonly stores: Pick<Stores, 'blobs'>;
  /** The server's name. */
  readonly producer: string;
}

/** `replace facts` with the node's stored facts; null when there are none. */
export async function makeFactsCommand(
  record: NodeRecord,
  { stores, producer }: CommandSource,
): Promise<InventoryCommand | null> {
  const { certname, environment, facts: pointer } = record;
  const stored = pointer === null ? null : await loadFacts(stores.blobs, certname);
  if (stored === null || pointer === null) return null;
  const values = PuppetHash.of([...stored.facts.entries(), ['trusted', stored.trusted]]);
  const time = new Date(pointer.at).toISOString();
  const head = JSON.stringify({ certname, environment, producer, producer_timestamp: time }).slice(0, -1);
  const payload = `${head},"values":${await runInSteps(printJsonInSteps(values))}}`;
  return { command: 'replace facts', version: 5, certname, payload };
}

/** `replace catalog` with the node's catalog in force; null when there is none. */
export async function makeCatalogCommand(
  { certname, catalog, inputs, environment }: NodeRecord,
  { stores, producer }: CommandSource,
): Promise<InventoryCommand | null> {
  const bytes = catalog === null ? null : await loadCatalog(stores.blobs, catalog.hash);
  if (bytes === null || catalog === null) return null;
  const data = readWireJson((await decompress(bytes)).toString('utf8'));
  if (!isWireMap(data)) return null;
  const time = new Date(catalog.compiledAt).toISOString();
  const origin = { certname, environment: inputs?.environment ?? environment, producer, time };
  const payload = writeWireJson(toWireCatalog(data, origin));
  return { command: 'replace catalog', version: 9, certname, payload };
}

/** `store report` with what is kept of a report; null when its blob is gone. */
export async function makeReportCommand(
  summary: ReportSummary,
  { stores, producer }: CommandSource,
): Promise<InventoryCommand | null> {
  const bytes = summary.blob === null ? null : await stores.blobs.get(summary.blob);
  if (summary.blob !== null && bytes === null) return null;
  const report = bytes === null ? null : readAgentReport((await decompress(bytes)).toString('utf8'));
  const wire = report === null ? toQuietReport(summary, producer) : toWireReport(report, summary, producer);
  return { command: 'store report', version: 8, certname: summary.certname, payload: writeWireJson(wire) };
}
