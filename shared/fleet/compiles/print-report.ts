import type { CompileJobReport } from './compile-job-report.ts';
import { compileEntry } from './compile-line.ts';
import { jobMetrics } from './job-metrics.ts';
import { metricLine } from './metric-line.ts';

/**
 * Prints what became of a job for CloudWatch: a line of the access log, the log of its compile, and
 * its metrics.
 */
export function printReport(report: CompileJobReport, now: number): void {
  process.stdout.write(`${JSON.stringify(compileEntry(report, now))}\n`);
  for (const entry of report.log) console.info('compile log', report.certname, entry);
  // Not through the console: with JSON logs that would wrap the line, and CloudWatch would see no
  // metric in it.
  const values = jobMetrics(report);
  if (Object.keys(values).length > 0) process.stdout.write(metricLine(values, now));
}
