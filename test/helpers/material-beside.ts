import { existsSync } from 'node:fs';
import { join } from 'node:path';

const SHARED = join(import.meta.dirname, '..', '..', '..', 'shared');

/**
 * Recordings that may lie beside a clone, in `../shared`. They come from other projects, so they
 * are not in the repository.
 */
export const BESIDE = {
  agentRecordings: join(SHARED, 'agent', 'recordings'),
  openvoxRecordings: join(SHARED, 'openvox', 'agent', 'recordings'),
  curlRecordings: join(SHARED, 'agent'),
  controlRepo: join(SHARED, 'parity', 'control-repo'),
  parityCases: join(SHARED, 'parity', 'cases'),
  taskCases: join(SHARED, 'orchestrator', 'tasks'),
  inventoryCases: join(SHARED, 'inventory'),
  accessExamples: join(SHARED, 'orchestrator', 'rbac'),
} as const;

/** Whether all of this material exists. Tests that need it are skipped otherwise, on CI too. */
export function isBeside(...names: readonly (keyof typeof BESIDE)[]): boolean {
  return names.every((name) => existsSync(BESIDE[name]));
}
