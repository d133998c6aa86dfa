import { describe, expect, it } from 'vitest';
import { SharedCache } from '../../../../shared/http/files/shared-cache.ts';

describe('SharedCache', () => {
  it('makes a value once for all who wait for it, and for those who come later', async () => {
    const cache = new SharedCache<number>(2);
    let made = 0;
    const make = async () => {
      made += 1;
      return made;
    };
    expect(await Promise.all([cache.get('a', make), cache.get('a', make)])).toEqual([1, 1]);
    expect(await cache.get('a', make)).toBe(1);
  });

  it('makes one that failed again', async () => {
    const cache = new SharedCache<string>(2);
    await expect(cache.get('a', () => Promise.reject(new Error('no such blob')))).rejects.toThrow('no such blob');
    expect(await cache.get('a', async () => 'made')).toBe('made');
  });

  it('makes one anew that others displaced', async () => {
    const cache = new SharedCache<string>(2);
    for (const name of ['a', 'b', 'a', 'c']) await cache.get(name, async () => `first ${name}`);
    expect(await cache.get('a', async () => 'second a')).toBe('first a');
    expect(await cache.get('b', async () => 'second b')).toBe('second b');
  });
});
