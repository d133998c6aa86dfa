import { existsSync } from 'node:fs';
import { join } from 'node:path';

const SHARED = join(import.meta.dirname, '..', '..', '..', 'shared');

/**
 * Recordings that a clone may have beside it, in `../shared`. They are of other origin, so they are
 * not in the repository.
 */
export const BESIDE = {
  agentRecordings: join(SHARED, 'agent', 'recordings'),
  curlRecordings: join(SHARED, 'agent'),
  controlRepo: join(SHARED, 'parity', 'control-repo'),
  parityCases: join(SHARED, 'parity', 'cases'),
} as const;

/** Whether all of this material is there. Tests of it skip when it is not, on CI too. */
export function isBeside(...names: readonly (keyof typeof BESIDE)[]): boolean {
  return names.every((name) => existsSync(BESIDE[name]));
}
