import { arrangeTargets } from '../jobs/arrange-targets.ts';
import type { JobTargets } from '../jobs/job-order.ts';
import type { DeployedGraphs } from '../order/deployed-graphs.ts';
import { findGroupMembers, orderGroups } from '../order/group-members.ts';

/** Levels and barriers of a job's nodes. */
export type WaveLevels = Pick<JobTargets, 'levels' | 'barriers'>;

/** Arranges the nodes of waves by the graphs of their environments. */
export class WaveOrder {
  readonly #graphs: Pick<DeployedGraphs, 'read'> | null;

  /** Null: there is no order. */
  constructor(graphs: Pick<DeployedGraphs, 'read'> | null) {
    this.#graphs = graphs;
  }

  /** Whether nodes of an environment wait for others. Rejects with OrchestratorError. */
  async isOrdered(environment: string): Promise<boolean> {
    const graph = await this.#graphs?.read(environment);
    return graph?.groups.some(({ after }) => after.length > 0) ?? false;
  }

  /**
   * The names in their order, and what waits for what; within a level they keep their order.
   * Rejects with OrchestratorError.
   */
  async arrange(environment: string, names: readonly string[]): Promise<JobTargets> {
    const graph = await this.#graphs?.read(environment);
    return graph === undefined ? { names } : arrangeTargets(names, orderGroups(findGroupMembers(graph, names)));
  }
}
