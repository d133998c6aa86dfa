import { dependencySetId } from '../../puppet/environment/inputs.ts';
import type { NodeRecord } from '../../store/ports/node-record.ts';
import { StoreUnavailable } from '../../store/ports/store-errors.ts';
import type { NodeFacts } from '../nodes/facts-blob.ts';
import type { OpenSnapshot } from '../snapshots/snapshot-cache.ts';
import { commitCompile } from './commit-compile.ts';
import { type CompileJobReport, createCompileJobReport } from './compile-job-report.ts';
import { attemptCompile, type CompileRun } from './run-compile.ts';
import { verifyFiles } from './verify-files.ts';
import type { WorkerContext } from './worker-context.ts';

const MOST_DEPLOYS_A_COMPILE = 5;

/**
 * Compiles a node at `node.wanted` and commits the result. If a deploy meanwhile changed files that
 * the compile read, the node is compiled again before the commit.
 */
export async function compileAndCommit(
  node: NodeRecord,
  facts: NodeFacts,
  open: OpenSnapshot | null,
  reasons: readonly string[],
  context: WorkerContext,
): Promise<CompileJobReport> {
  const { clock } = context.stores;
  let current = open;
  for (let deploy = 0; deploy < MOST_DEPLOYS_A_COMPILE; deploy += 1) {
    const startedAt = clock.now();
    const run = await attemptCompile(node, node.wanted, facts, current, context);
    const durationMs = clock.now() - startedAt;
    const latest = await registerAndReopen(node, run, context);
    if (await isUnchanged(run, current, latest, context)) {
      const codeId = current?.codeId ?? null;
      const { committed, changed } = await commitCompile(node, run, { codeId, startedAt, durationMs }, context);
      const outcome = run.result.status === 'ok' ? 'compiled' : 'failed';
      const more = { reasons, codeId, durationMs, changed, log: run.result.log, nativeDefects: run.nativeDefects };
      return createCompileJobReport(node.certname, committed ? outcome : 'superseded', more);
    }
    current = latest;
  }
  throw new StoreUnavailable(`environment ${node.environment} is deployed faster than ${node.certname} compiles`);
}

/**
 * Writes the reverse index from the compile's files to the node, then reads the snapshot in force.
 */
async function registerAndReopen(
  node: NodeRecord,
  { inputs }: CompileRun,
  context: WorkerContext,
): Promise<OpenSnapshot | null> {
  const { certname, environment, wanted: generation } = node;
  const id = dependencySetId(inputs);
  await context.stores.nodes.register({ certname, generation, environment, id, paths: Object.keys(inputs.files) });
  return openEnvironment(environment, context);
}

/** Whether a compile in `used` would read the same of files in `latest`. */
async function isUnchanged(
  { inputs }: CompileRun,
  used: OpenSnapshot | null,
  latest: OpenSnapshot | null,
  { snapshots }: WorkerContext,
): Promise<boolean> {
  if (used?.codeId === latest?.codeId) return true;
  return (await verifyFiles(inputs, latest, snapshots)).length === 0;
}

/** The snapshot in force; null when the environment is not deployed. */
export async function openEnvironment(
  name: string,
  { stores, snapshots }: WorkerContext,
): Promise<OpenSnapshot | null> {
  const environment = await stores.environments.get(name);
  return environment && snapshots.open(environment.codeId);
}
