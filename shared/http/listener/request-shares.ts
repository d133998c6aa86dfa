import { watchBusyShare } from '../../util/busy-share.ts';
import { FairQueue } from '../../util/fair-queue.ts';

/** Requests of a client that are worked on at a time while the server is busy. */
const MOST = { ofClient: 4, ofAddress: 16 };
/** The share of time in which the event loop works, from which on the server counts as busy. */
const BUSY = 0.6;
/** The time between two looks. */
const LOOK_MS = 100;
/** Work that goes on at so many looks waits for something else than the processor. */
const MOST_LOOKS = 10;

/** Who sends a request. */
export interface RequestSender {
  /** A certificate, or an address without one. */
  readonly client: string;
  /** Distinguishes the users of an address; null without a token, and for a certificate. */
  readonly token: string | null;
}

interface Work {
  readonly leave: () => void;
  looks: number;
}

/**
 * Shares out the work of the thread that answers requests: while it is busy, a client has a few
 * requests in progress at a time, and the others wait in order. One that sends many at once thus
 * delays those of another client by a few. While the thread is not busy, nobody waits.
 */
export class RequestShares {
  readonly #readBusyShare: () => number;
  readonly #clients = this.#makeQueue(MOST.ofClient);
  readonly #addresses = this.#makeQueue(MOST.ofAddress);
  readonly #work = new Set<Work>();
  #isBusy = false;
  #timer: NodeJS.Timeout | null = null;

  /** `readBusyShare`: the share of time in which the event loop worked since the last call. */
  constructor(readBusyShare: () => number = watchBusyShare()) {
    this.#readBusyShare = readBusyShare;
  }

  #makeQueue(most: number): FairQueue {
    const mostOfClient = () => (this.#isBusy ? most : Number.POSITIVE_INFINITY);
    return new FairQueue({ places: Number.POSITIVE_INFINITY, mostOfClient });
  }

  /** Waits until the client may have another request; resolves to a function that ends it. */
  async enter({ client, token }: RequestSender): Promise<() => void> {
    this.#timer ??= setInterval(() => this.look(), LOOK_MS).unref();
    const leaveAddress = token === null ? null : await this.#addresses.enter(client);
    const leaveClient = await this.#clients.enter(token === null ? client : `${client} ${token}`);
    const leave = () => {
      leaveClient();
      leaveAddress?.();
    };
    const work = { leave, looks: 0 };
    this.#work.add(work);
    return () => {
      this.#work.delete(work);
      leave();
    };
  }

  /** Looks whether the thread is busy. Work that has lasted for long no longer counts. */
  look(): void {
    this.#isBusy = this.#readBusyShare() >= BUSY;
    for (const work of this.#work) {
      work.looks += 1;
      if (work.looks < MOST_LOOKS) continue;
      this.#work.delete(work);
      work.leave();
    }
    const queues = [this.#addresses, this.#clients];
    if (!this.#isBusy) for (const queue of queues) queue.review();
    const isOver = this.#work.size === 0 && queues.every(({ waiting }) => waiting === 0);
    if (!isOver || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }
}
