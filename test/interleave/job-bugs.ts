import type { JobStore, LedgerChange } from '../../shared/store/ports/job-store.ts';
import { intercept } from '../helpers/intercept.ts';
import type { Plant } from './compile-bugs.ts';

const inJobs =
  (replace: (jobs: JobStore) => Partial<JobStore>): Plant =>
  (stores) => ({ ...stores, jobs: intercept(stores.jobs, replace(stores.jobs)) });

/** Bugs of the orchestrator's store, one of each kind that the simulation is there to find. */
export const JOB_BUGS: Readonly<Record<string, Plant>> = {
  'a commit does not look at the version': inJobs((jobs) => ({
    commit: async (kind, number, version, change, token) => {
      const latest = await jobs.get(kind, number);
      return jobs.commit(kind, number, latest?.version ?? version, change, token);
    },
  })),
  'a node that is asked is not stored': inJobs((jobs) => ({
    commit: (kind, number, version, change, token) => {
      const nodes = change.nodes?.filter(({ state, attempt }) => state !== 'running' || attempt > 1);
      const kept = { ...change, ...(nodes && { nodes }) } as LedgerChange<typeof change.body>;
      return jobs.commit(kind, number, version, kept, token);
    },
  })),
  'a request to stop is forgotten': inJobs(() => ({ requestStop: async () => undefined })),
  'events are numbered anew': inJobs((jobs) => ({
    takeNumbers: async (counter, count) => (counter === 'events' ? 1 : jobs.takeNumbers(counter, count)),
  })),
  'an open job is not listed': inJobs((jobs) => ({
    listOpen: async (kind) => (await jobs.listOpen(kind)).filter((number) => number % 2 === 0),
  })),
  'the lease of a dead process is never given': inJobs((jobs) => {
    const owners = new Map<number, string>();
    return {
      claim: async (kind, number, lease, now) => {
        if ((owners.get(number) ?? lease.owner) !== lease.owner) return null;
        owners.set(number, lease.owner);
        return jobs.claim(kind, number, lease, now);
      },
    };
  }),
  'changes of nodes count as read before they are recorded': (stores) => {
    const { nodeChanges } = stores;
    return {
      ...stores,
      nodeChanges: intercept(nodeChanges, {
        read: async (consumer, limit) => {
          const some = await nodeChanges.read(consumer, limit);
          await nodeChanges.advance(consumer, { position: some.position, pass: some.pass });
          return some;
        },
      }),
    };
  },
  'two processes run what is scheduled': inJobs((jobs) => ({
    commit: async (kind, number, version, change, token) =>
      (await jobs.commit(kind, number, version, change, token)) || token.startsWith('run-'),
  })),
};

/** A family of worlds in which each bug shows. */
export const JOB_BUGS_SHOWN_IN: Readonly<Record<string, string>> = {
  'a commit does not look at the version': 'two engines and a jump',
  'a node that is asked is not stored': 'a job that is stopped by force',
  'a request to stop is forgotten': 'a job that is stopped',
  'events are numbered anew': 'a job and an engine',
  'an open job is not listed': 'a job and an engine',
  'the lease of a dead process is never given': 'an engine that dies',
  'changes of nodes count as read before they are recorded': 'a server that notifies and dies',
  'two processes run what is scheduled': 'two processes with a scheduled job',
};
