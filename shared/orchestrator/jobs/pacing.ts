/** Limits on concurrent work, over all jobs. */
export interface PacingLimits {
  /** Puppet runs that need a compile. */
  readonly compiles: number;
  /** Nodes that run tasks. */
  readonly actions: number;
}

/** The incumbent's limits. */
export const DEFAULT_PACING: PacingLimits = { compiles: 8, actions: 250 };

export type Pass = keyof PacingLimits;

/** Counting semaphores over all jobs. Waiters are called in the order of their waiting. */
export class Pacing {
  readonly #limits: PacingLimits;
  readonly #countProcesses: () => number;
  readonly #used = { compiles: 0, actions: 0 };
  readonly #waiting = new Map<object, () => void>();

  /** `countProcesses`: how many processes share the limits; each has an equal part, at least 1. */
  constructor(limits: PacingLimits, countProcesses: () => number = () => 1) {
    this.#countProcesses = countProcesses;
    this.#limits = limits;
  }

  hasFree(pass: Pass): boolean {
    return this.#used[pass] < Math.max(1, Math.floor(this.#limits[pass] / this.#countProcesses()));
  }

  /** Takes a pass, also beyond the limit: for what runs already. */
  take(pass: Pass): void {
    this.#used[pass] += 1;
  }

  /** Gives a pass back, and wakes all who wait. */
  release(pass: Pass): void {
    this.#used[pass] -= 1;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  /** Calls `wake` once, when a pass was given back. */
  wait(who: object, wake: () => void): void {
    if (!this.#waiting.has(who)) this.#waiting.set(who, wake);
  }

  /** `who` no longer waits. */
  leave(who: object): void {
    this.#waiting.delete(who);
  }
}
