import { expect, it } from 'vitest';
import { countToMove } from '../../../../shared/orchestrator/broker/rebalance.ts';

it.each<[number, readonly number[], number]>([
  [1000, [1000], 0],
  [0, [0, 90_000], 0],
  // A second broker came: 85% of the mean stay open to the other.
  [1000, [1000, 0], 1],
  [50_000, [50_000, 0], 50],
  [20_000, [20_000, 0, 40_000], 0],
  // Within 15% of the mean, or 50 connections of it.
  [57_000, [57_000, 43_000], 0],
  [100, [100, 0], 0],
  [60_000, [60_000, 40_000], 50],
])('a broker of %j among %j closes %j a second', (own, held, count) => {
  expect(countToMove(own, held)).toBe(count);
});

it('comes to rest, and moves no more than is too many', () => {
  let [own, other] = [10_000, 0];
  let moved = 0;
  for (let second = 0; second < 3600; second += 1) {
    const count = countToMove(own, [own, other]);
    moved += count;
    // A load balancer gives half of them back.
    own -= Math.floor(count / 2);
    other += Math.floor(count / 2);
  }
  expect(countToMove(own, [own, other])).toBeLessThanOrEqual(1);
  expect(own).toBeLessThan(5850);
  expect(moved).toBeLessThan(10_000);
});
