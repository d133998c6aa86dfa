import { MEASURES } from '../../config/metrics.ts';
import type { CompileJobReport } from './compile-job-report.ts';

const { compileJobs, nativeRubyDefects } = MEASURES;
const COUNTED: Readonly<Partial<Record<string, string>>> = compileJobs.cloudWatch;

/** What a job adds to the metrics, by their names; empty when nothing. */
export function jobMetrics({ outcome, nativeDefects }: CompileJobReport): Readonly<Record<string, number>> {
  const metric = COUNTED[outcome];
  return {
    ...(metric && { [metric]: 1 }),
    ...(nativeDefects.length > 0 && { [nativeRubyDefects.cloudWatch]: nativeDefects.length }),
  };
}
