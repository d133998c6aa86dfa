import type { Clock } from '../../shared/store/ports/clock.ts';

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

/**
 * A clock for several processes in one: it moves on to the next one that wakes up as soon as all of
 * them sleep. What they wait for besides must be done within a turn of the event loop.
 */
export class VirtualTime implements Clock {
  #time: number;
  #processes = 0;
  readonly #sleepers: Sleeper[] = [];

  constructor(time = Date.UTC(2026, 10, 21)) {
    this.#time = time;
  }

  now(): number {
    return this.#time;
  }

  random(): number {
    return 0.5;
  }

  sleep(milliseconds: number): Promise<void> {
    if (this.#processes === 0) {
      this.#time += Math.ceil(milliseconds);
      return Promise.resolve();
    }
    return new Promise((wake) => {
      this.#sleepers.push({ at: this.#time + Math.ceil(milliseconds), wake });
      this.#moveOn();
    });
  }

  /** Runs the processes until all have ended. */
  async runAll(processes: readonly (() => Promise<void>)[]): Promise<void> {
    this.#processes = processes.length;
    const end = () => {
      this.#processes -= 1;
      this.#moveOn();
    };
    await Promise.all(processes.map((process) => process().finally(end)));
  }

  #moveOn(): void {
    if (this.#processes === 0 || this.#sleepers.length < this.#processes) return;
    this.#sleepers.sort((a, b) => a.at - b.at);
    const first = this.#sleepers.shift();
    if (!first) return;
    this.#time = Math.max(this.#time, first.at);
    first.wake();
  }
}
