import { posix } from 'node:path';
import { GRAPH_FILE, InvalidGraph, readEnvironmentGraph } from '../../orchestrator/order/environment-graph.ts';
import type { Environment } from '../../puppet/environment/environment.ts';
import { createFinding, type DoctorFinding } from './finding.ts';

/** The graph of an environment; none without the file. An invalid one refuses Puppet runs. */
export function inspectGraph(environment: Environment): readonly DoctorFinding[] {
  const file = posix.join(environment.root, GRAPH_FILE);
  const text = environment.readText(file);
  if (text === null) return [];
  try {
    readEnvironmentGraph(text);
    return [createFinding('settings', null, GRAPH_FILE, { file })];
  } catch (error) {
    if (!(error instanceof InvalidGraph)) throw error;
    const { line, problem: reason } = error;
    return [createFinding('settings', null, GRAPH_FILE, { verdict: 'fails', reason, file, line })];
  }
}
