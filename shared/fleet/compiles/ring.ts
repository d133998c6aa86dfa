import { SETTINGS } from '../../config/settings.ts';
import type { CompileJob, QueueName } from '../../store/ports/compile-queue.ts';
import type { NodeRecord } from '../../store/ports/node-record.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { inParallel } from '../../util/in-parallel.ts';
import { deleteSets } from '../dependencies/dependency-cache.ts';
import { resumeRemovals } from '../fan-out/remove-environment.ts';
import type { InvalidatePorts } from '../fan-out/settle-environment.ts';
import { resumeFanOut } from '../fan-out/settle-environment.ts';
import { settleGroups } from '../nodes/settle-groups.ts';

export interface RingOptions {
  /** The time in which each node is verified once. The budget of a round follows from it. */
  readonly turnMs: number;
  /** The time between two rounds. */
  readonly roundMs: number;
  /**
   * Nodes that a round feeds at least: the number of nodes is hours old in AWS, and may still be 0.
   */
  readonly leastBudget: number;
  /** The background queue's depth that is filled at least: it holds the jobs of two rounds. */
  readonly leastDepth: number;
  /** Nodes whose lost job is sent again in one round, at most. */
  readonly mostAsked: number;
  /** A node that was compiled, verified or fed within this time is skipped. */
  readonly restMs: number;
  /** A volatile catalog is compiled again when it is older than this. */
  readonly volatileRestMs: number;
  /**
   * A job is sent again for a node with `built < wanted` without a request within this time: its
   * message is lost.
   */
  readonly lostAfterMs: number;
  /** The same in stores that see that a node has no job: a process ended before it sent one. */
  readonly unsentAfterMs: number;
  /** Whether the feeder works on unfinished fan-outs; else it only sends lost messages again. */
  readonly worksOnFanOuts: boolean;
}

const WRITES_AT_ONCE = 16;
/** A compile that registered its dependencies before has ended by then. */
const LEAVING_MS = 3600_000;
/** Time of one round for the nodes of changed groups; the next one goes on. */
const GROUPS_MS = 20_000;
/** Limit of registrations whose remains one round deletes. */
const MOST_RETIRED = 1000;

const MINUTE = 60_000;
/** Nodes read at a time: their records are in memory. */
const PAGE = 500;
/** The ring runs ahead of its turn by this factor, and catches up by the other when it is late. */
const RESERVE = 1.25;
const CATCH_UP = 4;
/** The background queue holds the jobs of this many rounds. */
const ROUNDS_QUEUED = 2;

export const DEFAULT_RING: RingOptions = {
  turnMs: SETTINGS.ringTurn.usual * 60 * MINUTE,
  roundMs: MINUTE,
  leastBudget: 10,
  leastDepth: 1000,
  mostAsked: 50_000,
  restMs: 30 * MINUTE,
  volatileRestMs: SETTINGS.volatileRest.usual * 60 * MINUTE,
  lostAfterMs: 10 * MINUTE,
  unsentAfterMs: MINUTE,
  worksOnFanOuts: true,
};

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
 * ring, completes deploys and changes of node groups, deletes dependencies that no node has any
 * more. A failed step does not stop the round; its error is thrown at the end.
 */
export async function feed(ports: InvalidatePorts, options: RingOptions = DEFAULT_RING): Promise<FeedReport> {
  const asked = await askAgain(ports, options);
  const filled = await fillBackground(ports, options);
  const settled: string[] = [];
  const faults: unknown[] = [];
  for (const environment of await ports.environments.list()) {
    if (environment.settled === environment.revision) continue;
    await resumeFanOut(environment.name, ports, options.worksOnFanOuts).then(
      (isSettled) => isSettled && settled.push(environment.name),
      (error: unknown) => faults.push(error),
    );
  }
  await resumeRemovals(ports).catch((error: unknown) => faults.push(error));
  const until = ports.clock.now() + GROUPS_MS;
  await settleGroups(ports, undefined, () => ports.clock.now() >= until).catch((error: unknown) => faults.push(error));
  const retired = await ports.dependencies.retire(ports.clock.now() - LEAVING_MS, MOST_RETIRED);
  await deleteSets(ports.blobs, retired.sets);
  if (faults.length > 0) throw faults[0];
  return { settled, asked, ...filled };
}

async function askAgain({ nodes, queue, clock }: FeedPorts, options: RingOptions): Promise<number> {
  const at = clock.now();
  const [before, jobBefore] = [at - options.lostAfterMs, at - Math.min(options.lostAfterMs, options.unsentAfterMs)];
  let asked = 0;
  // A node that was asked for is no longer listed; an index may lag, so that a page brings nothing.
  for (;;) {
    const lost = await nodes.listOutstanding(before, Math.min(PAGE, options.mostAsked - asked), jobBefore);
    const jobs = await inParallel(
      WRITES_AT_ONCE,
      lost,
      async ({ certname, wanted, reasons }): Promise<readonly CompileJob[]> => {
        if (!(await nodes.ask(certname, wanted, at, jobBefore))) return [];
        return [{ certname, generation: wanted, reason: reasons.at(-1) ?? 'asked again', at }];
      },
    );
    const sent = await send('express', jobs.flat(), queue);
    asked += sent;
    if (sent === 0 || asked >= options.mostAsked) return asked;
  }
}

async function fillBackground(
  { nodes, queue, clock }: FeedPorts,
  options: RingOptions,
): Promise<{ readonly fed: number; readonly lagMs: number }> {
  const at = clock.now();
  const [first] = await nodes.listRing(1, at);
  const lagMs = first ? at - first.ringPosition : 0;
  const budget = budgetOf((await nodes.getCounts()).nodes, lagMs, options);
  const { visible, inFlight } = (await queue.getDepth()).background;
  const room = Math.max(options.leastDepth, ROUNDS_QUEUED * budget) - visible - inFlight;
  let fed = 0;
  for (let left = Math.min(budget, room); left > 0; left = Math.min(budget, room) - fed) {
    const oldest = await nodes.listRing(Math.min(PAGE, left), at);
    const rested = oldest.filter(({ ringPosition }) => at - ringPosition >= options.restMs);
    const jobs = await inParallel(WRITES_AT_ONCE, rested, async (node): Promise<readonly CompileJob[]> => {
      return (await nodes.moveToRingEnd(node.certname, node.ringPosition, at))
        ? [createRingJob(node, at, at - options.volatileRestMs)]
        : [];
    });
    const sent = await send('background', jobs.flat(), queue);
    if (sent === 0) break;
    fed += sent;
  }
  return { fed, lagMs };
}

/** The number of nodes that one round feeds, so that a turn takes as long as it should. */
export function budgetOf(
  nodes: number,
  lagMs: number,
  { turnMs, roundMs, leastBudget }: Pick<RingOptions, 'turnMs' | 'roundMs' | 'leastBudget'>,
): number {
  return Math.max(leastBudget, Math.ceil(((nodes * roundMs) / turnMs) * (lagMs > turnMs ? CATCH_UP : RESERVE)));
}

/**
 * A job of a generation that is not wanted yet: it verifies the node, and compiles it when it finds
 * a reason.
 */
function createRingJob({ certname, wanted, built }: NodeRecord, at: number, volatileBefore: number): CompileJob {
  return { certname, generation: built < wanted ? wanted : wanted + 1, reason: 'ring', at, volatileBefore };
}

/** Returns the number of jobs. */
async function send(name: QueueName, jobs: readonly CompileJob[], queue: Stores['queue']): Promise<number> {
  if (jobs.length > 0) await queue.send(name, jobs);
  return jobs.length;
}
