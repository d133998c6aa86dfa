import { listPages } from '../../store/list-pages.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { forgetLastFault } from '../compiles/compile-faults.ts';
import { deleteReaders } from '../dependencies/first-readers.ts';
import { forgetFiles } from '../dependencies/register-files.ts';
import { deleteFactChanges } from '../facts/fact-history.ts';
import { deleteFacts } from '../facts/facts-blob.ts';
import { forgetFailures } from '../failures/note-failures.ts';
import { invalidateNodes } from '../nodes/invalidate-nodes.ts';
import { deleteReports } from '../reports/node-reports.ts';

/**
 * Deletes a node: its record with catalog and classification, facts, exports, collectors, reports
 * and file bucket. The change feed of the exports invalidates nodes that collected its exports. A
 * compile in progress can no longer commit, and cleans up after itself. A node that checks in
 * meanwhile is a new one; it is compiled once more, because its first exports may be deleted here.
 * False when the node does not exist.
 */
export async function purgeNode(
  certname: string,
  stores: Pick<Stores, 'nodes' | 'dependencies' | 'exports' | 'blobs' | 'documents' | 'queue' | 'clock'>,
): Promise<boolean> {
  const { nodes, exports, blobs, documents, clock } = stores;
  const node = await nodes.get(certname);
  // A purge that is cut short leaves no exports that the next node of that name cannot replace: the
  // node is compiled again, or it is gone with them.
  await nodes.want(certname, 'its purge was cut short', clock.now(), { asked: false });
  await exports.delete(certname);
  await nodes.delete(certname);
  if (node) await forgetFiles(node, stores);
  await exports.delete(certname);
  await deleteFacts(blobs, node ?? { certname, facts: null });
  await deleteFactChanges(documents, certname);
  await deleteReaders(blobs, certname);
  await forgetLastFault(certname, stores);
  await forgetFailures(documents, certname);
  await deleteReports({ documents, blobs }, certname);
  for await (const entries of listPages(blobs, `bucket/${certname}/`)) {
    for (const { key } of entries) await blobs.delete(key);
  }
  if (((await nodes.get(certname))?.wanted ?? 0) > 0) await invalidateNodes([certname], 'purged', stores);
  return node !== null;
}
