import { intercept } from '../helpers/intercept.ts';
import type { Plant } from './compile-bugs.ts';
import { KEEP_FACTS, READERS } from './compile-worlds.ts';
import type { WorldFamily } from './explore.ts';
import { FeedRun } from './feed-run.ts';
import type { RunOptions } from './site-run.ts';
import { listFaults, type Sites, type SmallWorld } from './worlds.ts';

const MINUTE = 60_000;
/** A run takes ten times as long as others: the inventory is a real database. */
const MOST_RUNS = 8;
const [N0, N1] = ['n0.example.com', 'n1.example.com'] as const;

const SMALL_WORLDS: readonly SmallWorld<FeedRun>[] = [
  {
    name: 'a feed, a check-in and a worker',
    start: (run) => {
      run.checkIn('agent', N0, { f: 'b' });
      run.work('worker', 1);
      run.follow('feed', 2);
    },
  },
  {
    name: 'a feed, and two check-ins at servers whose clocks differ',
    start: (run) => {
      run.skew('agent 1', MINUTE);
      run.checkIn('agent 1', N0, { f: 'b' });
      run.checkIn('agent 2', N0, { f: 'c' });
      run.follow('feed', 2);
    },
  },
  {
    name: 'a feed, a purge and a worker',
    start: (run) => {
      run.purge('purge', N1);
      run.checkIn('agent', N0, { f: 'b' });
      run.work('worker', 1);
      run.follow('feed', 2);
    },
  },
  {
    name: 'a feed that dies, and a check-in',
    dies: 'feed',
    start: (run) => {
      run.checkIn('agent', N0, { f: 'a', load: '1' }, 0, KEEP_FACTS);
      run.follow('feed', 1);
    },
  },
  {
    name: 'a stream whose feed fails, and a check-in',
    fails: 'stream',
    start: (run) => {
      run.checkIn('agent', N0, { f: 'b' });
      run.stream('stream', 2);
    },
  },
  {
    name: 'a stream that drops changes, and the pass of the day',
    start: (run) => {
      run.checkIn('agent', N0, { f: 'a', load: '1' }, 0, KEEP_FACTS);
      run.stream('stream', 1, true);
      run.purge('purge', N1);
      run.maintain('maintenance');
    },
  },
];

/** The small worlds of the inventory's feed, with their faults. */
export function listFeedWorlds(sites: Sites, more: RunOptions = {}): readonly WorldFamily[] {
  return SMALL_WORLDS.map((world) => {
    const begin = (options: RunOptions) => async () => {
      const run = new FeedRun(await sites.get(READERS), await sites.getInventory(), { ...more, ...options });
      await run.prepare();
      await world.start(run);
      return run;
    };
    return { name: world.name, isLight: false, mostRuns: MOST_RUNS, worlds: listFaults(world, '', begin) };
  });
}

/** Bugs of the feed, one of each kind that the simulation is there to find. */
export const FEED_BUGS: Readonly<Record<string, Plant>> = {
  'the time of the facts before is not read': (stores) => {
    const forget = <T extends { readonly facts: object | null } | null>(node: T): T =>
      node?.facts ? { ...node, facts: { ...node.facts, at: 0 } } : node;
    const { nodes, groups } = stores;
    return {
      ...stores,
      nodes: intercept(nodes, { markSeen: async (...args) => forget(await nodes.markSeen(...args)) }),
      groups: intercept(groups, {
        getWithNode: async (certname) => {
          const { head, node } = await groups.getWithNode(certname);
          return { head, node: forget(node) };
        },
      }),
    };
  },
  'changes count as handled before they are fed': (stores) => {
    const { nodeChanges } = stores;
    return {
      ...stores,
      nodeChanges: intercept(nodeChanges, {
        read: async (consumer, limit) => {
          const turn = await nodeChanges.read(consumer, limit);
          if (turn.changes.length > 0)
            await nodeChanges.advance(consumer, { position: turn.position, pass: turn.pass });
          return turn;
        },
      }),
    };
  },
  'a node that is gone is no change': (stores) => {
    const { nodeChanges } = stores;
    return {
      ...stores,
      nodeChanges: intercept(nodeChanges, {
        read: async (consumer, limit) => {
          const turn = await nodeChanges.read(consumer, limit);
          return { ...turn, changes: turn.changes.filter(({ kind }) => kind !== 'removed') };
        },
      }),
    };
  },
  'the pass over all nodes is made once': (stores) => {
    const { documents } = stores;
    return {
      ...stores,
      documents: intercept(documents, {
        get: async (collection, key) => {
          const found = await documents.get(collection, key);
          return found?.mark === null ? { ...found, ended: Number.MAX_SAFE_INTEGER } : found;
        },
      }),
    };
  },
};

/** A family of worlds in which each bug shows. */
export const FEED_BUGS_SHOWN_IN: Readonly<Record<string, string>> = {
  'the time of the facts before is not read': 'a feed, and two check-ins',
  'changes count as handled before they are fed': 'a feed that dies',
  'a node that is gone is no change': 'a feed, a purge',
  'the pass over all nodes is made once': 'a stream that drops',
};
