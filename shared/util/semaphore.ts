/** A FIFO semaphore. */
export class Semaphore {
  #permits: number;
  readonly #waiting: (() => void)[] = [];

  constructor(permits: number) {
    this.#permits = permits;
  }

  /** Acquires a place if one is free, as `acquire` does; returns null otherwise. */
  tryAcquire(): (() => void) | null {
    if (this.#permits === 0) return null;
    this.#permits -= 1;
    return this.#makeRelease();
  }

  /**
   * Waits for a place. Resolves to a function that releases it; further calls of that function do
   * nothing.
   */
  async acquire(): Promise<() => void> {
    if (this.#permits > 0) this.#permits -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.#makeRelease();
  }

  #makeRelease(): () => void {
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      const next = this.#waiting.shift();
      if (next) next();
      else this.#permits += 1;
    };
  }
}
