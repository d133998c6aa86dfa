import type { Stores } from '../../store/ports/stores.ts';
import { tryInParallel } from '../../util/in-parallel.ts';
import { sendJobs } from './send-jobs.ts';

/** Batch size of jobs: a queue's limit per call. */
const NODES_A_MESSAGE = 10;
const MESSAGES_AT_ONCE = 8;

/**
 * Adds a reason to these nodes and sends express jobs where due. `revision` is the `revisionToken`
 * of the deploy that is the reason. Returns the nodes that exist. Throws the first fault, after it
 * has tried all nodes.
 */
export async function invalidateNodes(
  certnames: Iterable<string>,
  reason: string,
  { nodes, queue, clock }: Pick<Stores, 'nodes' | 'queue' | 'clock'>,
  revision?: string,
): Promise<readonly string[]> {
  const all = [...certnames];
  const firsts = Array.from({ length: Math.ceil(all.length / NODES_A_MESSAGE) }, (_, index) => index * NODES_A_MESSAGE);
  const told = await tryInParallel(MESSAGES_AT_ONCE, firsts, async (first) => {
    const some = all.slice(first, first + NODES_A_MESSAGE);
    const wanted = await tryInParallel(NODES_A_MESSAGE, some, async (certname) => {
      const at = clock.now();
      const node = await nodes.want(certname, reason, at, {
        asked: true,
        ...(revision === undefined ? {} : { revision }),
      });
      return node ? [{ isJobDue: node.isJobDue, job: { certname, generation: node.wanted, reason, at } }] : [];
    });
    const found = wanted.results.flat();
    const due = found.flatMap(({ isJobDue, job }) => (isJobDue ? job : []));
    await sendJobs('express', due, { nodes, queue });
    if (wanted.fault) throw wanted.fault;
    return found.map(({ job }) => job.certname);
  });
  if (told.fault) throw told.fault;
  return told.results.flat();
}
