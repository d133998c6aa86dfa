import { expect, it } from 'vitest';
import type { GroupsHead } from '../../../shared/store/ports/group-store.ts';
import { describeStores } from '../../helpers/store-implementations.ts';

const FIRST: GroupsHead = {
  version: 1,
  revision: 1,
  digest: 'a'.repeat(64),
  history: [],
  changedAt: 1_795_000_000_000,
  settled: 0,
  cursor: null,
};

const NODE = 'app7.example.net';

describeStores('GroupStore', (open) => {
  it('gives back what was written last', async () => {
    const { groups } = await open();
    expect(await groups.get()).toBeNull();
    expect(await groups.replace(FIRST, null)).toBe(true);
    expect(await groups.get()).toEqual(FIRST);
    const next = { ...FIRST, version: 2, history: [FIRST.digest], cursor: 'app7.example.net', settled: 1 };
    expect(await groups.replace(next, 1)).toBe(true);
    expect(await groups.get()).toEqual(next);
  });

  it('gives the record together with that of a node', async () => {
    const { groups, nodes } = await open();
    expect(await groups.getWithNode(NODE)).toEqual({ head: null, node: null });
    await nodes.markSeen(NODE, 'production', 5);
    expect(await groups.getWithNode(NODE)).toEqual({ head: null, node: await nodes.get(NODE) });
    await groups.replace(FIRST, null);
    expect(await groups.getWithNode(NODE)).toEqual({ head: FIRST, node: await nodes.get(NODE) });
    expect(await groups.getWithNode('other.example.net')).toEqual({ head: FIRST, node: null });
  });

  it('writes only over the expected version', async () => {
    const { groups } = await open();
    expect(await groups.replace({ ...FIRST, version: 2 }, 1)).toBe(false);
    expect(await groups.get()).toBeNull();
    await groups.replace(FIRST, null);
    expect(await groups.replace(FIRST, null)).toBe(false);
    const writes = ['b', 'c', 'd'].map((one) => groups.replace({ ...FIRST, version: 2, digest: one }, 1));
    expect((await Promise.all(writes)).filter(Boolean)).toHaveLength(1);
  });
});
