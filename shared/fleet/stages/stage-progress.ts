import type { CodeStage } from '../../store/ports/environment-store.ts';
import type { Stores } from '../../store/ports/stores.ts';
import type { CanaryProgress } from './look-at-canaries.ts';

/** Numbers of canaries, when a stage was judged last. */
interface StageCounts {
  readonly good: number;
  readonly worse: number;
}

/** The collection of the counts, by environment. */
const PROGRESS = 'stage-progress';

/** Keeps how the canaries of a stage do: one read, and a write when that changed. */
export async function keepStageCounts(
  environment: string,
  { number }: Pick<CodeStage, 'number'>,
  states: readonly Pick<CanaryProgress, 'status'>[],
  { documents }: Pick<Stores, 'documents'>,
): Promise<void> {
  const count = (status: CanaryProgress['status']) => states.filter((state) => state.status === status).length;
  const [good, worse] = [count('good'), count('worse')];
  const kept = await documents.get(PROGRESS, environment);
  if (kept?.number === number && kept.good === good && kept.worse === worse) return;
  await documents.put(PROGRESS, environment, { number, good, worse });
}

/** The numbers when a stage was judged last; null before that. It reads no canary. */
export async function readStageCounts(
  environment: string,
  { number }: Pick<CodeStage, 'number'>,
  { documents }: Pick<Stores, 'documents'>,
): Promise<StageCounts | null> {
  const kept = await documents.get(PROGRESS, environment);
  return kept?.number === number ? { good: Number(kept.good), worse: Number(kept.worse) } : null;
}
