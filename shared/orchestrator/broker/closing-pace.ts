import type { Clock } from '../../store/ports/clock.ts';

/** Pace of closing connections: agents come back 200 ms later, with a full handshake each. */
export interface ClosingPace {
  /** Burst: connections closed without a pause. */
  readonly atOnce: number;
  /** The mean pause; each is 50 to 150 % of it. */
  readonly pauseMs: number;
}

const DRAIN_STEP_MS = 50;
/** Slower than this, a drain helps nobody. */
const DRAINED_PER_SECOND = 100;

/** The pace that closes `connections` in `mostMs`; faster when there are few. */
export function paceOfDrain(connections: number, mostMs: number): ClosingPace {
  if (mostMs === 0) return { atOnce: Math.max(1, connections), pauseMs: 0 };
  // The last pauses may be long ones.
  const perMs = Math.max(DRAINED_PER_SECOND / 1000, connections / (0.9 * mostMs));
  return { atOnce: Math.ceil(perMs * DRAIN_STEP_MS), pauseMs: DRAIN_STEP_MS };
}

/**
 * Calls `close` for each item, at a pace. Items for which it returns false take no time. Ends early
 * when `signal` aborts.
 */
export async function closeAtPace<T>(
  items: readonly T[],
  { atOnce, pauseMs }: ClosingPace,
  close: (item: T) => boolean,
  clock: Pick<Clock, 'sleep' | 'random'>,
  signal?: AbortSignal,
): Promise<void> {
  let closed = 0;
  for (const item of items) {
    if (!close(item)) continue;
    closed += 1;
    if (closed % atOnce === 0 && pauseMs > 0) await clock.sleep(pauseMs * (0.5 + clock.random()), signal);
    if (signal?.aborted) return;
  }
}
