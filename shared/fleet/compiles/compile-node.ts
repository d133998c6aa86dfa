import { codeInForce, type EnvironmentStore } from '../../store/ports/environment-store.ts';
import type { DependencySummary, NodeRecord } from '../../store/ports/node-record.ts';
import { StoreUnavailable } from '../../store/ports/store-errors.ts';
import { type CutFiles, cutFiles } from '../dependencies/cut-files.ts';
import { keepReaders, listNamedInputs, printFirstReaders } from '../dependencies/first-readers.ts';
import { registerFiles } from '../dependencies/register-files.ts';
import type { NodeFacts } from '../facts/facts-blob.ts';
import { commitCompile } from './commit-compile.ts';
import { type CompileJobReport, createCompileJobReport } from './compile-job-report.ts';
import { compilerIdentity } from './compiler-identity.ts';
import { attemptCompile, type CompiledSnapshot, type CompileRun } from './run-compile.ts';
import { digestFiles } from './verify-files.ts';
import type { WorkerContext } from './worker-context.ts';

/** The snapshot in force for a node, and the `revision` of `codeInForce`. */
export interface DeployedSnapshot extends CompiledSnapshot {
  readonly revision: string;
}

/** The facts to compile with; null for the digest of facts that are not stored. */
export interface CompileFacts extends NodeFacts {
  readonly digest: string | null;
}

const MOST_DEPLOYS_A_COMPILE = 5;

/**
 * Compiles a node at `node.wanted` and commits the result. It registers what the compile looked at,
 * then reads the snapshot in force: if a deploy meanwhile changed what the compile saw, the node is
 * compiled again before the commit.
 */
export async function compileAndCommit(
  node: NodeRecord,
  facts: CompileFacts,
  open: DeployedSnapshot | null,
  reasons: readonly string[],
  context: WorkerContext,
): Promise<CompileJobReport> {
  const { clock } = context.stores;
  let current = open;
  for (let deploy = 0; deploy < MOST_DEPLOYS_A_COMPILE; deploy += 1) {
    const startedAt = clock.now();
    const run = await attemptCompile(node, node.wanted, facts, current, context);
    const durationMs = clock.now() - startedAt;
    const cut = cutFiles(node.environment, node.certname, run.inputs);
    const membership = await registerFiles(node, cut, context);
    const latest = await openEnvironment(node, context);
    if (await sameInputs(cut, current, latest, context)) {
      const codeId = current?.codeId ?? null;
      const states = await digestFiles(cut, current, context);
      const readers = await keepFirstReaders(node, run, context);
      const dependencies = { set: cut.set.id, membership, own: cut.own, states, codeId, ...readers };
      const revision = latest?.revision ?? null;
      const { strictness } = current ?? {};
      const circumstances = {
        ...{ codeId, strictness, revision, facts: facts.digest, startedAt, durationMs },
        ...{ dependencies, reasons },
      };
      const { committed, changed } = await commitCompile(node, run, circumstances, context);
      const outcome = run.result.status === 'ok' ? 'compiled' : 'failed';
      const more = { reasons, codeId, durationMs, changed, log: run.result.log, nativeDefects: run.nativeDefects };
      return createCompileJobReport(node.certname, committed ? outcome : 'superseded', more);
    }
    current = latest;
  }
  throw new StoreUnavailable(`environment ${node.environment} is deployed faster than ${node.certname} compiles`);
}

/** Keeps where the compile read its inputs first, for those who ask why a catalog is as it is. */
async function keepFirstReaders(
  { certname, inputs: last }: NodeRecord,
  { firstReads, inputs }: CompileRun,
  { stores }: WorkerContext,
): Promise<Pick<DependencySummary, 'readers'>> {
  const readers = firstReads && printFirstReaders(firstReads, listNamedInputs(inputs));
  const kept = await keepReaders(stores.blobs, certname, readers, last?.dependencies.readers);
  return kept === undefined ? {} : { readers: kept };
}

/** Whether a compile in `used` would have the same settings in `latest`, and see the same files. */
async function sameInputs(
  cut: CutFiles,
  used: CompiledSnapshot | null,
  latest: CompiledSnapshot | null,
  context: WorkerContext,
): Promise<boolean> {
  if (compilerIdentity(context, used?.strictness) !== compilerIdentity(context, latest?.strictness)) return false;
  if (used?.codeId === latest?.codeId) return true;
  return (await digestFiles(cut, used, context)) === (await digestFiles(cut, latest, context));
}

/**
 * The snapshot in force for a node (null: for those without a stage) in its environment; null when
 * that is not deployed.
 */
export async function openEnvironment(
  { environment: name, certname }: Pick<NodeRecord, 'environment'> & { readonly certname: string | null },
  { stores, snapshots }: WorkerContext,
  environments: Pick<EnvironmentStore, 'get'> = stores.environments,
): Promise<DeployedSnapshot | null> {
  const environment = await environments.get(name);
  if (environment === null) return null;
  const { codeId, revision } = codeInForce(environment, certname);
  return { ...(await snapshots.open(codeId)), strictness: environment.strictness, revision };
}
