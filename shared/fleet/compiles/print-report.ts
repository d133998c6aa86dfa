import { MEASURES } from '../../config/metrics.ts';
import type { CompileJobReport } from './compile-job-report.ts';
import { compileEntry } from './compile-line.ts';
import { jobMetrics } from './job-metrics.ts';
import { metricLine } from './metric-line.ts';

/**
 * Prints the outcome of a job for CloudWatch: an access log line, the compile log and the metrics.
 * `missingPacks` counts packs of code that were missing or damaged since the last report.
 */
export function printReport(report: CompileJobReport, now: number, missingPacks: number): void {
  process.stdout.write(`${JSON.stringify(compileEntry(report, now))}\n`);
  for (const entry of report.log) console.info('compile log', report.certname, entry);
  // Bypasses the console, which would wrap the line with JSON logging; CloudWatch would then find
  // no metric in it.
  const values = {
    ...jobMetrics(report),
    ...(missingPacks > 0 && { [MEASURES.missingPacks.cloudWatch]: missingPacks }),
  };
  if (Object.keys(values).length > 0) process.stdout.write(metricLine(values, now));
}
