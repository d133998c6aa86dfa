import { canonicalJson, digestSha256 } from '../../util/digest.ts';
import type { WorkerContext } from './worker-context.ts';

/**
 * Digest of all inputs beside the node and its environment: the compiler, its settings, the
 * server's facts, and whether code can ask an inventory.
 */
export function compilerIdentity({
  settings,
  server,
  inventory,
}: Pick<WorkerContext, 'settings' | 'server' | 'inventory'>): string {
  return digestSha256(canonicalJson([settings, server, ...(inventory ? ['inventory'] : [])]));
}
