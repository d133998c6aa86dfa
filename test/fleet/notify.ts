import { NotifyWorld } from '../helpers/notify-world.ts';
import { type Measure, measureOf } from './measure.ts';

/** The requests that notifying nodes of a change made of the stores. */
export interface NotifyRun {
  readonly changed: number;
  /** Nodes that ran; each once. */
  readonly ran: number;
  /** Nodes that ran although their catalogs had not changed, or more than once. */
  readonly wrong: number;
  /** Calls of stores by all names, those of the commits and of the agents' reports aside. */
  readonly requests: number;
  readonly jobs: number;
}

/** Changes some catalogs of a fleet, by default a tenth; others are recompiled as they are. */
export async function runNotify(nodes: number, changed = nodes / 10): Promise<NotifyRun> {
  const world = new NotifyWorld();
  try {
    await world.setPolicy('default', { notify: 'now', canary: 5 });
    const names = Array.from({ length: nodes }, (_, index) => `n${String(index).padStart(6, '0')}.example.com`);
    await world.addNodes(names);
    await world.pass(5);
    const isChanged = (index: number) => index % Math.round(nodes / changed) === 0;
    for (const [index, name] of names.entries()) {
      await world.commit(name, isChanged(index) ? 'another' : `${name} first`);
    }
    world.calls.clear();
    await world.pass(30);
    const runs = names.map((name) => world.network.agent(name).runs);
    return {
      changed: names.filter((_, index) => isChanged(index)).length,
      ran: runs.filter((count) => count > 0).length,
      wrong: runs.filter((count, index) => count !== (isChanged(index) ? 1 : 0)).length,
      requests: [...world.calls.values()].reduce((sum, count) => sum + count, 0),
      jobs: (await world.jobs()).length,
    };
  } finally {
    world.close();
  }
}

/** The cost of notifying nodes, as `npm run fleet` prints it. */
export async function measureNotify(sizes: readonly number[]): Promise<readonly Measure[]> {
  const measures: Measure[] = [];
  for (const nodes of sizes) {
    const { changed, wrong, requests, jobs } = await runNotify(nodes);
    measures.push(
      measureOf(`notify.wrong.${nodes}`, wrong, 'nodes'),
      measureOf(`notify.jobs.${nodes}`, jobs, 'jobs'),
      measureOf(`notify.requests_per_changed_node.${nodes}`, requests / changed, 'requests/node'),
    );
  }
  // The same change in a larger fleet costs the same.
  const few = await runNotify(4000, 25);
  return [...measures, measureOf('notify.requests_for_25_of_4000', few.requests, 'requests')];
}
