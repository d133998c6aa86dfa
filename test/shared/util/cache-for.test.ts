import { describe, expect, it } from 'vitest';
import { cacheFor } from '../../../shared/util/cache-for.ts';
import { ManualClock } from '../../helpers/memory-stores.ts';

describe('cacheFor', () => {
  it('shares one call for a time, and makes another one then', async () => {
    const clock = new ManualClock(0);
    let calls = 0;
    const read = cacheFor(1000, clock, async () => (calls += 1));
    expect(await Promise.all([read(), read()])).toEqual([1, 1]);
    clock.time += 999;
    expect(await read()).toBe(1);
    clock.time += 1;
    expect(await read()).toBe(2);
  });

  it('does not keep a failure', async () => {
    const answers = [Promise.reject(new Error('oh')), Promise.resolve('well')];
    const read = cacheFor(1000, new ManualClock(0), async () => answers.shift());
    await expect(read()).rejects.toThrow('oh');
    expect(await read()).toBe('well');
  });
});
