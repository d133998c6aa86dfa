import type { Classification } from '../../store/ports/node-record.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { classificationDigest } from './classification.ts';
import { sendJobs } from './send-jobs.ts';

/**
 * Sets the node's classification (null: removes it). If it changed, a node that was compiled before
 * is compiled again. Returns whether it changed.
 */
export async function classifyNode(
  certname: string,
  classification: Classification | null,
  { nodes, queue, clock }: Pick<Stores, 'nodes' | 'queue' | 'clock'>,
): Promise<boolean> {
  const before = (await nodes.get(certname))?.classification ?? null;
  if (classificationDigest(before) === classificationDigest(classification)) return false;
  const reason = classification === null ? 'classification taken away' : 'classification changed';
  const at = clock.now();
  const node = await nodes.classify(certname, classification, reason, at);
  if (node.isJobDue) await sendJobs('express', [{ certname, generation: node.wanted, reason, at }], { nodes, queue });
  return true;
}
