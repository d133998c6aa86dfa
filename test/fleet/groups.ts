import { storeFacts } from '../../shared/fleet/facts/facts-blob.ts';
import { GroupService } from '../../shared/fleet/groups/group-service.ts';
import { ROOT_ID, readGroupBody } from '../../shared/fleet/groups/node-group.ts';
import { settleGroups } from '../../shared/fleet/nodes/settle-groups.ts';
import { PuppetHash } from '../../shared/puppet/types/values/puppet-hash.ts';
import { CountingSecrets } from '../helpers/access-world.ts';
import { listClasses, openUnlinkedStores } from '../helpers/classifier-door.ts';
import { ManualClock, MemoryBlobs } from '../helpers/memory-stores.ts';
import { CountingStores } from './counting-stores.ts';
import { type Measure, measureOf } from './measure.ts';

/** What a change of groups asked of the stores. */
export interface GroupChange {
  readonly changed: number;
  readonly requests: number;
  readonly counts: Readonly<Record<string, number>>;
}

export interface GroupRun {
  /** The first group: facts of all nodes are read once. */
  readonly first: GroupChange;
  /** A changed variable of a group of `changed` nodes. */
  readonly edited: GroupChange;
  /** A changed description. */
  readonly described: GroupChange;
}

/** Changes the group that a tenth of a fleet is in, or `members` nodes. */
export async function runGroupChanges(nodes: number, members = nodes / 10): Promise<GroupRun> {
  const clock = new ManualClock();
  const counting = new CountingStores({ ...openUnlinkedStores(clock), blobs: new MemoryBlobs(clock) });
  const { stores } = counting;
  const service = new GroupService({ ...stores, secrets: new CountingSecrets() }, listClasses({}));
  for (let index = 0; index < nodes; index += 1) {
    const name = `n${String(index).padStart(6, '0')}.example.com`;
    await stores.nodes.markSeen(name, 'production', clock.now());
    await stores.nodes.want(name, 'first catalog', clock.now(), { asked: false });
    const facts = PuppetHash.of([['tier', index < members ? 'web' : 'db']]);
    const said = { facts, trusted: PuppetHash.of([['certname', name]]) };
    await stores.nodes.factsStored(name, await storeFacts(stores.blobs, said, clock.now()));
  }
  const change = async (work: () => Promise<unknown>): Promise<GroupChange> => {
    counting.reset();
    await work();
    const { changed } = await settleGroups(stores);
    return { changed: changed.length, requests: counting.sum(), counts: counting.getCounts() };
  };
  const content = { name: 'Web', parent: ROOT_ID, classes: {}, rule: ['=', ['fact', 'tier'], 'web'] };
  let id = '';
  const first = await change(async () => {
    id = (await service.create(readGroupBody(content, false))).group.id;
  });
  const edit = (delta: object) => change(() => service.edit(id, readGroupBody(delta, true)));
  return { first, edited: await edit({ variables: { zone: 'b' } }), described: await edit({ description: 'x' }) };
}

/** What changed groups cost, as `npm run fleet` prints it. */
export async function measureGroups(sizes: readonly number[]): Promise<readonly Measure[]> {
  const measures: Measure[] = [];
  for (const nodes of sizes) {
    const { first, edited, described } = await runGroupChanges(nodes);
    measures.push(
      measureOf(`groups.first.${nodes}`, first.requests, 'requests'),
      measureOf(`groups.tenth.${nodes}`, edited.requests, 'requests'),
      measureOf(`groups.nobody.${nodes}`, described.requests, 'requests'),
    );
  }
  const few = await runGroupChanges(4000, 25);
  return [...measures, measureOf('groups.25_of_4000', few.edited.requests, 'requests')];
}
