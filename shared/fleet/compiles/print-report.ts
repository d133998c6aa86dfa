import { MEASURES } from '../../config/metrics.ts';
import type { CompileJobReport } from './compile-job-report.ts';
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

/**
 * A line of the access log about a compile: the node, the outcome and the reasons. The compile log
 * has its messages.
 */
interface CompileEntry {
  readonly kind: 'compile';
  readonly time: string;
  readonly certname: string;
  readonly outcome: CompileJobReport['outcome'];
  readonly reasons: readonly string[];
  readonly codeId: string | null;
  readonly durationMs: number;
  readonly changed: boolean;
  /** Absent when there are none: see `CompileJobReport`. */
  readonly nativeDefects?: readonly string[];
}

/** Builds the entry; `now` is in milliseconds since the epoch. */
export function compileEntry(report: CompileJobReport, now: number): CompileEntry {
  const { certname, outcome, reasons, codeId, durationMs, changed, nativeDefects } = report;
  const time = new Date(now).toISOString();
  const defects = nativeDefects.length > 0 && { nativeDefects };
  return { kind: 'compile', time, certname, outcome, reasons, codeId, durationMs, changed, ...defects };
}
