import type { CompileJobReport } from './compile-job-report.ts';

/**
 * A line of the access log about a compile: what became of which node, and why. Its messages are
 * the compile log's.
 */
export interface CompileEntry {
  readonly kind: 'compile';
  readonly time: string;
  readonly certname: string;
  readonly outcome: CompileJobReport['outcome'];
  readonly reasons: readonly string[];
  readonly codeId: string | null;
  readonly durationMs: number;
  readonly changed: boolean;
  /** Only where there are any: see `CompileJobReport`. */
  readonly nativeDefects?: readonly string[];
}

/** `now` in milliseconds since the epoch. */
export function compileEntry(report: CompileJobReport, now: number): CompileEntry {
  const { certname, outcome, reasons, codeId, durationMs, changed, nativeDefects } = report;
  const time = new Date(now).toISOString();
  const defects = nativeDefects.length > 0 && { nativeDefects };
  return { kind: 'compile', time, certname, outcome, reasons, codeId, durationMs, changed, ...defects };
}
