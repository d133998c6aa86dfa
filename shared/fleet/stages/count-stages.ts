import type { EnvironmentRecord } from '../../store/ports/environment-store.ts';

/** How many environments have a stage whose canaries are on trial, and one that is held. */
export function countStages(records: readonly Pick<EnvironmentRecord, 'stage'>[]): {
  readonly trial: number;
  readonly held: number;
} {
  const stages = records.flatMap(({ stage }) => (stage && !stage.isEnding ? [stage] : []));
  const held = stages.filter((stage) => stage.held !== undefined).length;
  return { trial: stages.length - held, held };
}
