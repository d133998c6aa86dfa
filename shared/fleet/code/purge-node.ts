import type { Stores } from '../../store/ports/stores.ts';
import { forgetLastFault } from '../compiles/compile-faults.ts';
import { deleteReaders } from '../dependencies/first-readers.ts';
import { forgetFiles } from '../dependencies/register-files.ts';
import { deleteFacts } from '../nodes/facts-blob.ts';
import { deleteReports } from '../nodes/node-reports.ts';
import { listPages } from './blob-pages.ts';

/**
 * Deletes a node: its record with catalog and classification, facts, exports, collectors, reports
 * and file bucket. The change feed of the exports invalidates nodes that collected its exports. A
 * compile in progress can no longer commit, and cleans up after itself. False when the node does
 * not exist.
 */
export async function purgeNode(
  certname: string,
  stores: Pick<Stores, 'nodes' | 'dependencies' | 'exports' | 'blobs' | 'documents' | 'clock'>,
): Promise<boolean> {
  const { nodes, exports, blobs, documents } = stores;
  const node = await nodes.get(certname);
  await nodes.delete(certname);
  if (node) await forgetFiles(node, stores);
  await exports.delete(certname);
  await deleteFacts(blobs, node ?? { certname, facts: null });
  await deleteReaders(blobs, certname);
  await forgetLastFault(certname, stores);
  await deleteReports({ documents, blobs }, certname);
  for await (const entries of listPages(blobs, `bucket/${certname}/`)) {
    for (const { key } of entries) await blobs.delete(key);
  }
  return node !== null;
}
