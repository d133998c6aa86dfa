import type { CompileJobReport } from './compile-job-report.ts';

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
