import type { CompileJob, QueueName } from '../../store/ports/compile-queue.ts';
import type { NodeStore } from '../../store/ports/node-store.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { tryInParallel } from '../../util/in-parallel.ts';

/** Batch size of jobs: a queue's limit per call. */
const NODES_A_MESSAGE = 10;
const MESSAGES_AT_ONCE = 8;

/** The queue, and the nodes whose claims are taken back. */
interface SendPorts extends Pick<Stores, 'queue'> {
  readonly nodes: Pick<NodeStore, 'unask'>;
}

/** The jobs that a reason made due, and what went wrong meanwhile. */
export interface WantResult {
  readonly jobs: readonly CompileJob[];
  /** A write may have worked or not. */
  readonly fault?: Error;
}

/**
 * Adds a reason to each node by `want`, and sends the express jobs. A fault at one node does not
 * keep the jobs of the others from being sent; it is thrown at the end.
 */
export async function wantAndSend<T, R extends WantResult>(
  all: readonly T[],
  ports: SendPorts,
  want: (one: T) => Promise<R>,
): Promise<readonly R[]> {
  const firsts = Array.from({ length: Math.ceil(all.length / NODES_A_MESSAGE) }, (_, index) => index * NODES_A_MESSAGE);
  const sent = await tryInParallel(MESSAGES_AT_ONCE, firsts, async (first) => {
    const { results, fault } = await tryInParallel(NODES_A_MESSAGE, all.slice(first, first + NODES_A_MESSAGE), want);
    await sendJobs(
      'express',
      results.flatMap(({ jobs }) => jobs),
      ports,
    );
    const failed = fault ?? results.find((one) => one.fault)?.fault;
    if (failed) throw failed;
    return results;
  });
  if (sent.fault) throw sent.fault;
  return sent.results.flat();
}

/**
 * Sends jobs that `want`, `classify` or `ask` made due. If that fails, the claims are taken back,
 * so that the next reason, or the feeder, sends them; the error is thrown.
 */
export async function sendJobs(
  name: QueueName,
  jobs: readonly CompileJob[],
  { nodes, queue }: SendPorts,
): Promise<void> {
  if (jobs.length === 0) return;
  try {
    await queue.send(name, jobs);
  } catch (error) {
    await Promise.all(jobs.map(({ certname, generation }) => nodes.unask(certname, generation)));
    throw error;
  }
}
