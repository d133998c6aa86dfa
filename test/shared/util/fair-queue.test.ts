import { describe, expect, it } from 'vitest';
import { FairQueue } from '../../../shared/util/fair-queue.ts';

/** Asks for places, and notes in which order they were given. */
class Visitors {
  readonly order: string[] = [];
  readonly #queue: FairQueue;
  readonly #leave: (() => void)[] = [];

  constructor(queue: FairQueue) {
    this.#queue = queue;
  }

  async come(...names: readonly string[]): Promise<void> {
    for (const name of names) {
      void this.#queue.enter(name.charAt(0)).then((leave) => {
        this.order.push(name);
        this.#leave.push(leave);
      });
    }
    await Promise.resolve();
  }

  /** The first that is inside leaves. */
  async leave(times = 1): Promise<void> {
    for (let count = 0; count < times; count += 1) {
      this.#leave.shift()?.();
      await Promise.resolve();
      await Promise.resolve();
    }
  }
}

describe('a fair queue', () => {
  it('gives all places to one client while nobody else waits', async () => {
    const visitors = new Visitors(new FairQueue({ places: 3 }));
    await visitors.come('a1', 'a2', 'a3', 'a4');
    expect(visitors.order).toEqual(['a1', 'a2', 'a3']);
  });

  it('gives free places to clients in turn, and keeps the order of each', async () => {
    const visitors = new Visitors(new FairQueue({ places: 1 }));
    await visitors.come('a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1');
    await visitors.leave(6);
    expect(visitors.order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
  });

  it('gives a client that comes late the next place', async () => {
    const visitors = new Visitors(new FairQueue({ places: 1 }));
    await visitors.come(...Array.from({ length: 50 }, (_, index) => `a${index}`));
    await visitors.leave(10);
    await visitors.come('b');
    await visitors.leave(2);
    expect(visitors.order.slice(-2)).toEqual(['b', 'a11']);
  });

  it('gives no client more than its most, though places are free', async () => {
    const queue = new FairQueue({ places: 4, mostOfClient: 2 });
    const visitors = new Visitors(queue);
    await visitors.come('a1', 'a2', 'a3', 'b1');
    expect([visitors.order, queue.waiting]).toEqual([['a1', 'a2', 'b1'], 1]);
    await visitors.leave();
    expect([visitors.order, queue.waiting]).toEqual([['a1', 'a2', 'b1', 'a3'], 0]);
  });

  it('takes a place back once', async () => {
    const queue = new FairQueue({ places: 1 });
    const leave = await queue.enter('a');
    leave();
    leave();
    await queue.enter('a');
    let isIn = false;
    void queue.enter('a').then(() => {
      isIn = true;
    });
    await Promise.resolve();
    expect(isIn).toBe(false);
  });
});
