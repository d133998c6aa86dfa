import { expect, it } from 'vitest';
import { storeFacts } from '../../../../shared/fleet/facts/facts-blob.ts';
import { GroupService } from '../../../../shared/fleet/groups/group-service.ts';
import { ROOT_ID, readGroupBody } from '../../../../shared/fleet/groups/node-group.ts';
import { listNotedChanges } from '../../../../shared/fleet/nodes/noted-changes.ts';
import { createClassifierServices } from '../../../../shared/http/operator/classifier-services.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';
import { CountingSecrets } from '../../../helpers/access-world.ts';
import { listClasses, NO_FORMS, openUnlinkedStores } from '../../../helpers/classifier-door.ts';
import { ManualClock, MemoryBlobs } from '../../../helpers/memory-stores.ts';

it('notes which nodes a change of groups touched, and who made it', async () => {
  const clock = new ManualClock();
  const stores = { ...openUnlinkedStores(clock), blobs: new MemoryBlobs(clock) };
  for (const name of ['web1', 'web2', 'db1']) {
    await stores.nodes.markSeen(name, 'production', 1);
    await stores.nodes.want(name, 'first catalog', 1, { asked: false });
    await stores.nodes.lease(name, 1, 2, 'job');
    const said = { facts: PuppetHash.of([]), trusted: PuppetHash.of([['certname', name]]) };
    await stores.nodes.factsStored(name, await storeFacts(stores.blobs, said, 1));
  }
  const groups = new GroupService({ ...stores, secrets: new CountingSecrets() }, listClasses({}));
  const log = { logError: (_: string, cause: unknown) => expect(cause).toBeNull() };
  const { onChanged } = createClassifierServices(stores, { groups, forms: NO_FORMS }, log);
  const content = { name: 'Web', parent: ROOT_ID, classes: {}, rule: ['~', 'name', '^web'], variables: { zone: 'a' } };
  await groups.create(readGroupBody(content, false));
  onChanged({ summary: 'node group created: Web', user: 'root' });
  const why = 'its classification by node groups changed';
  await expect
    .poll(() => listNotedChanges(stores, 10))
    .toMatchObject([
      {
        ...{ kind: 'groups', summary: 'node group created: Web', user: 'root', count: 2 },
        nodes: [
          { certname: 'web1', why },
          { certname: 'web2', why },
        ],
      },
    ]);
});
