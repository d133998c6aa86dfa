import { describe, expect, it } from 'vitest';
import { type RequestSender, RequestShares } from '../../../../shared/http/listener/request-shares.ts';

const [NODE, OTHER]: readonly RequestSender[] = [
  { client: 'AA:01', token: null },
  { client: 'AA:02', token: null },
];

/** Requests that come at once, and how many of them are worked on. */
class Crowd {
  readonly #inside: (() => void)[] = [];

  constructor(shares: RequestShares, requester: RequestSender | undefined, count: number) {
    if (requester === undefined) return;
    for (let one = 0; one < count; one += 1) void shares.enter(requester).then((leave) => this.#inside.push(leave));
  }

  get inside(): number {
    return this.#inside.length;
  }

  /** One is answered. */
  end(): void {
    this.#inside.shift()?.();
  }
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

function openShares(share: { busy: number }): RequestShares {
  const shares = new RequestShares(() => share.busy);
  shares.look();
  return shares;
}

describe('while the thread is busy', () => {
  it('a client has a few requests in progress, and each that ends lets in the next', async () => {
    const shares = openShares({ busy: 0.9 });
    const storm = new Crowd(shares, NODE, 16);
    await settle();
    expect(storm.inside).toBe(4);
    storm.end();
    await settle();
    expect(storm.inside).toBe(4);
  });

  it('another client does not wait', async () => {
    const shares = openShares({ busy: 0.9 });
    const storm = new Crowd(shares, NODE, 1000);
    const other = new Crowd(shares, OTHER, 1);
    await settle();
    expect([storm.inside, other.inside]).toEqual([4, 1]);
  });

  it('users of one address have a share each, and the address has a larger one', async () => {
    const shares = openShares({ busy: 0.9 });
    const users = Array.from(
      { length: 6 },
      (_, user) => new Crowd(shares, { client: '10.0.0.1', token: `${user}` }, 8),
    );
    await settle();
    const counts = users.map(({ inside }) => inside);
    expect(Math.max(...counts)).toBeLessThanOrEqual(4);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(16);
  });

  it('work that lasts for long makes room', async () => {
    const shares = openShares({ busy: 0.9 });
    const held = new Crowd(shares, NODE, 5);
    await settle();
    for (let looks = 0; looks < 9; looks += 1) shares.look();
    await settle();
    expect(held.inside).toBe(4);
    shares.look();
    await settle();
    expect(held.inside).toBe(5);
    // Its own end changes nothing any more.
    held.end();
    const more = new Crowd(shares, NODE, 5);
    await settle();
    expect(more.inside).toBe(3);
  });
});

describe('while the thread is not busy', () => {
  it('nobody waits', async () => {
    const crowd = new Crowd(openShares({ busy: 0.1 }), NODE, 100);
    await settle();
    expect(crowd.inside).toBe(100);
  });

  it('those who waited go on', async () => {
    const share = { busy: 0.9 };
    const shares = openShares(share);
    const crowd = new Crowd(shares, NODE, 100);
    share.busy = 0.1;
    shares.look();
    await settle();
    expect(crowd.inside).toBe(100);
  });
});
