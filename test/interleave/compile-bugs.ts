import type { CompileQueue, QueueName } from '../../shared/store/ports/compile-queue.ts';
import type { NodeStore } from '../../shared/store/ports/node-store.ts';
import { intercept } from '../helpers/intercept.ts';
import type { SiteStores } from './compile-site.ts';

/** Replaces some calls of the stores, for all processes of a run. */
export type Plant = (stores: SiteStores) => SiteStores;

const inNodes =
  (replace: (nodes: NodeStore, stores: SiteStores) => Partial<NodeStore>): Plant =>
  (stores) => ({ ...stores, nodes: intercept(stores.nodes, replace(stores.nodes, stores)) });

const inQueue =
  (replace: (queue: CompileQueue, stores: SiteStores) => Partial<CompileQueue>): Plant =>
  (stores) => ({ ...stores, queue: intercept(stores.queue, replace(stores.queue, stores)) });

/** Deletes the jobs of a node that no worker has. */
async function dropJobs(queue: CompileQueue, certname: string, queues?: readonly QueueName[]): Promise<void> {
  for (const received of await queue.receive(10, 0, undefined, queues)) {
    if (received.job.certname === certname) await queue.acknowledge(received);
    else await queue.retryAfter(received, 0);
  }
}

/** Bugs, one of each kind that the simulation is there to find. */
export const COMPILE_BUGS: Readonly<Record<string, Plant>> = {
  'a late job takes the place of a newer one': inQueue((queue, { nodes }) => ({
    send: async (name, jobs, delayMs) => {
      for (const job of jobs) {
        const node = await nodes.get(job.certname);
        if (!node || job.generation >= node.wanted) await queue.send(name, [job], delayMs);
        else await dropJobs(queue, job.certname);
      }
    },
  })),
  'a returned job is deleted': inQueue((queue) => ({ retryAfter: (received) => queue.acknowledge(received) })),
  'a job that loses its priority is lost': inQueue((queue) => ({
    demote: (certname) => dropJobs(queue, certname, ['waiting']),
  })),
  'a lease is given to everybody': inNodes((nodes) => ({
    lease: (certname, _at, until, holder) => nodes.lease(certname, Number.MAX_SAFE_INTEGER, until, holder),
  })),
  'a round ends without a look at new reasons': inNodes((nodes) => ({
    finishRound: async (certname, until) => {
      await nodes.release(certname, until);
      return null;
    },
  })),
  'a commit is for the latest generation': inNodes((nodes) => ({
    commit: async (commit) => {
      const generation = (await nodes.get(commit.certname))?.wanted ?? commit.generation;
      return nodes.commit({ ...commit, generation, replaces: undefined });
    },
  })),
  'a verification is for the latest generation': inNodes((nodes) => ({
    markVerified: async (certname, _generation, at) => {
      const wanted = (await nodes.get(certname))?.wanted ?? 0;
      return nodes.markVerified(certname, wanted, at);
    },
  })),
  'a reason claims a job that nobody sends': inNodes((nodes) => ({
    want: async (certname, reason, at, change) => {
      const node = await nodes.want(certname, reason, at, change);
      return node && { ...node, isJobDue: node.isJobDue && node.wanted % 2 === 1 };
    },
  })),
  'a job that could not be sent counts as sent': inNodes(() => ({ unask: async () => undefined })),
  'lost jobs are not sent again': inNodes(() => ({ listOutstanding: async () => [] })),
  'a check-in overwrites what it did not read': inNodes((nodes) => ({
    want: (certname, reason, at, { version: _, ...change }) => nodes.want(certname, reason, at, change),
  })),
  'collectors are registered too late': (stores) => {
    const late = new Map<string, () => Promise<boolean>>();
    const { exports, nodes } = stores;
    return {
      ...stores,
      exports: intercept(exports, {
        replaceCollectors: async (certname, ...rest) => {
          late.set(certname, () => exports.replaceCollectors(certname, ...rest));
          return true;
        },
      }),
      nodes: intercept(nodes, {
        finishRound: async (certname, until) => {
          await late.get(certname)?.();
          return nodes.finishRound(certname, until);
        },
      }),
    };
  },
  'dependencies are registered too late': (stores) => {
    const late = new Map<string, () => Promise<boolean>>();
    const { dependencies, nodes } = stores;
    return {
      ...stores,
      dependencies: intercept(dependencies, {
        register: async (registration) => {
          late.set(registration.certname, () => dependencies.register(registration));
          return true;
        },
      }),
      nodes: intercept(nodes, {
        finishRound: async (certname, until) => {
          await late.get(certname)?.();
          return nodes.finishRound(certname, until);
        },
      }),
    };
  },
  'a deploy counts as settled before its nodes are invalidated': (stores) => {
    const { environments } = stores;
    return {
      ...stores,
      environments: intercept(environments, {
        replace: async (record, expected) => environments.replace({ ...record, settled: record.revision }, expected),
      }),
    };
  },
  'a change of exports is acknowledged at once': (stores) => {
    const { changes } = stores;
    return {
      ...stores,
      changes: intercept(changes, {
        receive: async (limit, delayMs) => {
          const received = await changes.receive(limit, delayMs);
          await changes.acknowledge(received.map(({ id }) => id));
          return received;
        },
      }),
    };
  },
  'groups are settled by the one who changes them last': (stores) => {
    const { groups } = stores;
    return {
      ...stores,
      groups: intercept(groups, {
        replace: (head, expected) => groups.replace({ ...head, settled: head.revision, cursor: null }, expected),
      }),
    };
  },
  'a purge leaves exports': (stores) => ({
    ...stores,
    exports: intercept(stores.exports, { delete: async () => undefined }),
  }),
  'a verified node is out of reach of the ring': inNodes((nodes) => ({
    markVerified: (certname, generation, _at, checked) =>
      nodes.markVerified(certname, generation, Number.MAX_SAFE_INTEGER, checked),
  })),
  'a node of the ring gets no job': inQueue((queue) => ({
    send: async (name, jobs, delayMs) => (name === 'background' ? undefined : queue.send(name, jobs, delayMs)),
  })),
  'a reason that the ring finds is forgotten': inNodes((nodes) => ({
    want: async (certname, reason, at, change) =>
      reason.startsWith('ring:') ? null : nodes.want(certname, reason, at, change),
  })),
  'facts of no compile take the place of newer ones': inNodes((nodes) => ({
    factsStored: (certname, facts) => nodes.factsStored(certname, facts),
  })),
  'a signature brings back facts of before': inNodes((nodes) => ({
    want: (certname, reason, at, { version, ...change }) => {
      const isKept = version !== undefined && reason !== 'certificate signed';
      return nodes.want(certname, reason, at, isKept ? { ...change, version } : change);
    },
  })),
  'a record is read as if nothing was wanted': (stores) => {
    const { groups } = stores;
    return {
      ...stores,
      groups: intercept(groups, {
        getWithNode: async (certname) => {
          const { head, node } = await groups.getWithNode(certname);
          return {
            head,
            node: node && { ...node, wanted: node.built, inputs: node.inputs && { ...node.inputs, facts: {} } },
          };
        },
      }),
    };
  },
  'a fact that a deploy began to use is not compared': (stores) => {
    const { groups } = stores;
    return {
      ...stores,
      groups: intercept(groups, {
        getWithNode: async (certname) => {
          const { head, node } = await groups.getWithNode(certname);
          if (!node?.inputs) return { head, node };
          const { '["g"]': _, ...facts } = node.inputs.facts;
          return { head, node: { ...node, inputs: { ...node.inputs, facts } } };
        },
      }),
    };
  },
};

/** A family of small worlds in which each bug shows. */
export const SHOWN_IN: Readonly<Record<string, string>> = {
  'a late job takes the place of a newer one': 'a check-in without news, two reasons',
  'a returned job is deleted': 'a worker whose store fails, and a jump',
  'a job that loses its priority is lost': 'two check-ins without news',
  'a lease is given to everybody': 'a check-in without news, a reason',
  'a round ends without a look at new reasons': 'two reasons and two workers',
  'a commit is for the latest generation': 'two requests of one node',
  'a verification is for the latest generation': 'a reason, a change of groups',
  'a reason claims a job that nobody sends': 'two reasons and two workers',
  'a job that could not be sent counts as sent': 'a check-in whose store fails',
  'lost jobs are not sent again': 'a check-in that dies',
  'a check-in overwrites what it did not read': 'a change of groups, a check-in',
  'collectors are registered too late': 'a new collector',
  'dependencies are registered too late': 'the first catalog of a node',
  'a deploy counts as settled before its nodes are invalidated': 'a deploy, a check-in',
  'a change of exports is acknowledged at once': 'an exporter whose worker dies',
  'groups are settled by the one who changes them last': 'a change of groups, a check-in',
  'a purge leaves exports': 'a purge of an exporter',
  'a verified node is out of reach of the ring': 'the ring, a check-in with news',
  'a node of the ring gets no job': 'the ring, a check-in with news',
  'a reason that the ring finds is forgotten': 'the ring, which finds what nobody noticed',
  'facts of no compile take the place of newer ones': 'a check-in that stores facts of no compile',
  'a signature brings back facts of before': 'a signature, and a check-in',
  'a record is read as if nothing was wanted': 'a deploy, a check-in',
  'a fact that a deploy began to use is not compared': 'a check-in with news of a fact',
};
