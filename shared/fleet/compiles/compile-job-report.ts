import type { LogEntry } from '../../puppet/errors/compile-log.ts';

export interface CompileJobReport {
  readonly certname: string;
  /**
   * `dropped`: built already, or the node does not exist. `verified`: every input is unchanged.
   * `compiled`, `failed`: committed. `superseded`: a newer commit is stored, or another worker has
   * the lease. `answered`: compiled for a compile question, and not committed. `warmed`: an
   * environment was opened, and nothing else.
   */
  readonly outcome: 'dropped' | 'verified' | 'compiled' | 'failed' | 'superseded' | 'answered' | 'warmed';
  /** The reasons for the compile; empty without one. */
  readonly reasons: readonly string[];
  readonly codeId: string | null;
  /** Duration of the compile; 0 without one. */
  readonly durationMs: number;
  /** Whether the catalog differs from the node's last one. */
  readonly changed: boolean;
  readonly log: readonly LogEntry[];
  /** Defects of ours: errors of native code after which Ruby ran it instead, each with its file. */
  readonly nativeDefects: readonly string[];
  /**
   * Set when another worker has the node's lease: when it ends. That worker also serves this job's
   * reason unless it dies, so the job must be received again then.
   */
  readonly heldUntil?: number;
  /**
   * Set when nothing but collected exports changed and the node may not be compiled for them yet,
   * or when the job came too early: when it may, and the generation for which a job is asked. The
   * job must be received again then.
   */
  readonly deferred?: { readonly until: number; readonly generation: number };
}

/** Creates a report for `certname`; omitted fields are empty. */
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
