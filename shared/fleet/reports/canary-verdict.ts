import { countUnits } from '../../util/count-units.ts';

/** State of a node after a Puppet run. */
export interface RunHealth {
  readonly isFailed: boolean;
  /** Resources that failed; null when no report says it. */
  readonly failedResources: number | null;
}

/** Verdict on a canary. */
export type CanaryVerdict = { readonly isWorse: false } | { readonly isWorse: true; readonly reason: string };

const NO_WORSE: CanaryVerdict = { isWorse: false };

/**
 * Compares a run with the one before it (null: there was none, or it is not known): it is worse
 * when it failed where the node had not failed before, or when more resources failed.
 */
export function judgeCanary(before: RunHealth | null, after: RunHealth): CanaryVerdict {
  const [failedBefore, failed] = [before?.failedResources ?? 0, after.failedResources ?? 0];
  if (failed > failedBefore) return { isWorse: true, reason: `${describeFailed(failed)}, ${failedBefore} before` };
  if (!after.isFailed || before?.isFailed) return NO_WORSE;
  return { isWorse: true, reason: before === null ? 'its run failed' : 'its run failed, and the one before did not' };
}

function describeFailed(count: number): string {
  return `${countUnits(count, 'resource')} failed`;
}
