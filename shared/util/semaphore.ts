/** Lets so many through at a time; the others wait in the order in which they came. */
export class Semaphore {
  #permits: number;
  readonly #waiting: (() => void)[] = [];

  constructor(permits: number) {
    this.#permits = permits;
  }

  /** A place if one is free now, as `enter` gives it; null when there is none. */
  tryAcquire(): (() => void) | null {
    if (this.#permits === 0) return null;
    this.#permits -= 1;
    return this.#makeRelease();
  }

  /** Waits for a place; what it answers gives the place back, once, however often it is called. */
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
