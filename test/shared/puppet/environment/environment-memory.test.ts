import { expect, it } from 'vitest';
import { EnvironmentMemory } from '../../../../shared/puppet/environment/environment-memory.ts';

it('evicts the values that were not used in the last generation', () => {
  const memory = new EnvironmentMemory(2);
  const put = (key: string) => memory.set(key, { value: key, seen: new Map() });
  for (const key of ['a', 'b', 'c']) put(key);
  expect(memory.get('a')?.value).toBe('a');
  put('d');
  expect(['a', 'b', 'c', 'd'].map((key) => memory.get(key)?.value)).toEqual(['a', undefined, 'c', 'd']);
});
