import { describe, expect, it } from 'vitest';
import { arrangeTargets, listLevels } from '../../../../shared/orchestrator/jobs/arrange-targets.ts';

const waits = (before: readonly string[], after: readonly string[], reason = 'x') => ({ before, after, reason });
const levelsOf = (names: readonly string[], ...precedences: readonly ReturnType<typeof waits>[]) =>
  listLevels(arrangeTargets(names, precedences));

describe('the levels of a run order', () => {
  it.each([
    ['without dependencies', [], [['c', 'a', 'b', 'd']]],
    ['of a chain', [waits(['a'], ['b']), waits(['b'], ['c']), waits(['c'], ['d'])], [['a'], ['b'], ['c'], ['d']]],
    [
      'of all before all',
      [waits(['a', 'b'], ['c', 'd'])],
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['of the longest way', [waits(['a'], ['d']), waits(['a'], ['b']), waits(['b'], ['d'])], [['c', 'a'], ['b'], ['d']]],
    ['of nodes that are not all there', [waits(['x', 'a'], ['b', 'y']), waits(['x'], ['c'])], [['c', 'a', 'd'], ['b']]],
    ['of one that would wait for itself', [waits(['a'], ['a', 'b'])], [['c', 'a', 'd'], ['b']]],
    ['of one that waits for the others', [waits(['a', 'b', 'c'], ['c', 'd'])], [['a', 'b'], ['c'], ['d']]],
  ] as const)('%s', (_, precedences, levels) => {
    expect(levelsOf(['c', 'a', 'b', 'd'], ...precedences)).toEqual(levels);
  });

  it('are found in time for many nodes that wait for many', () => {
    const names = Array.from({ length: 100_000 }, (_, index) => `n${index}`);
    const [first, then] = [names.slice(0, 50_000), names.slice(50_000)];
    const targets = arrangeTargets(names, [waits(first, then)]);
    expect(targets.levels).toEqual([50_000, 50_000]);
    expect(targets.barriers).toHaveLength(1);
  });

  it.each([
    [
      [waits(['a'], ['b'], 'r1'), waits(['b'], ['a'], 'r2')],
      'The run order has a cycle: a waits for b (r2), b waits for a (r1)',
      ['a', 'b'],
    ],
    [
      [waits(['a', 'b', 'c'], ['a', 'b', 'c'], 'they collect')],
      'The run order has a cycle: a waits for b (they collect), b waits for a (they collect)',
      ['a', 'b'],
    ],
    [
      [waits(['d'], ['a'], '1'), waits(['a'], ['b'], '2'), waits(['b'], ['c'], '3'), waits(['c'], ['b'], '4')],
      'The run order has a cycle: c waits for b (3), b waits for c (4)',
      ['c', 'b'],
    ],
  ])('are refused when they have a cycle', (precedences, message, nodes) => {
    const arrange = () => arrangeTargets(['c', 'a', 'b', 'd'].sort(), precedences);
    expect(arrange).toThrow(expect.objectContaining({ kind: 'puppetlabs.orchestrator/dependency-cycle', status: 400 }));
    try {
      arrange();
    } catch (error) {
      const { message: found, details } = error as { message: string; details: { nodes: string[] } };
      expect(new Set(details.nodes)).toEqual(new Set(nodes));
      expect(found.split(': ')[0]).toBe(message.split(': ')[0]);
      expect(found.split(': ')[1]?.split(', ').sort()).toEqual(message.split(': ')[1]?.split(', ').sort());
    }
  });
});
