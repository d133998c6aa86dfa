/**
 * Values of one key from several places, merged as Puppet's MergeStrategy (7.23) does it. `null` is
 * a place without the key.
 */
import { describe, expect, it } from 'vitest';
import { mergeStrategy } from '../../../../shared/puppet/hiera/merge-strategy.ts';
import { parseJson } from '../../../../shared/puppet/serialization/json.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';
import type { Value } from '../../../../shared/puppet/types/values/values.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

const MERGES: readonly (readonly [merge: Json, values: readonly Json[], expected: Json])[] = [
  ['first', ['a', 'b'], 'a'],
  ['default', ['a', 'b'], 'a'],
  [null, ['a', 'b'], 'a'],
  ['first', [null, 'b'], 'b'],
  ['unique', ['a', 'b'], ['a', 'b']],
  ['unique', ['a', 'a'], ['a']],
  [
    'unique',
    [
      ['a', 'b'],
      ['b', 'c'],
    ],
    ['a', 'b', 'c'],
  ],
  ['unique', ['a', ['b', ['c']]], ['a', 'b', 'c']],
  ['unique', [['a', 'a']], ['a']],
  ['unique', ['a'], 'a'],
  ['unique', [{ a: 1 }, 'b'], [{ a: 1 }, 'b']],
  ['hash', [{ a: 1 }, { a: 2, b: 3 }], { a: 1, b: 3 }],
  ['hash', [{ a: { x: 1 } }, { a: { y: 2 } }], { a: { x: 1 } }],
  ['hash', [{ a: 1 }], { a: 1 }],
  ['hash', ['a'], 'a'],
  ['hash', [{ b: 1 }, { a: 2 }], { a: 2, b: 1 }],
  ['deep', [{ a: { x: 1 } }, { a: { y: 2 } }], { a: { y: 2, x: 1 } }],
  ['deep', [{ a: [1, 2] }, { a: [2, 3] }], { a: [2, 3, 1] }],
  ['deep', [['a'], ['b', 'a']], ['b', 'a']],
  ['deep', ['a', 'b'], 'a'],
  ['deep', [{ a: 1 }, { a: [2] }], { a: 1 }],
  ['deep', [{ a: null }, { a: 1 }], { a: 1 }],
  ['deep', [{ a: 1 }, { a: null }], { a: 1 }],
  ['deep', [{ a: false }, { a: true }], { a: false }],
  ['deep', [{ a: {} }, { a: 1 }], { a: 1 }],
  ['deep', [{ a: { b: 1 } }, { a: 'x' }], { a: { b: 1 } }],
  ['deep', [{ a: 1 }, { b: 2 }, { c: 3 }], { c: 3, b: 2, a: 1 }],
  ['deep', [['a'], { b: 1 }], ['a']],
  [{ strategy: 'deep', knockout_prefix: '--' }, [{ a: ['--x', 'y'] }, { a: ['x', 'z'] }], { a: ['z', 'y'] }],
  [{ strategy: 'deep', knockout_prefix: '--' }, [{ a: '--x' }, { a: 'x' }], { a: '' }],
  [{ strategy: 'deep', knockout_prefix: '--' }, [{ a: ['--'] }, { a: ['x'] }], { a: [] }],
  [{ strategy: 'deep', knockout_prefix: '--' }, [{ a: '--' }, { a: { b: 1 } }], { a: '' }],
  [{ strategy: 'deep', knockout_prefix: '--' }, [{ a: ['--x', 'y'] }, { b: 1 }], { b: 1, a: ['y'] }],
  [{ strategy: 'deep', sort_merged_arrays: true }, [['b'], ['c', 'a']], ['a', 'b', 'c']],
  [{ strategy: 'deep', sort_merged_arrays: true }, [{ a: [3] }, { a: [10, 2] }], { a: [2, 3, 10] }],
  [{ strategy: 'deep', merge_hash_arrays: true }, [[{ a: 1 }], [{ b: 2 }, { c: 3 }]], [{ b: 2, a: 1 }, { c: 3 }]],
  [{ strategy: 'deep', merge_hash_arrays: true }, [[{ a: 1 }, { z: 0 }], [{ a: 2 }]], [{ a: 1 }, { z: 0 }]],
  [{ strategy: 'deep' }, [[{ a: 1 }], [{ b: 2 }]], [{ b: 2 }, { a: 1 }]],
  [{ strategy: 'deep', merge_hash_arrays: true }, [[1], [{ b: 2 }]], [{ b: 2 }, 1]],
  [{ strategy: 'unconstrained_deep', overwrite_arrays: true }, [{ a: [1] }, { a: [2] }], { a: [1] }],
  [{ strategy: 'unconstrained_deep', unpack_arrays: ',' }, [{ a: ['1,2'] }, { a: ['2,3'] }], { a: ['2', '3', '1'] }],
  [{ strategy: 'unconstrained_deep', extend_existing_arrays: true }, [{ a: 1 }, { a: [2] }], { a: [2, 1] }],
  [
    { strategy: 'unconstrained_deep', extend_existing_arrays: true },
    [{ a: { b: 1 } }, { a: [2] }],
    { a: [2, { b: 1 }] },
  ],
  ['reverse_deep', [{ a: 1 }, { a: 2, b: 3 }], { a: 2, b: 3 }],
  ['reverse_deep', [['a'], ['b']], ['a', 'b']],
  ['unconstrained_deep', [{ a: 1 }, { a: 2, b: 3 }], { a: 1, b: 3 }],
  [{ strategy: 'hash' }, [{ a: 1 }, { b: 2 }], { b: 2, a: 1 }],
  [{ strategy: 'unique' }, [['a'], ['b']], ['a', 'b']],
  [{ strategy: 'deep', knockout_prefix: '--' }, [{ a: { n: ['--x', 'x', 'y'] } }, { b: 1 }], { b: 1, a: { n: [] } }],
  [
    { strategy: 'deep', knockout_prefix: '--' },
    [{ a: ['x', '--x', 'y', '--q', 'z'] }, { b: 1 }],
    { b: 1, a: ['y', 'z', 'x'] },
  ],
  [{ strategy: 'deep', knockout_prefix: '--' }, [{ a: { n: ['--'] } }, { b: 1 }], { b: 1, a: { n: [] } }],
  [{ strategy: 'deep', merge_hash_arrays: true }, [{ a: [{ x: ['p', 'p'] }] }, { b: 1 }], { b: 1, a: [{ x: ['p'] }] }],
  [
    { strategy: 'deep', merge_hash_arrays: true },
    [{ a: { n: [{ x: 1 }, { x: 1 }] } }, { b: 1 }],
    { b: 1, a: { n: [{ x: 1 }, { x: 1 }] } },
  ],
  [{ strategy: 'deep' }, [{ a: { n: [{ x: 1 }, { x: 1 }] } }, { b: 1 }], { b: 1, a: { n: [{ x: 1 }] } }],
  [{ strategy: 'deep' }, [{ a: { n: ['p', 'p'] } }, { b: 1 }], { b: 1, a: { n: ['p'] } }],
  [
    { strategy: 'unconstrained_deep', overwrite_arrays: true },
    [{ a: { n: ['p', 'p'] } }, { b: 1 }],
    { b: 1, a: { n: ['p', 'p'] } },
  ],
  [
    { strategy: 'unconstrained_deep', unpack_arrays: ',' },
    [{ a: { n: ['p,q', 'q'] } }, { b: 1 }],
    { b: 1, a: { n: ['p', 'q'] } },
  ],
  [
    { strategy: 'unconstrained_deep', merge_hash_arrays: true },
    [{ a: [{ x: 1 }] }, { a: [{ y: 2 }] }],
    { a: [{ y: 2, x: 1 }] },
  ],
  [{ strategy: 'reverse_deep', sort_merged_arrays: true }, [['b'], ['a']], ['a', 'b']],
  [{ strategy: 'default' }, ['a'], 'a'],
  [{ strategy: 'reverse_deep', knockout_prefix: '--' }, [{ a: ['x'] }, { a: ['--x', 'y'] }], { a: ['y'] }],
];

const ERRORS: readonly (readonly [merge: Json, values: readonly Json[], message: string])[] = [
  ['hash', [{ a: 1 }, 'b'], 'The second element of the merge has wrong type, expects a Hash value, got String'],
  [{ strategy: 'deep', sort_merged_arrays: true }, [['b'], [1]], 'comparison of Integer with String failed'],
  ['nosuch', ['a', 'b'], "Unknown merge strategy: 'nosuch'"],
  [
    { knockout_prefix: '--' },
    ['a'],
    "The hash given as 'merge' must contain the name of a strategy in string form for the key 'strategy'",
  ],
  [{ strategy: 'deep', nosuch: 1 }, [{}, {}], "The merge options has wrong type, unrecognized key 'nosuch'"],
  [
    { strategy: 'deep', knockout_prefix: 1 },
    [{}, {}],
    "The merge options has wrong type, entry 'knockout_prefix' expects a value of type Undef or String, got Integer",
  ],
  [{ strategy: 'deep', knockout_prefix: '' }, [{}, {}], 'knockout_prefix cannot be an empty string in deep_merge!'],
  [{ strategy: 'first', x: 1 }, ['a'], "The merge options has wrong type, unrecognized key 'x'"],
  [{ strategy: 'deep', sort_merged_arrays: true }, [['b'], [null]], 'comparison of NilClass with String failed'],
  [{ strategy: 'deep', sort_merged_arrays: true }, [['b'], [true]], 'comparison of TrueClass with String failed'],
  [{ strategy: 'deep', sort_merged_arrays: true }, [['b'], [1.5]], 'comparison of Float with String failed'],
  [{ strategy: 'deep', sort_merged_arrays: true }, [[{ a: 1 }], ['b']], 'comparison of String with Hash failed'],
  [{ strategy: 'deep', sort_merged_arrays: true }, [[['a']], ['b']], 'comparison of String with Array failed'],
  [{ strategy: 'deep', sort_merged_arrays: true }, [['a'], [{ b: 1 }]], 'comparison of Hash with String failed'],
];

function puppet(value: Json): Value {
  return parseJson(JSON.stringify(value));
}

function merged(merge: Json, values: readonly Json[]): Value | undefined {
  const find = (value: Json) => (value === null ? undefined : puppet(value));
  return mergeStrategy(puppet(merge)).lookup(values, find, null);
}

describe('mergeStrategy', () => {
  it.each(MERGES)('%j makes of %j', (merge, values, expected) => {
    const result = merged(merge, values);
    expect(result).toEqual(puppet(expected));
    expect(keysOf(result)).toEqual(keysOf(puppet(expected)));
  });

  it.each(ERRORS)('%j refuses %j', (merge, values, message) => {
    expect(() => merged(merge, values)).toThrow(expect.objectContaining({ message }));
  });

  it('knows no value where no place has one', () => {
    for (const merge of ['first', 'hash', 'unique', 'deep']) expect(merged(merge, [null, null])).toBeUndefined();
  });
});

/** The order of a hash's keys, which equality leaves out. */
function keysOf(value: Value | undefined): readonly Value[] {
  return value instanceof PuppetHash ? [...value.keys()] : [];
}
