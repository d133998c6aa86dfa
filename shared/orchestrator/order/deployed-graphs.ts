import { posix } from 'node:path';
import { isEnvironmentName } from '../../puppet/environment/directory-environment.ts';
import { BoundedCache } from '../../util/bounded-cache.ts';
import { OrchestratorError } from '../jobs/orchestrator-error.ts';
import type { TaskCode } from '../tasks/deployed-code.ts';
import {
  EMPTY_GRAPH,
  type EnvironmentGraph,
  GRAPH_FILE,
  InvalidGraph,
  readEnvironmentGraph,
} from './environment-graph.ts';

const MOST_KEPT = 16;

/** The graphs of deployed environments. */
export class DeployedGraphs {
  readonly #code: Pick<TaskCode, 'open' | 'readText'>;
  /** By the digest of the file, which follows from its content. */
  readonly #read = new BoundedCache<EnvironmentGraph>(MOST_KEPT);

  constructor(code: Pick<TaskCode, 'open' | 'readText'>) {
    this.#code = code;
  }

  /**
   * The graph of an environment in force; an empty one without a file, or when the environment is
   * not deployed. Rejects with OrchestratorError when the file is not as it has to be.
   */
  async read(environment: string): Promise<EnvironmentGraph> {
    const opened = isEnvironmentName(environment) ? await this.#code.open(environment) : null;
    if (opened === null) return EMPTY_GRAPH;
    const { files } = opened;
    const served = files.findServed(posix.join(files.environment.root, GRAPH_FILE), 'follow');
    if (served?.kind !== 'file') return EMPTY_GRAPH;
    const known = this.#read.get(served.file.sha256);
    if (known !== undefined) return known;
    const graph = parseGraph(await this.#code.readText(served.file), environment);
    this.#read.set(served.file.sha256, graph);
    return graph;
  }
}

function parseGraph(text: string, environment: string): EnvironmentGraph {
  try {
    return readEnvironmentGraph(text);
  } catch (error) {
    if (!(error instanceof InvalidGraph)) throw error;
    const { message, cycle } = error;
    if (cycle !== null) throw new OrchestratorError('dependency-cycle', message, { environment, groups: cycle });
    throw new OrchestratorError('invalid-environment-graph', message, { environment });
  }
}
