import type { Stores } from '../../store/ports/stores.ts';
import { deleteFacts } from '../nodes/facts-blob.ts';
import { deleteReports } from '../nodes/node-reports.ts';
import { listPages } from './prune-code.ts';

/**
 * Forgets a node: its record with catalog and classification, facts, exports, collectors, reports
 * and the files that it put into its bucket. Nodes that collected its exports are told of by the
 * change feed of the exports. A compile that is under way commits nothing any more, and cleans up
 * behind itself. False when there was no such node.
 */
export async function purgeNode(
  certname: string,
  { nodes, exports, blobs, documents }: Pick<Stores, 'nodes' | 'exports' | 'blobs' | 'documents'>,
): Promise<boolean> {
  const node = await nodes.get(certname);
  await nodes.delete(certname);
  await exports.delete(certname);
  await deleteFacts(blobs, certname);
  await deleteReports({ documents, blobs }, certname);
  for await (const entries of listPages(blobs, `bucket/${certname}/`)) {
    for (const { key } of entries) await blobs.delete(key);
  }
  return node !== null;
}
