import type { Stores } from '../../store/ports/stores.ts';
import type { Precedence, RunOrder } from '../jobs/job-order.ts';
import type { DeployedGraphs } from './deployed-graphs.ts';
import { matchExports, orderByExports } from './exported-precedences.ts';
import { findGroupMembers, orderGroups } from './group-members.ts';

/** Orders nodes by the environment's graph, and by what they export for each other. */
export class EnvironmentOrder implements RunOrder {
  readonly #stores: Pick<Stores, 'nodes' | 'exports'>;
  readonly #graphs: DeployedGraphs;

  constructor(stores: Pick<Stores, 'nodes' | 'exports'>, graphs: DeployedGraphs) {
    this.#stores = stores;
    this.#graphs = graphs;
  }

  async order(environment: string, names: readonly string[]): Promise<readonly Precedence[]> {
    const graph = await this.#graphs.read(environment);
    const matches = await matchExports(names, this.#stores, graph.ignoredExports);
    return [...orderGroups(findGroupMembers(graph, names)), ...orderByExports(matches)];
  }
}
