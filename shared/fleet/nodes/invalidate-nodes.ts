import type { NodeStore } from '../../store/ports/node-store.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { wantAndSend } from './send-jobs.ts';

export interface InvalidationPorts extends Pick<Stores, 'queue' | 'clock'> {
  readonly nodes: Pick<NodeStore, 'want' | 'unask'>;
}

/**
 * Adds a reason to these nodes and sends express jobs where due. `revision` is the `revisionToken`
 * of the deploy that is the reason. Returns the nodes that exist. Throws the first fault, after it
 * has tried all nodes.
 */
export async function invalidateNodes(
  certnames: Iterable<string>,
  reason: string,
  { nodes, queue, clock }: InvalidationPorts,
  revision?: string,
): Promise<readonly string[]> {
  const sent = await wantAndSend([...certnames], { nodes, queue }, async (certname) => {
    const at = clock.now();
    const node = await nodes.want(certname, reason, at, {
      asked: true,
      ...(revision === undefined ? {} : { revision }),
    });
    const jobs = node?.isJobDue ? [{ certname, generation: node.wanted, reason, at }] : [];
    return { jobs, found: node ? [certname] : [] };
  });
  return sent.flatMap(({ found }) => found);
}
