import { canonicalJson, sha256 } from '../../util/digest.ts';
import type { CompileContext } from './compile-context.ts';

/** Digest of what a catalog depends on beside the node and its environment: the compiler, its settings and the server's facts. */
export function compilerIdentity({ settings, server }: Pick<CompileContext, 'settings' | 'server'>): string {
  return sha256(canonicalJson([settings, server]));
}
