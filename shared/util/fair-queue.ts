interface FairQueueOptions {
  /** The number of those that may be inside at a time. */
  readonly places: number;
  /**
   * The number of one client's entries at a time, at least one; absent: all places. Call `review`
   * after it rose.
   */
  readonly mostOfClient?: number | (() => number);
}

interface Client {
  inside: number;
  readonly waiting: (() => void)[];
}

/**
 * A semaphore that is fair to clients: free places go to waiting clients in turn, so that one that
 * asks for many never keeps another from its next one. Requests of a client keep their order.
 */
export class FairQueue {
  readonly #mostOfClient: () => number;
  readonly #clients = new Map<string, Client>();
  /** Clients with waiting requests that may enter, in turn. */
  readonly #turns = new Set<string>();
  #free: number;
  #waiting = 0;

  constructor({ places, mostOfClient = places }: FairQueueOptions) {
    this.#free = places;
    this.#mostOfClient = typeof mostOfClient === 'number' ? () => mostOfClient : mostOfClient;
  }

  /** The number of those that wait. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Waits for a place. Resolves to a function that releases it; further calls do nothing. */
  enter(name: string): Promise<() => void> {
    const client = this.#clients.get(name) ?? { inside: 0, waiting: [] };
    this.#clients.set(name, client);
    return new Promise((resolve) => {
      client.waiting.push(() => resolve(this.#makeRelease(name, client)));
      this.#waiting += 1;
      this.#line(name, client);
      this.#admit();
    });
  }

  /** Lets those enter who may now. */
  review(): void {
    for (const [name, client] of this.#clients) this.#line(name, client);
    this.#admit();
  }

  #line(name: string, { inside, waiting }: Client): void {
    if (waiting.length > 0 && inside < this.#mostOfClient()) this.#turns.add(name);
  }

  #admit(): void {
    while (this.#free > 0) {
      const [name] = this.#turns;
      const client = name === undefined ? undefined : this.#clients.get(name);
      if (name === undefined || client === undefined) return;
      this.#turns.delete(name);
      const enter = client.waiting.shift();
      this.#free -= 1;
      this.#waiting -= 1;
      client.inside += 1;
      this.#line(name, client);
      enter?.();
    }
  }

  #makeRelease(name: string, client: Client): () => void {
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      this.#free += 1;
      client.inside -= 1;
      if (client.inside === 0 && client.waiting.length === 0) this.#clients.delete(name);
      this.#line(name, client);
      this.#admit();
    };
  }
}
