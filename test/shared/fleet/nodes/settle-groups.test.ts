import { expect, it } from 'vitest';
import { storeFacts } from '../../../../shared/fleet/facts/facts-blob.ts';
import { GroupService } from '../../../../shared/fleet/groups/group-service.ts';
import { ROOT_ID, readGroupBody } from '../../../../shared/fleet/groups/node-group.ts';
import { listNotedChanges } from '../../../../shared/fleet/nodes/noted-changes.ts';
import { settleGroups } from '../../../../shared/fleet/nodes/settle-groups.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';
import { StoreUnavailable } from '../../../../shared/store/ports/store-errors.ts';
import type { Stores } from '../../../../shared/store/ports/stores.ts';
import { CountingSecrets } from '../../../helpers/access-world.ts';
import { listClasses, openUnlinkedStores } from '../../../helpers/classifier-door.ts';
import { FaultyStores } from '../../../helpers/faulty-stores.ts';
import { ManualClock, MemoryBlobs } from '../../../helpers/memory-stores.ts';

const NODES = Array.from({ length: 30 }, (_, index) => `n${String(index).padStart(2, '0')}`);

async function openFleet(): Promise<{ readonly stores: Stores; readonly groups: GroupService }> {
  const clock = new ManualClock();
  const stores = { ...openUnlinkedStores(clock), blobs: new MemoryBlobs(clock) };
  for (const [index, name] of NODES.entries()) {
    await stores.nodes.markSeen(name, 'production', 1);
    await stores.nodes.want(name, 'first catalog', 1, { asked: false });
    await stores.nodes.lease(name, 1, 2, 'job');
    const facts = PuppetHash.of([['number', BigInt(index)]]);
    const said = { facts, trusted: PuppetHash.of([['certname', name]]) };
    await stores.nodes.factsStored(name, await storeFacts(stores.blobs, said, 1));
  }
  return { stores, groups: new GroupService({ ...stores, secrets: new CountingSecrets() }, listClasses({})) };
}

it.each([1, 2, 3])(
  'invalidates every node of the groups in force, whichever calls of the stores fail (%i)',
  async (seed) => {
    const { stores, groups } = await openFleet();
    const content = { name: 'High', parent: ROOT_ID, classes: {}, rule: ['>=', ['fact', 'number'], '20'] };
    const { id } = (await groups.create(readGroupBody(content, false))).group;
    const faulty = new FaultyStores(stores, seed);
    faulty.rate = 0.05;
    const invalidated = new Set<string>();
    for (let pass = 0; pass < 500 && (await stores.groups.get())?.settled !== 3; pass += 1) {
      if (pass === 3) await groups.edit(id, readGroupBody({ variables: { zone: 'b' } }, true));
      if (pass === 6) await groups.edit(id, readGroupBody({ rule: ['>=', ['fact', 'number'], '10'] }, true));
      const settled = await settleGroups(faulty.stores).catch((error: unknown) => {
        if (!(error instanceof StoreUnavailable)) throw error;
        return null;
      });
      for (const name of settled?.changed ?? []) invalidated.add(name);
      if (pass < 6 && settled?.isSettled) faulty.rate = 0.3;
    }
    expect((await stores.groups.get())?.settled).toBe(3);
    for (const [index, name] of NODES.entries()) {
      const node = await stores.nodes.get(name);
      const expected = index < 10 ? null : { classes: {}, parameters: { zone: 'b' }, environment: 'production' };
      expect([name, node?.grouping?.classification ?? null]).toEqual([name, expected]);
      expect([name, (node?.wanted ?? 0) > 1]).toEqual([name, index >= 10]);
    }
    expect(faulty.failed).toBeGreaterThan(0);
  },
);

it('is safe when several processes invalidate the nodes at once', async () => {
  const { stores, groups } = await openFleet();
  const content = { name: 'All', parent: ROOT_ID, classes: {}, rule: ['~', 'name', '.'], variables: { zone: 'a' } };
  await groups.create(readGroupBody(content, false));
  const change = { summary: 'node group created: All', user: 'alice' };
  // The feeder, which does not know who made it, and two who do.
  const passes = [undefined, change, change].map((known) => settleGroups(stores, undefined, undefined, known));
  await Promise.all(passes);
  expect((await settleGroups(stores)).isSettled).toBe(true);
  const wanted = await Promise.all(NODES.map(async (name) => (await stores.nodes.get(name))?.wanted));
  expect(new Set(wanted)).toEqual(new Set([2]));
  const [noted, ...others] = await listNotedChanges(stores, 10);
  expect([noted, others]).toMatchObject([{ ...change, kind: 'groups', count: NODES.length }, []]);
  expect(noted?.nodes.map(({ certname }) => certname).toSorted()).toEqual(NODES);
});
