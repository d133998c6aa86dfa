import { expect, it } from 'vitest';
import { RubyRandom } from '../../../../shared/puppet/ruby-core/ruby-random.ts';

// Recorded from Ruby 3.1: Random.new(seed).rand(limit), three times.
it.each([
  [0n, 4294967297n, [2546248239n, 1277901399n, 243580376n]],
  [42n, 100n, [51n, 92n, 14n]],
  [8589934592n, 1000000000000n, [758859086886n, 81618502459n, 575281025805n]],
  [12345678901234567890n, 10n, [7n, 7n, 2n]],
  [340282366920938463463374607431768211455n, 100n, [72n, 0n, 31n]],
])('seed %d below %d', (seed, limit, expected) => {
  const random = new RubyRandom(seed);
  expect([random.drawInteger(limit), random.drawInteger(limit), random.drawInteger(limit)]).toEqual(expected);
});

it('has no number below zero', () => {
  expect(new RubyRandom(1n).drawInteger(0n)).toBeNull();
});
