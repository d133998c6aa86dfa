import { isWindowOpen, type NotifyRate, RATE_MS } from '../../fleet/policies/notify-policy.ts';
import type { NotifyLane } from './notify-lane.ts';

/** A small fleet does not wait for hours: a percentage means at least this many nodes a minute. */
const LEAST_PER_MINUTE = 10;
/** Longer pauses, as of a process that slept, earn no more. */
const LONGEST_STEP_MS = 5000;

/** Returns the nodes that a rate allows each millisecond; `nodes` is the number of all nodes. */
export function nodesPerMs({ amount, unit, per }: NotifyRate, nodes: number): number {
  const asked = amount / RATE_MS[per];
  if (unit === 'nodes') return asked;
  return Math.max((asked * nodes) / 100, LEAST_PER_MINUTE / RATE_MS.min);
}

/**
 * Counts the nodes of a lane that may be notified by now: all at once, or at a rate, and in its
 * window only. Nothing is saved up while the window is closed, or while nobody is due.
 */
export class Pace {
  #credit = 0;
  #at: number;

  constructor(now: number) {
    this.#at = now;
  }

  /** Earns for the time since the last call; returns the number of further nodes to notify. */
  earn(
    { notify, window }: Pick<NotifyLane, 'notify' | 'window'>,
    rate: NotifyRate,
    nodes: number,
    now: number,
  ): number {
    const passed = Math.min(Math.max(0, now - this.#at), LONGEST_STEP_MS);
    this.#at = now;
    if (!isWindowOpen(window, now)) return 0;
    if (notify === 'now') return Number.MAX_SAFE_INTEGER;
    this.#credit += passed * nodesPerMs(rate, nodes);
    return Math.floor(this.#credit);
  }

  /** Takes what was used of it. */
  spend(count: number): void {
    this.#credit -= Math.min(count, this.#credit);
  }
}
