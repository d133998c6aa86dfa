import { beforeAll, expect, it } from 'vitest';
import type { EnvironmentRecord, EnvironmentStore } from '../../../shared/store/ports.ts';
import { describeStores } from '../../helpers/store-implementations.ts';

const record = (name: string, codeId: string, settled: string | null = null): EnvironmentRecord => ({
  name,
  codeId,
  deployedAt: 1000,
  by: 'somebody',
  settled,
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
    expect(await environments.replace(record('switch', 'b'), 'x')).toBe(false);
    const races = ['b1', 'b2', 'b3'].map((codeId) => environments.replace(record('switch', codeId), 'a'));
    expect((await Promise.all(races)).filter(Boolean)).toHaveLength(1);
  });

  it('settles the snapshot in force only', async () => {
    await environments.replace(record('settle', 'a', null), null);
    await environments.settle('settle', 'old');
    expect((await environments.get('settle'))?.settled).toBeNull();
    await environments.settle('settle', 'a');
    expect((await environments.get('settle'))?.settled).toBe('a');
    await environments.settle('nowhere', 'a');
  });

  it('deletes', async () => {
    await environments.replace(record('gone', 'a'), null);
    await environments.delete('gone');
    expect(await environments.get('gone')).toBeNull();
    expect(await environments.replace(record('gone', 'b'), 'a')).toBe(false);
  });
});
