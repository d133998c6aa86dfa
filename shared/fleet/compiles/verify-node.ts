import { findChangedVariables } from '../../puppet/environment/operator-variables.ts';
import { verifyInputs } from '../../puppet/environment/verify.ts';
import type { InputSummary, NodeRecord } from '../../store/ports/node-record.ts';
import { CATALOG_LOST, catalogKey, loadCatalog } from '../catalogs/catalog-blob.ts';
import { describeInputChange } from '../catalogs/currency.ts';
import { classificationDigest } from '../nodes/classification.ts';
import type { NodeFacts } from '../nodes/facts-blob.ts';
import type { OpenSnapshot } from '../snapshots/snapshot-cache.ts';
import { compilerIdentity } from './compiler-identity.ts';
import { verifyFiles } from './verify-files.ts';
import type { WorkerContext } from './worker-context.ts';

/**
 * The reasons to compile a node; empty when a compile would read the same inputs as the last one.
 * The verdict is recorded for `generation`; the node's collectors are registered under it before
 * exports are read.
 */
export async function verifyNode(
  node: NodeRecord,
  generation: number,
  facts: NodeFacts,
  open: OpenSnapshot | null,
  context: WorkerContext,
): Promise<readonly string[]> {
  const { inputs } = node;
  if (!inputs) return ['first catalog'];
  if (inputs.environment !== node.environment) return [`environment ${inputs.environment} -> ${node.environment}`];
  if (inputs.classification !== undefined && inputs.classification !== classificationDigest(node.classification)) {
    return ['classification changed'];
  }
  const added = facts.checksumTypes?.find((type) => !inputs.checksumTypes?.includes(type));
  if (added !== undefined) return [`checksum type ${added}`];
  if (inputs.compiler !== compilerIdentity(context)) return ['another compiler'];
  const changes = [
    ...verifyInputs(inputs, { ...facts, volatile: true }),
    ...findChangedVariables(inputs.settings, context.variables),
  ];
  const reasons = [...changes.map(describeInputChange), ...(await verifyFiles(inputs.dependencies, open, context))];
  if (reasons.length > 0) return reasons;
  return (await findLostOutput(node, context)) ?? (await findChangedExports(node, inputs, generation, context));
}

/**
 * Finds stored output that is missing or differs from the node's record. A catalog is read only
 * when a front door could not use it.
 */
async function findLostOutput(node: NodeRecord, { stores }: WorkerContext): Promise<readonly string[] | null> {
  if (!node.catalog) return null;
  const { blobs } = stores;
  const isUsable = (hash: string) =>
    node.reasons.includes(CATALOG_LOST) ? loadCatalog(blobs, hash) : blobs.has(catalogKey(hash));
  for (const hash of [node.catalog.hash, ...Object.values(node.catalog.static ?? {})]) {
    if (!(await isUsable(hash))) return [CATALOG_LOST];
  }
  const exported = await stores.exports.getDigest(node.certname);
  return exported === node.catalog.exported ? null : ['the exports are of another compile'];
}

/** The reason when nothing but collected exports changed. */
export const EXPORTS_CHANGED = 'collected exports changed';

async function findChangedExports(
  node: NodeRecord,
  { collectors, collected: seen }: InputSummary,
  generation: number,
  { stores }: WorkerContext,
): Promise<readonly string[]> {
  if (collectors.length === 0) return [];
  const { certname, environment } = node;
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
