import { describe, expect, it } from 'vitest';
import { BoundedCache } from '../../../shared/util/bounded-cache.ts';

describe('BoundedCache', () => {
  it('evicts the least recently used value alone', () => {
    const cache = new BoundedCache<string>(3);
    for (const name of ['a', 'b', 'c']) cache.set(name, name.toUpperCase());
    cache.get('a');
    cache.set('d', 'D');
    expect([...cache.keys()].sort()).toEqual(['a', 'c', 'd']);
  });

  it('evicts as many as a heavy value needs', () => {
    const cache = new BoundedCache<string>(10, (value) => value.length);
    cache.set('a', '1234');
    cache.set('b', '1234');
    cache.set('c', '12345678');
    expect([...cache.keys()]).toEqual(['c']);
  });

  it('keeps no value that weighs more than all may, and the others', () => {
    const cache = new BoundedCache<string>(5, (value) => value.length);
    cache.set('a', '123');
    cache.set('b', '123456');
    expect([...cache.keys()]).toEqual(['a']);
  });

  it('takes a value without weight', () => {
    const cache = new BoundedCache<string>(5, (value) => value.length);
    cache.set('a', '');
    expect(cache.get('a')).toBe('');
  });
});
