import { resolve } from 'node:path';
import { prune } from '../fleet/code/prune.ts';
import { DEFAULT_RING, feed } from '../fleet/compiles/ring.ts';
import { FailureUpkeep } from '../fleet/failures/failure-upkeep.ts';
import { describeOutcome, judgeStages } from '../fleet/stages/judge-stage.ts';
import type { Stores } from '../store/ports/stores.ts';
import { keepChecking } from './check-stored-data.ts';
import type { LocalLog } from './local-log.ts';
import { keepMemoryAtRest } from './memory-at-rest.ts';
import type { LocalOptions } from './options.ts';
import type { ServerStores } from './server-stores.ts';

const FEED_PAUSE_MS = 60_000;
const JUDGE_PAUSE_MS = 30_000;
const FAILURES_PAUSE_MS = 10_000;
const PRUNE_PAUSE_MS = 6 * 3600_000;
/** The pause before pruning is retried when a deploy prevented it. */
const PRUNE_AGAIN_MS = 10 * 60_000;
const HOUR_MS = 3600_000;

/**
 * Starts the server's periodic work until `signal` aborts: it queues the nodes least recently
 * verified (the ring), judges staged deploys, groups failures, prunes, checks the database for
 * damage, and frees memory when idle. A failure is logged and retried. The promises settle after
 * the abort.
 */
export function startUpkeep(
  stores: ServerStores,
  options: LocalOptions,
  log: LocalLog,
  signal: AbortSignal,
): readonly Promise<void>[] {
  return [
    // As in AWS, the feeder groups failures, too: a leader of its own would cost writes at rest.
    stores.lead('feed', signal, (leading) =>
      Promise.all([keepFeeding(stores, options, log, leading), keepGrouping(stores, log, leading)]),
    ),
    stores.lead('stages', signal, (leading) => keepJudging(stores, log, leading)),
    stores.lead('prune', signal, (leading) => keepPruning(stores, options, log, leading)),
    ...(stores.shared === null ? [keepChecking(resolve(options.data), stores.clock, log, signal)] : []),
    keepMemoryAtRest(stores.clock, signal),
  ];
}

async function keepJudging(stores: Stores, log: LocalLog, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await judgeStages(stores, true).then(
      (outcomes) => {
        for (const outcome of outcomes) log.logEntry(describeOutcome(outcome));
      },
      (error: unknown) => log.logError('A staged deploy could not be judged', error),
    );
    await stores.clock.sleep(JUDGE_PAUSE_MS, signal);
  }
}

async function keepGrouping(stores: Stores, log: LocalLog, signal: AbortSignal): Promise<void> {
  const upkeep = new FailureUpkeep(stores);
  while (!signal.aborted) {
    await upkeep.update().catch((error: unknown) => log.logError('Failures could not be grouped', error));
    await stores.clock.sleep(FAILURES_PAUSE_MS, signal);
  }
}

async function keepPruning(stores: Stores, options: LocalOptions, log: LocalLog, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const pruned = await prune(stores, options).catch((error: unknown) => {
      log.logError('Pruning failed', error);
      return null;
    });
    await stores.clock.sleep(pruned?.code === null ? PRUNE_AGAIN_MS : PRUNE_PAUSE_MS, signal);
  }
}

async function keepFeeding(
  stores: ServerStores,
  { ringTurn, volatileRest }: LocalOptions,
  log: LocalLog,
  signal: AbortSignal,
): Promise<void> {
  const ring = { ...DEFAULT_RING, turnMs: ringTurn * HOUR_MS, volatileRestMs: volatileRest * HOUR_MS };
  // The first round sends a job for each outdated node at once: the former process may have died
  // after it accepted a reason to compile and before it sent the job. A queued job is not doubled.
  let lostAfterMs = stores.shared === null ? 0 : ring.lostAfterMs;
  while (!signal.aborted) {
    await feed(stores, { ...ring, lostAfterMs }).then(
      () => {
        lostAfterMs = ring.lostAfterMs;
      },
      (error: unknown) => log.logError('Feeding the ring failed', error),
    );
    await stores.clock.sleep(FEED_PAUSE_MS, signal);
  }
}
