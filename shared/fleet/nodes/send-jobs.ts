import type { CompileJob, QueueName } from '../../store/ports/compile-queue.ts';
import type { Stores } from '../../store/ports/stores.ts';

/**
 * Sends jobs that `want`, `classify` or `ask` made due. If that fails, the claims are taken back,
 * so that the next reason, or the feeder, sends them; the error is thrown.
 */
export async function sendJobs(
  name: QueueName,
  jobs: readonly CompileJob[],
  { nodes, queue }: Pick<Stores, 'nodes' | 'queue'>,
): Promise<void> {
  if (jobs.length === 0) return;
  try {
    await queue.send(name, jobs);
  } catch (error) {
    await Promise.all(jobs.map(({ certname, generation }) => nodes.unask(certname, generation)));
    throw error;
  }
}
