import type { SeededChance } from '../fuzz/seeded-chance.ts';

/** Calls of the stores by purpose. A process dies right before or after one of them. */
const CALLS: Readonly<Record<'deploy' | 'compile' | 'prune' | 'request', readonly string[]>> = {
  deploy: [
    'blobs.put',
    'blobs.putIfAbsent',
    'environments.replace',
    'environments.settle',
    'fanOut.send',
    'fanOut.receive',
    'fanOut.acknowledge',
  ],
  compile: [
    'nodes.lease',
    'nodes.commit',
    'nodes.finishRound',
    'nodes.release',
    'dependencies.register',
    'exports.replaceCollectors',
    'exports.replaceExports',
    'exports.collect',
    'changes.receive',
    'changes.acknowledge',
    'queue.acknowledge',
    'queue.receive',
  ],
  prune: [
    'blobs.list',
    'blobs.delete',
    'documents.create',
    'documents.replace',
    'documents.remove',
    'documents.delete',
  ],
  request: ['nodes.want', 'nodes.classify', 'nodes.ask', 'queue.send', 'nodes.markSeen'],
};

/** Where a process kills itself: before or after the nth such call of one of its threads. */
export interface KillPoint {
  readonly call: string;
  readonly nth: number;
  readonly when: 'before' | 'after';
}

/** An end without a chance to clean up: by the kernel, or of a process that finds itself broken. */
export type KillSignal = 'SIGKILL' | 'SIGABRT';

/** What the stores of a process do. It reaches the process in the variable `CHAOS_PLAN`. */
export interface Disturbance {
  readonly seed: number;
  /** The share of store calls that fail once the server listens. */
  readonly rate: number;
  /** The share of queue sends that are delivered twice. */
  readonly doubled: number;
  /** Whether received jobs come in any order. */
  readonly isReordered: boolean;
  readonly kill: KillPoint | null;
  /** The signal of the kill point. */
  readonly signal: KillSignal;
  /** How far the process's clock is ahead. */
  readonly aheadMs: number;
}

/** How one process of the server lives and dies. */
export interface LifePlan {
  /** Null for exactly what `npm start` runs. */
  readonly disturbance: Disturbance | null;
  /**
   * When it is killed from outside: `ms` after this number of requests, or of deploys, was sent to
   * it. A kill point may come first. Counting requests makes lives equal on slow machines.
   */
  readonly kill: {
    readonly after: 'requests' | 'deploys';
    readonly count: number;
    readonly ms: number;
    readonly signal: KillSignal;
  };
}

/** A kill point that does not come must not keep a process alive for longer than this. */
const MOST_REQUESTS = 60;
const MOST_MS = 60;
/** The shares of failing calls. Few deploys survive the largest. */
const RATES = [0, 0, 0.03, 0.03, 0.2] as const;
/** Nothing that is in force is pruned before the clock has moved by more than a day. */
export const SHIFT_MS = 30 * 3600_000;

/** Plans a life. With `aheadMs` it has a clock of its own, and therefore disturbed stores. */
export function planLife(chance: SeededChance, aheadMs: number): LifePlan {
  const after = chance.often(0.5) ? 'deploys' : 'requests';
  const count = 1 + chance.below(after === 'deploys' ? 3 : MOST_REQUESTS);
  const ms = chance.below(MOST_MS);
  const rate = chance.of(RATES);
  const point = chance.often(0.6) ? planKillPoint(chance) : null;
  const seed = chance.below(2 ** 31);
  const signal = seed % 2 === 0 ? 'SIGKILL' : 'SIGABRT';
  const kill = { after, count, ms, signal } as const;
  if (aheadMs === 0 && rate === 0 && point === null) return { disturbance: null, kill };
  return {
    disturbance: { seed, rate, doubled: 0.2, isReordered: true, kill: point, signal, aheadMs },
    kill: point === null ? kill : { after: 'requests', count: MOST_REQUESTS, ms: 0, signal },
  };
}

/** A start alone has several of these calls. */
const FREQUENT = new Set(['blobs.put', 'blobs.putIfAbsent', 'blobs.list', 'queue.receive', 'changes.receive']);

function planKillPoint(chance: SeededChance): KillPoint {
  const kind = chance.of(['deploy', 'deploy', 'compile', 'compile', 'prune', 'request'] as const);
  const call = chance.of(CALLS[kind]);
  return { call, nth: 1 + chance.below(FREQUENT.has(call) ? 12 : 3), when: chance.of(['before', 'after'] as const) };
}

/** A start without disturbance, after `aheadMs` of shifted clocks. */
export function planCalm(aheadMs: number): Disturbance | null {
  if (aheadMs === 0) return null;
  return { seed: 0, rate: 0, doubled: 0, isReordered: false, kill: null, signal: 'SIGKILL', aheadMs };
}
