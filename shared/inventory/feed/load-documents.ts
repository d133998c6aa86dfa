import { loadCatalog } from '../../fleet/catalogs/catalog-blob.ts';
import { readFactsBlob } from '../../fleet/facts/facts-blob.ts';
import type { ReportSummary } from '../../fleet/reports/node-reports.ts';
import { digestExports } from '../../store/exports-digest.ts';
import type { CatalogPointer, NodeRecord } from '../../store/ports/node-record.ts';
import type { Stores } from '../../store/ports/stores.ts';
import type { NewCatalog, NewDocument, NewReport } from './feed-commands.ts';

/** Names a catalog with what it exports: either may change alone. */
export function nameCatalog(catalog: CatalogPointer | null): string | null {
  if (catalog === null) return null;
  return catalog.exported === digestExports([]) ? catalog.hash : `${catalog.hash} ${catalog.exported}`;
}

/** The node's stored facts; null without them, and when they are missing or damaged. */
export async function loadFactsDocument(
  node: NodeRecord,
  { blobs }: Pick<Stores, 'blobs'>,
): Promise<NewDocument | null> {
  const { environment, facts } = node;
  const bytes = facts === null ? null : await readFactsBlob(blobs, node);
  return bytes === null || facts === null ? null : { bytes, environment, time: new Date(facts.at).toISOString() };
}

/** The node's catalog in force; null without one. */
export async function loadCatalogDocument(
  { certname, catalog, inputs, environment }: NodeRecord,
  { blobs, exports }: Pick<Stores, 'blobs' | 'exports'>,
): Promise<NewCatalog | null> {
  const bytes = catalog === null ? null : await loadCatalog(blobs, catalog.hash);
  if (bytes === null || catalog === null) return null;
  const time = new Date(catalog.compiledAt).toISOString();
  const exported = catalog.exported === digestExports([]) ? [] : await exports.listOwn(certname, null);
  return { bytes, environment: inputs?.environment ?? environment, time, exported };
}

/** A report in a list; none when its blob is gone. */
export async function loadReportDocument(
  summary: ReportSummary,
  { blobs }: Pick<Stores, 'blobs'>,
): Promise<readonly NewReport[]> {
  const bytes = summary.blob === null ? null : await blobs.get(summary.blob);
  return summary.blob !== null && bytes === null ? [] : [{ summary, bytes }];
}
