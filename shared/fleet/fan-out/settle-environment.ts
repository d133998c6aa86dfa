import { revisionToken } from '../../store/ports/environment-store.ts';
import type { FanOutMessage } from '../../store/ports/fan-out-queue.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { inParallel } from '../../util/in-parallel.ts';
import { type FanOutPlan, keepPlan, planFanOut } from './fan-out-plan.ts';
import { type ChainPorts, FAN_OUTS_SENT, listUnfinished, runChain, settle } from './run-chain.ts';

type FanOutPorts = ChainPorts & Pick<Stores, 'nodes' | 'fanOut'>;

/** Ports of deploys and of the feeder. */
export type InvalidatePorts = FanOutPorts & Pick<Stores, 'exports' | 'groups' | 'processes'>;

/** The nodes that a deploy affects. */
interface InvalidatedNodes {
  readonly count: number;
  /** The first 10,000 ones, sorted. */
  readonly certnames: readonly string[];
  /** False when other processes still have chains. */
  readonly isSettled: boolean;
}

/** Messages of chains that are not done are sent again after this time: they may be lost. */
const RESEND_MS = 30 * 60_000;
const CHAINS_AT_ONCE = 4;
/** A chain is left to another worker, or another slice, after this time. */
const SLICE_MS = 30_000;
/** Longest wait of a deploy for chains that other processes have. */
const DEPLOY_WAIT_MS = 5 * 60_000;
const FIRST_POLL_MS = 50;
const LONGEST_POLL_MS = 2000;
const MOST_NAMED = 10_000;
/** No node, when nothing is left to do. */
const NOBODY: InvalidatedNodes = { count: 0, certnames: [], isSettled: true };

/**
 * Starts the fan-out of the revision in force, unless it is settled: plans it and sends a message
 * for each chain. Idempotent. Chains whose messages were sent a long time ago, and that are not
 * done, are sent again. Null when nothing is left to do.
 */
export async function startFanOut(name: string, ports: FanOutPorts): Promise<FanOutPlan | null> {
  const environment = await ports.environments.get(name);
  if (!environment || environment.settled >= environment.revision) return null;
  const plan = await planFanOut(environment, ports);
  const { revision } = plan;
  const now = ports.clock.now();
  const sent = await ports.documents.get(FAN_OUTS_SENT, name);
  if (sent?.revision === revision && Number(sent.at) > now - RESEND_MS) return plan;
  const chains = await listUnfinished(plan, ports);
  if (chains.length === 0) {
    await settle(plan, ports);
    return null;
  }
  await keepPlan(plan, ports);
  await ports.fanOut.send(chains.map((chain): FanOutMessage => ({ environment: name, revision, chain })));
  await ports.documents.put(FAN_OUTS_SENT, name, { revision, at: now, chains: plan.chains });
  return plan;
}

/**
 * Invalidates the nodes that a deploy affects, together with any other process that does, and waits
 * up to `waitMs` for chains that others have. Throws what a store throws; the rest is resumed by
 * the next call, or by the feeder. Returns the nodes that this process invalidated.
 */
export async function settleEnvironment(
  name: string,
  ports: FanOutPorts,
  waitMs: number = DEPLOY_WAIT_MS,
): Promise<InvalidatedNodes> {
  const plan = await startFanOut(name, ports);
  if (!plan) return NOBODY;
  const named = new Set<string>();
  let count = 0;
  const until = ports.clock.now() + waitMs;
  let settled = false;
  for (let pause = FIRST_POLL_MS; !settled; ) {
    const pages = await workOnce(ports);
    for (const certname of pages?.get(plan.revision) ?? []) {
      count += 1;
      if (named.size < MOST_NAMED) named.add(certname);
    }
    if (pages) continue;
    settled = await isSettled(name, plan, ports);
    const left = until - ports.clock.now();
    if (settled || left <= 0) break;
    await ports.clock.sleep(Math.min(pause, left));
    pause = Math.min(1.5 * pause, LONGEST_POLL_MS);
  }
  const certnames = [...named].sort();
  return { count: named.size < MOST_NAMED ? named.size : count, certnames, isSettled: settled };
}

/**
 * Resumes a fan-out that was cut short. With `works` this process takes part; else it only starts
 * it, or sends lost messages again. Returns whether the environment is settled.
 */
export async function resumeFanOut(name: string, ports: FanOutPorts, works: boolean): Promise<boolean> {
  if (works) return (await settleEnvironment(name, ports, 0)).isSettled;
  return (await startFanOut(name, ports)) === null;
}

/**
 * Receives messages and works on their chains. Returns the invalidated nodes by the revision of the
 * deploy; null without a message.
 */
async function workOnce(ports: FanOutPorts): Promise<ReadonlyMap<string, readonly string[]> | null> {
  const { fanOut, clock } = ports;
  const received = await fanOut.receive(CHAINS_AT_ONCE);
  if (received.length === 0) return null;
  const until = clock.now() + SLICE_MS;
  const reports = await inParallel(CHAINS_AT_ONCE, received, async (one) => {
    try {
      const report = await runChain(one.message, ports, () => clock.now() >= until);
      if (report.isDone) await fanOut.acknowledge(one);
      else await fanOut.retryAfter(one, 0);
      return { revision: one.message.revision, invalidated: report.invalidated };
    } catch (error) {
      await fanOut.retryAfter(one, 0);
      throw error;
    }
  });
  const byRevision = Map.groupBy(reports, ({ revision }) => revision);
  return new Map([...byRevision].map(([revision, some]) => [revision, some.flatMap(({ invalidated }) => invalidated)]));
}

async function isSettled(name: string, { revision }: FanOutPlan, { environments }: FanOutPorts): Promise<boolean> {
  const environment = await environments.get(name);
  return !environment || environment.settled >= environment.revision || revisionToken(environment) !== revision;
}
