import { beforeAll, expect, it } from 'vitest';
import type { EnvironmentRecord, EnvironmentStore } from '../../../shared/store/ports/environment-store.ts';
import { describeStores } from '../../helpers/store-implementations.ts';

const record = (name: string, codeId: string, revision = 1): EnvironmentRecord => ({
  name,
  revision,
  codeId,
  deployedAt: 1000,
  by: 'somebody',
  settled: 0,
  history: [],
});

describeStores('EnvironmentStore', (open) => {
  let environments: EnvironmentStore;
  beforeAll(async () => {
    environments = (await open()).environments;
  });

  it('keeps and lists environments', async () => {
    expect(await environments.get('production')).toBeNull();
    expect(await environments.replace(record('production', 'one'), null)).toBe(true);
    expect(await environments.replace(record('development', 'one'), null)).toBe(true);
    expect(await environments.get('production')).toEqual(record('production', 'one'));
    expect((await environments.list()).map(({ name }) => name)).toEqual(['development', 'production']);
  });

  it('switches only from the snapshot that the caller saw', async () => {
    await environments.replace(record('switch', 'a'), null);
    expect(await environments.replace(record('switch', 'b'), null)).toBe(false);
    expect(await environments.replace(record('switch', 'b', 3), 2)).toBe(false);
    const races = ['b1', 'b2', 'b3'].map((codeId) => environments.replace(record('switch', codeId, 2), 1));
    expect((await Promise.all(races)).filter(Boolean)).toHaveLength(1);
  });

  it('settles the revision in force only', async () => {
    await environments.replace(record('settle', 'a', 2), null);
    await environments.settle('settle', 1);
    expect((await environments.get('settle'))?.settled).toBe(0);
    await environments.settle('settle', 2);
    expect((await environments.get('settle'))?.settled).toBe(2);
    await environments.settle('nowhere', 1);
  });

  it('keeps a stage, and makes no write that was meant before it', async () => {
    await environments.replace({ ...record('staged', 'a', 4), settled: 4 }, null);
    const plan = { waitMs: 1, whenGood: 'hold', whenWorse: 'hold', whenLate: 'hold', countsChanges: false } as const;
    const stage = { number: 5, codeId: 'b', begunAt: 7, by: 'jane', canaries: ['web1', 'web2'], plan };
    const staged = { ...record('staged', 'a', 5), settled: 5, stage };
    expect(await environments.replace(staged, 4)).toBe(true);
    await environments.settle('staged', 4);
    expect(await environments.replace(record('staged', 'a', 5), 4)).toBe(false);
    await environments.settle('staged', 5);
    expect(await environments.get('staged')).toEqual(staged);
    expect((await environments.list()).find(({ name }) => name === 'staged')).toEqual(staged);
  });

  it('deletes', async () => {
    await environments.replace(record('gone', 'a'), null);
    await environments.delete('gone');
    expect(await environments.get('gone')).toBeNull();
    expect(await environments.replace(record('gone', 'b', 2), 1)).toBe(false);
  });
});
