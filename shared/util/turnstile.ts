/** Lets so many through at a time; the others wait in the order in which they came. */
export class Turnstile {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(places: number) {
    this.#free = places;
  }

  /** A place if one is free now, as `enter` gives it; null when there is none. */
  tryEnter(): (() => void) | null {
    if (this.#free === 0) return null;
    this.#free -= 1;
    return this.#exit();
  }

  /** Waits for a place; what it answers gives the place back, once, however often it is called. */
  async enter(): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.#exit();
  }

  #exit(): () => void {
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    };
  }
}
