import type { CompileJobReport } from '../fleet/compiles/compile-job-report.ts';
import type { WorkerMessage } from './worker-message.ts';

/** Counts compile jobs by outcome since the start of the process. */
export class CompileJobCounters {
  readonly #counts: Record<CompileJobReport['outcome'] | 'faults', number> = {
    compiled: 0,
    failed: 0,
    verified: 0,
    dropped: 0,
    superseded: 0,
    answered: 0,
    warmed: 0,
    faults: 0,
  };

  count(message: WorkerMessage): void {
    this.#counts[message.kind === 'report' ? message.report.outcome : 'faults'] += 1;
  }

  getCounts(): Readonly<Record<string, number>> {
    return { ...this.#counts };
  }
}
