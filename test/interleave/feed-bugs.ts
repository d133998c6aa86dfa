import { REPORT_COLLECTIONS } from '../../shared/config/report-collections.ts';
import { type FedNode, putFedNode } from '../../shared/inventory/feed/fed-nodes.ts';
import type { NodeRecord } from '../../shared/store/ports/node-record.ts';
import { intercept } from '../helpers/intercept.ts';
import type { Plant } from './compile-bugs.ts';
import type { RunOptions } from './site-run.ts';

/** The argument of `STORE_NODE_NEWS`, as far as bugs look at it. */
interface NodeNews {
  readonly certname: string;
  readonly next: FedNode;
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
  'of reports that come together one is fed': (stores) => {
    const { nodeChanges } = stores;
    return {
      ...stores,
      nodeChanges: intercept(nodeChanges, {
        read: async (consumer, limit) => {
          const turn = await nodeChanges.read(consumer, limit);
          const last = turn.changes.findLast(({ kind }) => kind === 'report');
          return { ...turn, changes: turn.changes.filter((change) => change.kind !== 'report' || change === last) };
        },
      }),
    };
  },
  'the pass of the day looks at the last report': (stores) => {
    const { documents } = stores;
    return {
      ...stores,
      documents: intercept(documents, {
        list: async (collection, ...rest) => {
          const found = await documents.list(collection, ...rest);
          return collection.startsWith(REPORT_COLLECTIONS.ofNode) ? found.slice(0, 1) : found;
        },
      }),
    };
  },
  'a second run that changed nothing is not stored': (stores) => {
    const { documents } = stores;
    return {
      ...stores,
      documents: intercept(documents, {
        count: async (collection, key, document) => {
          if ((await documents.get(collection, key)) === null) await documents.count(collection, key, document);
        },
      }),
    };
  },
};

type InventoryPlant = Pick<RunOptions, 'plant' | 'plantInventory'>;

/** Bugs of what the feed stores in the inventory. */
export const INVENTORY_BUGS: Readonly<Record<string, InventoryPlant>> = {
  'what is fed is noted before it is stored': {
    plantInventory: (database) =>
      intercept(database, {
        perform: async (task, argument) => {
          const { certname, next } = argument as NodeNews;
          await database.transaction((connection) => putFedNode(connection, certname, next));
          return database.perform(task, argument);
        },
      }),
  },
  'facts that are missing count as fed': plantTakenFacts(),
};

/** The feed notes the facts of the record that it read last, whether it could read them or not. */
function plantTakenFacts(): InventoryPlant {
  const digests = new Map<string, string | null>();
  const note = <Node extends NodeRecord | null>(node: Node): Node => {
    if (node !== null) digests.set(node.certname, node.facts?.digest ?? null);
    return node;
  };
  return {
    plant: (stores) => {
      const { nodes } = stores;
      const list = async (after: string | null, limit: number) => (await nodes.list(after, limit)).map(note);
      return {
        ...stores,
        nodes: intercept(nodes, { get: async (certname) => note(await nodes.get(certname)), list }),
      };
    },
    plantInventory: (database) =>
      intercept(database, {
        perform: (task, argument) => {
          const { certname, next } = argument as NodeNews;
          const facts = digests.get(certname) ?? next.facts;
          return database.perform(task, { ...argument, next: { ...next, facts } });
        },
      }),
  };
}

/** A family of worlds in which each bug shows. */
export const FEED_BUGS_SHOWN_IN: Readonly<Record<string, string>> = {
  'the time of the facts before is not read': 'a feed, and two check-ins',
  'changes count as handled before they are fed': 'a feed that dies',
  'a node that is gone is no change': 'a feed, a purge',
  'the pass over all nodes is made once': 'a stream that drops',
  'of reports that come together one is fed': 'a feed, reports and',
  'the pass of the day looks at the last report': 'a stream that drops changes, reports',
  'a second run that changed nothing is not stored': 'a feed, reports and',
  'what is fed is noted before it is stored': 'a feed that dies, and a check-in',
  'facts that are missing count as fed': 'a stream, the pass of the day',
};
