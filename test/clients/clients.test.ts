import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Asked, ClientSite, NODES } from './client-site.ts';
import { readConversations } from './conversation.ts';
import { NOOP_NODES, playChangedSchedule, playNoopForms } from './noop-runs.ts';
import { playConversation } from './play-conversation.ts';
import { PXP_NODES, playErringAgent, playFetchingAgent, playSupersededAgent } from './pxp-agent-talks.ts';

const conversations = readConversations();
let world: ClientSite;
/** What the conversations lacked, which are played while other tests run. */
let played: Promise<ReadonlyMap<string, readonly string[]>>;

beforeAll(async () => {
  world = await ClientSite.open(NOOP_NODES, PXP_NODES);
  await world.fillInventory();
  // The calls of webhooks are signed with it.
  await world.addSource('a secret of webhooks');
  const all = conversations.map(async (one) => [one.name, await playConversation(world.site, one)] as const);
  played = Promise.all(all).then((faults) => new Map(faults));
});
afterAll(() => world.close());

describe('a run in which nothing was to change', () => {
  it('is without changes, or is refused', async () => {
    const { fates, due } = await playNoopForms(world);
    expect(fates).toEqual(due);
  });

  it('is so after a change of its time', async () => {
    expect(await playChangedSchedule(world)).toBe('noop');
  });
});

describe('pxp-agent', () => {
  it('that answers a status query with an error ends its node with that text', () => playErringAgent(world));

  it('whose connection another one supersedes went, and came, for subscribers', () => playSupersededAgent(world));

  it('fetches task files by URIs that it does not encode', () => playFetchingAgent(world));
});

describe('real clients', () => {
  it.each(conversations)('$name gets what $client needs', async ({ name }) => {
    expect((await played).get(name)).toEqual([]);
  });

  it('have agents do what they asked, without changes where they asked so', async () => {
    const label = ({ what, params }: Asked) => {
      const flags = Array.isArray(params.flags) && params.flags.includes('--noop') ? ', --noop' : '';
      const noop = Object(params.input)._noop === true ? ', _noop' : '';
      return `${params.task ?? what}${flags}${noop}`;
    };
    const isOurs = (node: string) => NODES.some((one) => one === node);
    const count = () =>
      Object.fromEntries(
        Object.entries(
          Object.groupBy(
            world.asked.filter(({ node }) => isOurs(node)),
            label,
          ),
        ).map(([one, asked]) => [one, asked?.length]),
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
