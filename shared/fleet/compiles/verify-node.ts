import { findChangedVariables } from '../../puppet/environment/operator-variables.ts';
import { verifyInputs } from '../../puppet/environment/verify.ts';
import type { InputSummary, NodeRecord } from '../../store/ports/node-record.ts';
import { CATALOG_LOST, catalogKey, loadCatalog } from '../catalogs/catalog-blob.ts';
import { CLASSIFICATION_CHANGED, describeInputChange } from '../catalogs/currency.ts';
import type { NodeFacts } from '../facts/facts-blob.ts';
import { classificationDigest, classificationOf } from '../nodes/classification.ts';
import { compilerIdentity, describeOtherCompiler } from './compiler-identity.ts';
import { findChangedAnswers } from './inventory-inputs.ts';
import { findChangedValues } from './kept-value-inputs.ts';
import type { CompiledSnapshot } from './run-compile.ts';
import { verifyFiles } from './verify-files.ts';
import type { WorkerContext } from './worker-context.ts';

/** The present state to verify a node against. */
interface VerifiedState {
  /** Null when the facts are those that the node was last compiled or verified with. */
  readonly facts: NodeFacts | null;
  readonly open: CompiledSnapshot | null;
  /** Checks one stored output, another one at each verification; else all of them. */
  readonly isLap: boolean;
  /** Volatile calls are a reason when the node was compiled before this time; absent: never. */
  readonly volatileBefore?: number | undefined;
}

/**
 * The reasons to compile a node; empty when a compile would read the same inputs as the last one.
 * The verdict is recorded for `node.wanted`; the node's collectors are registered under it before
 * exports are read.
 */
export async function verifyNode(
  node: NodeRecord,
  { facts, open, isLap, volatileBefore = 0 }: VerifiedState,
  context: WorkerContext,
): Promise<readonly string[]> {
  const { inputs } = node;
  if (!inputs) return ['first catalog'];
  if (inputs.environment !== node.environment) return [`environment ${inputs.environment} -> ${node.environment}`];
  if (inputs.classification !== classificationDigest(classificationOf(node))) return [CLASSIFICATION_CHANGED];
  const added = facts?.checksumTypes?.find((type) => !inputs.checksumTypes.includes(type));
  if (added !== undefined) return [`checksum type ${added}`];
  if (inputs.compiler !== compilerIdentity(context, open?.strictness)) {
    return [describeOtherCompiler(inputs.compiler ?? '', context, open?.strictness)];
  }
  const changes = [
    ...verifyInputs(inputs, {
      ...facts,
      now: context.stores.clock.now(),
      volatile: lastCompiledAt(node) < volatileBefore,
    }),
    ...findChangedVariables(inputs.settings, context.variables),
  ];
  const reasons = [...changes.map(describeInputChange), ...(await verifyFiles(inputs.dependencies, open, context))];
  if (reasons.length > 0) return reasons;
  const lost = await findLostOutput(node, isLap, context);
  if (lost !== null) return lost;
  const values = await findChangedValues(node, context);
  if (values.length > 0) return values;
  const answers = await findChangedAnswers(node, context);
  return answers.length > 0 ? answers : findChangedExports(node, inputs, context);
}

/** When the node was last compiled, successfully or not. */
function lastCompiledAt({ catalog, failure }: NodeRecord): number {
  return Math.max(catalog?.compiledAt ?? 0, failure?.at ?? 0);
}

/**
 * Finds stored output that is missing or differs from the node's record. A catalog is read only
 * when a front door could not use it. A lap of the ring makes one of the checks, in turns.
 */
async function findLostOutput(
  { certname, catalog, reasons, verifications }: NodeRecord,
  isLap: boolean,
  { stores }: WorkerContext,
): Promise<readonly string[] | null> {
  if (!catalog) return null;
  const isUsable = (hash: string) =>
    reasons.includes(CATALOG_LOST) ? loadCatalog(stores.blobs, hash) : stores.blobs.has(catalogKey(hash));
  const hashes = [catalog.hash, ...Object.values(catalog.static ?? {})];
  const checks = [
    ...hashes.map((hash) => async () => ((await isUsable(hash)) ? null : CATALOG_LOST)),
    async () =>
      (await stores.exports.getDigest(certname)) === catalog.exported ? null : 'the exports are of another compile',
  ];
  const turn = verifications % checks.length;
  for (const check of isLap ? checks.slice(turn, turn + 1) : checks) {
    const lost = await check();
    if (lost !== null) return [lost];
  }
  return null;
}

/** The reason when nothing but collected exports changed. */
export const EXPORTS_CHANGED = 'collected exports changed';

async function findChangedExports(
  node: NodeRecord,
  { collectors, collected: seen }: InputSummary,
  { stores }: WorkerContext,
): Promise<readonly string[]> {
  if (collectors.length === 0) return [];
  const { certname, environment, wanted: generation } = node;
  const records = collectors.map(({ type, query }) => ({ certname, type, query }));
  await stores.exports.replaceCollectors(certname, generation, records, environment);
  return (await stores.exports.digestCollected(collectors, certname)) === seen ? [] : [EXPORTS_CHANGED];
}

/** Deletes the collectors and exports that a worker wrote for a node purged meanwhile. */
export async function deleteExportsOfPurged(
  certname: string,
  { nodes, exports }: Pick<WorkerContext['stores'], 'nodes' | 'exports'>,
): Promise<void> {
  if ((await nodes.get(certname)) === null) await exports.delete(certname);
}
