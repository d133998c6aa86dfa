import type { LogEntry } from '../../puppet/errors/compile-log.ts';

export interface CompileJobReport {
  readonly certname: string;
  /**
   * `dropped`: built already, or there is no such node. `verified`: every input is unchanged.
   * `compiled`, `failed`: committed. `superseded`: a newer commit stands, or somebody else does the
   * work. `answered`: compiled for whoever asked, and not committed.
   */
  readonly outcome: 'dropped' | 'verified' | 'compiled' | 'failed' | 'superseded' | 'answered';
  /** Why it was compiled; empty when it was not. */
  readonly reasons: readonly string[];
  readonly codeId: string | null;
  /** Of the compile; 0 when there was none. */
  readonly durationMs: number;
  /** Whether the catalog differs from the node's last one. */
  readonly changed: boolean;
  readonly log: readonly LogEntry[];
  /**
   * What native code failed at, so that Ruby ran it: the file and the error of each. Defects of
   * ours.
   */
  readonly nativeDefects: readonly string[];
  /**
   * Of a job that met the lease of another: when that ends. Whoever has the lease takes the reason
   * along, unless it dies: the job has to come again then.
   */
  readonly heldUntil?: number;
}

/** A report of `certname`; what is not said is nothing. */
export function createCompileJobReport(
  certname: string,
  outcome: CompileJobReport['outcome'],
  more: Partial<CompileJobReport> = {},
): CompileJobReport {
  return {
    certname,
    outcome,
    reasons: [],
    codeId: null,
    durationMs: 0,
    changed: false,
    log: [],
    nativeDefects: [],
    ...more,
  };
}
