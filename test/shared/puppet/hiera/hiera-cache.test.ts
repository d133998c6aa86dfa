import { expect, it } from 'vitest';
import { HieraCache } from '../../../../shared/puppet/hiera/hiera-cache.ts';

it('reads what is in use once, however many other files are read', () => {
  const cache = new HieraCache(1000);
  const reads: string[] = [];
  const get = (path: string) =>
    cache.get(
      'yaml',
      path,
      'digest',
      () => reads.push(path),
      () => 100,
    );
  for (let other = 0; other < 100; other += 1) {
    get('common.yaml');
    get(`nodes/${other}.yaml`);
  }
  expect(reads.filter((path) => path === 'common.yaml')).toEqual(['common.yaml']);
});

it('reads an empty file once', () => {
  const cache = new HieraCache();
  let reads = 0;
  const get = () =>
    cache.get(
      'yaml',
      'empty.yaml',
      'digest',
      () => {
        reads += 1;
        return undefined;
      },
      () => 0,
    );
  expect([get(), get(), reads]).toEqual([undefined, undefined, 1]);
});
