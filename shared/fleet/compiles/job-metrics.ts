import { METRICS } from '../../config/metrics.ts';
import type { CompileJobReport } from './compile-job-report.ts';

const COUNTED = {
  compiled: METRICS.compiledCatalogs,
  failed: METRICS.failedCatalogs,
  verified: METRICS.verifiedCatalogs,
} as const;

/** What a job adds to the metrics, by their names; empty when nothing. */
export function jobMetrics({ outcome, nativeDefects }: CompileJobReport): Readonly<Record<string, number>> {
  const metric = outcome === 'compiled' || outcome === 'failed' || outcome === 'verified' ? COUNTED[outcome] : null;
  return {
    ...(metric && { [metric]: 1 }),
    ...(nativeDefects.length > 0 && { [METRICS.nativeRubyDefects]: nativeDefects.length }),
  };
}
