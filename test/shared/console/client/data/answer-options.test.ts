import { expect, it } from 'vitest';
import { followNode } from '../../../../../shared/console/client/data/answer-options.ts';

it.each([
  ['of the node', { certname: 'a' }, true],
  ['of another node', { certname: 'b' }, false],
  ['that names no node', { id: 1 }, true],
  ['that was polled for', undefined, true],
])('follows an event %s: %s', (_what, data, follows) => {
  expect(followNode('a').concerns?.(data)).toBe(follows);
});

it('follows events of nodes unless others are named', () => {
  expect(followNode('a').events).toEqual(['node']);
  expect(followNode('a', ['report']).events).toEqual(['report']);
});
