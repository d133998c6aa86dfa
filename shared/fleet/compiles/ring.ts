import type { CompileJob, QueueName } from '../../store/ports/compile-queue.ts';
import type { NodeRecord } from '../../store/ports/node-record.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { inParallel } from '../../util/in-parallel.ts';
import { type InvalidatePorts, settleEnvironment } from './invalidate.ts';

export interface RingOptions {
  /** Limit of nodes fed in one call. */
  readonly budget: number;
  /** Limit of the background queue's depth. */
  readonly depth: number;
  /** A node that was compiled, verified or fed within this time is skipped. */
  readonly restMs: number;
  /**
   * A job is sent again for a node with `built < wanted` without a request within this time: its
   * message is lost.
   */
  readonly lostAfterMs: number;
}

const WRITES_AT_ONCE = 16;

export const DEFAULT_RING: RingOptions = { budget: 500, depth: 1000, restMs: 30 * 60_000, lostAfterMs: 10 * 60_000 };

export interface FeedReport {
  /** Nodes sent to the background queue for verification. */
  readonly fed: number;
  /** Nodes whose job was sent again. */
  readonly asked: number;
  /** Environments whose deploy was completed. */
  readonly settled: readonly string[];
  /** Age of the oldest ring position. */
  readonly lagMs: number;
}

type FeedPorts = Pick<Stores, 'nodes' | 'queue' | 'clock'>;

/**
 * One round of the scheduled feeder: sends lost jobs again, fills the background queue from the
 * ring, completes deploys. A deploy that cannot be completed does not stop the round; its error is
 * thrown at the end.
 */
export async function feed(ports: InvalidatePorts, options: RingOptions = DEFAULT_RING): Promise<FeedReport> {
  const asked = await askAgain(ports, options);
  const filled = await fillBackground(ports, options);
  const settled: string[] = [];
  const faults: unknown[] = [];
  for (const environment of await ports.environments.list()) {
    if (environment.settled === environment.revision) continue;
    await settleEnvironment(environment.name, ports).then(
      () => settled.push(environment.name),
      (error: unknown) => faults.push(error),
    );
  }
  if (faults.length > 0) throw faults[0];
  return { settled, asked, ...filled };
}

async function askAgain({ nodes, queue, clock }: FeedPorts, options: RingOptions): Promise<number> {
  const at = clock.now();
  const lost = await nodes.listOutstanding(at - options.lostAfterMs, options.budget);
  const jobs = await inParallel(
    WRITES_AT_ONCE,
    lost,
    async ({ certname, wanted, reasons }): Promise<readonly CompileJob[]> => {
      if (!(await nodes.ask(certname, wanted, at, at - options.lostAfterMs))) return [];
      return [{ certname, generation: wanted, reason: reasons.at(-1) ?? 'asked again', at }];
    },
  );
  return send('express', jobs.flat(), queue);
}

async function fillBackground(
  { nodes, queue, clock }: FeedPorts,
  { budget, depth, restMs }: RingOptions,
): Promise<{ readonly fed: number; readonly lagMs: number }> {
  const at = clock.now();
  const { visible, inFlight } = (await queue.getDepth()).background;
  const oldest = await nodes.listRing(Math.max(1, Math.min(budget, depth - visible - inFlight)), at);
  const lagMs = oldest[0] ? at - oldest[0].ringPosition : 0;
  if (visible + inFlight >= depth) return { fed: 0, lagMs };
  const rested = oldest.filter(({ ringPosition }) => at - ringPosition >= restMs);
  const jobs = await inParallel(WRITES_AT_ONCE, rested, async (node): Promise<readonly CompileJob[]> => {
    return (await nodes.moveToRingEnd(node.certname, node.ringPosition, at)) ? [createRingJob(node, at)] : [];
  });
  return { fed: await send('background', jobs.flat(), queue), lagMs };
}

/**
 * A job of a generation that is not wanted yet: it verifies the node, and compiles it when it finds
 * a reason.
 */
function createRingJob({ certname, wanted, built }: NodeRecord, at: number): CompileJob {
  return { certname, generation: built < wanted ? wanted : wanted + 1, reason: 'ring', at };
}

/** Returns the number of jobs. */
async function send(name: QueueName, jobs: readonly CompileJob[], queue: Stores['queue']): Promise<number> {
  if (jobs.length > 0) await queue.send(name, jobs);
  return jobs.length;
}
