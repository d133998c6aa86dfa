import type { EnvironmentRecord } from '../../store/ports/environment-store.ts';

/** Counts the environments with a stage whose canaries are on trial, and those with a held one. */
export function countStages(records: readonly Pick<EnvironmentRecord, 'stage'>[]): {
  readonly trial: number;
  readonly held: number;
} {
  const stages = records.flatMap(({ stage }) => (stage && !stage.isEnding ? [stage] : []));
  const held = stages.filter((stage) => stage.held !== undefined).length;
  return { trial: stages.length - held, held };
}
