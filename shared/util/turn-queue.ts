/**
 * Runs short pieces of work in later turns of the event loop, in order, a few in each: whatever
 * else waits comes in between.
 */
export class TurnQueue {
  readonly #waiting: (() => void)[] = [];
  readonly #mostInTurn: number;

  constructor(mostInTurn: number) {
    this.#mostInTurn = mostInTurn;
  }

  /** `work` must not throw. */
  add(work: () => void): void {
    this.#waiting.push(work);
    if (this.#waiting.length === 1) setImmediate(() => this.#runSome());
  }

  #runSome(): void {
    const some = this.#waiting.splice(0, this.#mostInTurn);
    if (this.#waiting.length > 0) setImmediate(() => this.#runSome());
    for (const work of some) work();
  }
}
