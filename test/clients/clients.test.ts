import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Asked, ClientSite } from './client-site.ts';
import { readConversations } from './conversation.ts';
import { playConversation } from './play-conversation.ts';

describe('real clients', () => {
  const conversations = readConversations();
  let world: ClientSite;
  let faults: ReadonlyMap<string, readonly string[]>;

  beforeAll(async () => {
    world = await ClientSite.open();
    await world.fillInventory();
    // The calls are signed with it.
    await world.addSource('a secret of webhooks');
    const played = conversations.map(async (one) => [one.name, await playConversation(world.site, one)] as const);
    faults = new Map(await Promise.all(played));
  });
  afterAll(() => world.close());

  it.each(conversations)('$name gets what $client needs', ({ name }) => {
    expect(faults.get(name)).toEqual([]);
  });

  it('have agents do what they asked, without changes where they asked so', async () => {
    const describe = ({ what, params }: Asked) => {
      const flags = Array.isArray(params.flags) && params.flags.includes('--noop') ? ', --noop' : '';
      const noop = Object(params.input)._noop === true ? ', _noop' : '';
      return `${params.task ?? what}${flags}${noop}`;
    };
    const count = () =>
      Object.fromEntries(
        Object.entries(Object.groupBy(world.asked, describe)).map(([one, asked]) => [one, asked?.length]),
      );
    await expect.poll(count).toEqual({
      'apply_helpers::apply_catalog': 2,
      'apply_helpers::apply_catalog, _noop': 2,
      'apply_helpers::custom_facts': 4,
      'bolt_shim::upload': 2,
      'command run': 2,
      'demo::hello': 6,
      'demo::quiet, _noop': 3,
      'pxp-module-puppet run': 1,
      'pxp-module-puppet run, --noop': 5,
      'script run': 2,
    });
  });
});
