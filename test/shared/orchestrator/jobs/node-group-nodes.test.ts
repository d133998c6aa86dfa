import { beforeEach, expect, it } from 'vitest';
import { storeFacts } from '../../../../shared/fleet/facts/facts-blob.ts';
import { GroupService } from '../../../../shared/fleet/groups/group-service.ts';
import { ROOT_ID, readGroupBody } from '../../../../shared/fleet/groups/node-group.ts';
import { ClassifierNodes } from '../../../../shared/orchestrator/jobs/node-group-nodes.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';
import type { Stores } from '../../../../shared/store/ports/stores.ts';
import { CountingSecrets } from '../../../helpers/access-world.ts';
import { listClasses, openUnlinkedStores } from '../../../helpers/classifier-door.ts';
import { ManualClock, MemoryBlobs } from '../../../helpers/memory-stores.ts';

let stores: Stores;
let nodes: ClassifierNodes;
let groups: GroupService;

beforeEach(async () => {
  const clock = new ManualClock();
  stores = { ...openUnlinkedStores(clock), blobs: new MemoryBlobs(clock) };
  nodes = new ClassifierNodes(stores);
  groups = new GroupService({ ...stores, secrets: new CountingSecrets() }, listClasses({}));
  for (const [name, tier] of [
    ['b', 'web'],
    ['a', 'web'],
    ['c', 'db'],
  ] as const) {
    await stores.nodes.markSeen(name, 'production', 1);
    const facts = PuppetHash.of([['tier', tier]]);
    const said = { facts, trusted: PuppetHash.of([['certname', name]]) };
    await stores.nodes.factsStored(name, await storeFacts(stores.blobs, said, 1));
  }
  await stores.nodes.markSeen('without-facts', 'production', 1);
});

const create = async (name: string, more: object) =>
  (await groups.create(readGroupBody({ name, parent: ROOT_ID, classes: {}, ...more }, false))).group.id;

it('are those that match the rules of the group and of all above it', async () => {
  const web = await create('Web', { rule: ['=', ['fact', 'tier'], 'web'] });
  const one = await create('One', { rule: ['or', ['=', 'name', 'a'], ['=', 'name', 'c']], parent: web });
  expect(await nodes.find(web)).toEqual(['a', 'b']);
  expect(await nodes.find(one.toUpperCase())).toEqual(['a']);
  expect(await nodes.find(ROOT_ID)).toEqual(['a', 'b', 'c', 'without-facts']);
  expect(await nodes.listAbove(one)).toEqual([web, ROOT_ID]);
});

it('are found by the first digits of an id, as lists show it', async () => {
  const web = await create('Web', { rule: ['=', ['fact', 'tier'], 'web'] });
  expect(await nodes.find(web.slice(0, 12))).toEqual(['a', 'b']);
  expect(await nodes.listAbove(web.slice(0, 12).toUpperCase())).toEqual([web, ROOT_ID]);
  await expect(nodes.find(web.slice(0, 3))).rejects.toMatchObject({ message: 'There is no node group 000' });
  await expect(nodes.find('00000')).rejects.toMatchObject({
    status: 404,
    message: 'The ids of several node groups begin with 00000',
  });
  expect(await nodes.listAbove('00000')).toEqual([]);
});

it('of a group without a rule of its own, and of an unknown one, are errors', async () => {
  const id = await create('Folder', {});
  await expect(nodes.find(id)).rejects.toMatchObject({
    kind: 'puppetlabs.orchestrator/empty-target',
    message: "The node group 'Folder' has no rule of its own, so that it has no nodes",
  });
  await expect(nodes.find('x')).rejects.toMatchObject({ status: 404, message: 'There is no node group x' });
  expect(await nodes.listAbove('x')).toEqual([]);
});
