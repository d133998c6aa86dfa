import { MEASURES } from '../../config/metrics.ts';
import type { CompileJobReport } from './compile-job-report.ts';

const { compileJobs, nativeRubyDefects } = MEASURES;
const COUNTED: Readonly<Partial<Record<string, string>>> = compileJobs.cloudWatch;

/** The metrics of a job by name; empty for none. */
export function jobMetrics({ outcome, nativeDefects }: CompileJobReport): Readonly<Record<string, number>> {
  const metric = COUNTED[outcome];
  return {
    ...(metric && { [metric]: 1 }),
    ...(nativeDefects.length > 0 && { [nativeRubyDefects.cloudWatch]: nativeDefects.length }),
  };
}
