import { beforeEach, describe, expect, it } from 'vitest';
import type { EnvironmentRecord } from '../../../shared/store/ports/environment-store.ts';
import { StoreUnavailable } from '../../../shared/store/ports/store-errors.ts';
import { RecentEnvironments } from '../../../shared/store/recent-environments.ts';
import { ManualClock, MemoryEnvironments } from '../../helpers/memory-stores.ts';

const first: EnvironmentRecord = {
  name: 'production',
  revision: 1,
  codeId: 'a',
  deployedAt: 0,
  by: 'test',
  settled: 1,
  history: [],
};
const second = { ...first, revision: 2, codeId: 'b' };

describe('RecentEnvironments', () => {
  let stored: MemoryEnvironments;
  let clock: ManualClock;
  let recent: RecentEnvironments;
  let reads: number;

  beforeEach(async () => {
    [stored, clock, reads] = [new MemoryEnvironments(), new ManualClock(), 0];
    await stored.replace(first, null);
    const read = stored.get.bind(stored);
    stored.get = (name) => {
      reads += 1;
      return read(name);
    };
    recent = new RecentEnvironments(stored, clock, 1000);
  });

  it('reads a record once in the time it was given, also one that does not exist', async () => {
    const asked = ['production', 'production', 'none', 'none'].map((name) => recent.get(name));
    expect(await Promise.all(asked)).toEqual([first, first, null, null]);
    expect(reads).toBe(2);
  });

  it('sees a deploy by another process after that time', async () => {
    await recent.get('production');
    await stored.replace(second, 1);
    clock.time += 999;
    expect(await recent.get('production')).toEqual(first);
    clock.time += 1;
    expect(await recent.get('production')).toEqual(second);
  });

  it('sees its own changes at once', async () => {
    await recent.get('production');
    await recent.replace(second, 1);
    expect(await recent.get('production')).toEqual(second);
    await recent.settle('production', 2);
    expect(await recent.get('production')).toEqual({ ...second, settled: 2 });
    await recent.delete('production');
    expect(await recent.get('production')).toBeNull();
  });

  it('passes on that a change failed', async () => {
    const failing = Object.assign(Object.create(stored) as typeof stored, {
      settle: () => Promise.reject(new Error('away')),
      delete: () => Promise.reject(new Error('away')),
    });
    const other = new RecentEnvironments(failing, clock, 1000);
    await expect(other.settle('production', 2)).rejects.toThrow('away');
    await expect(other.delete('production')).rejects.toThrow('away');
  });

  it('does not keep a failure', async () => {
    const read = stored.get;
    stored.get = () => Promise.reject(new StoreUnavailable('away'));
    await expect(recent.get('production')).rejects.toThrow('away');
    stored.get = read;
    expect(await recent.get('production')).toEqual(first);
  });
});
