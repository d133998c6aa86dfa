import { describe, expect, it } from 'vitest';
import { PuppetHash } from '../../../../../shared/puppet/types/values/puppet-hash.ts';
import type { Value } from '../../../../../shared/puppet/types/values/values.ts';

const COUNT = 100;

/** `k0 => 0`, `k1 => 1`, ..: large enough for its table to be shared. */
function large(count = COUNT): PuppetHash {
  return PuppetHash.of(Array.from({ length: count }, (_, index) => [`k${index}`, index] as const));
}

const over = (hash: PuppetHash, ...entries: readonly (readonly [Value, Value])[]) => hash.merge(PuppetHash.of(entries));
const keys = (hash: PuppetHash) => [...hash.keys()];

describe('PuppetHash.copy', () => {
  it.each([
    ['k', 'v'],
    [['list'], 'v'],
  ] as const)('gives a hash of its own, with a key like %s', (key, value) => {
    const hash = PuppetHash.of([
      [key, value],
      ['other', 1],
    ] as readonly (readonly [Value, Value])[]);
    hash.freeze();
    const copy = hash.copy();
    copy.set('more', 2);
    copy.delete('other');
    expect([keys(copy), copy.get(key), copy.isFrozen]).toEqual([[key, 'more'], value, false]);
    expect([keys(hash), hash.size]).toEqual([[key, 'other'], 2]);
  });

  it('copies what a merge shares', () => {
    const hash = large();
    const merged = over(hash, ['more', null]);
    expect([hash.copy().size, merged.copy().size, hash.size, merged.size]).toEqual([
      COUNT,
      COUNT + 1,
      COUNT,
      COUNT + 1,
    ]);
  });
});

describe('PuppetHash.merge', () => {
  it('leaves both hashes as they are', () => {
    const hash = large();
    const merged = over(hash, ['k1', 'new'], ['more', null]);
    expect([merged.get('k1'), merged.get('more'), merged.size]).toEqual(['new', null, COUNT + 1]);
    expect([hash.get('k1'), hash.has('more'), hash.size]).toEqual([1, false, COUNT]);
    expect(keys(hash)).toEqual(keys(large()));
    expect(keys(merged)).toEqual([...keys(large()), 'more']);
  });

  it('keeps every version of a hash that grew step by step, whichever is looked at first', () => {
    const versions = [large()];
    for (let step = 0; step < COUNT; step += 1) {
      const last = versions.at(-1) ?? large();
      versions.push(over(last, [`k${step}`, `changed ${step}`], [`added ${step}`, step]));
    }
    for (const place of [50, 0, 99, 100, 1, 75]) {
      const version = versions[place];
      expect(version?.size).toBe(COUNT + place);
      expect(version?.get(`k${place}`)).toBe(place === COUNT ? undefined : place);
      if (place > 0) expect(version?.get(`k${place - 1}`)).toBe(`changed ${place - 1}`);
      expect(version?.has(`added ${place}`)).toBe(false);
    }
  });

  it('gives each of two hashes that were made of one its own entries', () => {
    const base = large();
    const left = over(base, ['a', 'left']);
    const right = over(base, ['a', 'right'], ['b', 1]);
    const again = over(left, ['k0', 'again']);
    expect([left.get('a'), right.get('a'), base.has('a')]).toEqual(['left', 'right', false]);
    expect([left.has('b'), left.get('k0'), again.get('k0'), again.get('a')]).toEqual([false, 0, 'again', 'left']);
  });

  it('does not change what is being iterated', () => {
    const hash = large();
    const seen: Value[] = [];
    for (const [key] of hash.entries()) {
      seen.push(key);
      over(hash, [`beside ${String(key)}`, 1]);
    }
    expect(seen).toEqual(keys(large()));
  });

  it('knows nothing of what is set or deleted afterwards in the other', () => {
    const hash = large();
    const merged = over(hash, ['a', 1]);
    merged.set('b', 2);
    merged.delete('k1');
    expect([hash.has('a'), hash.has('b'), hash.has('k1')]).toEqual([false, false, true]);
    const next = over(merged, ['c', 3]);
    merged.set('d', 4);
    expect([next.has('b'), next.has('c'), next.has('d'), merged.has('c')]).toEqual([true, true, false, false]);
    const replaced = over(next, ['e', 5]);
    next.replaceEntries([['only', 1]]);
    expect([keys(next), replaced.get('c')]).toEqual([['only'], 3]);
  });

  it('compares keys of other kinds by value', () => {
    const hash = large();
    const merged = over(hash, [['a', 1n], 'list'], [-0, 'zero']);
    expect([merged.get(['a', 1n]), merged.get(-0), hash.get(['a', 1n])]).toEqual(['list', 'zero', undefined]);
    expect(keys(merged).slice(COUNT)).toEqual([['a', 1n], -0]);
  });

  it('lays a hash over itself', () => {
    const hash = large();
    expect(keys(hash.merge(hash))).toEqual(keys(large()));
  });
});
