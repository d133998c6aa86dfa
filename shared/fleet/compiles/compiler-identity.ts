import { canonicalJson, digestSha256 } from '../../util/digest.ts';
import type { WorkerContext } from './worker-context.ts';

/**
 * Digest of all inputs beside the node and its environment: the compiler, its settings and the
 * server's facts.
 */
export function compilerIdentity({ settings, server }: Pick<WorkerContext, 'settings' | 'server'>): string {
  return digestSha256(canonicalJson([settings, server]));
}
