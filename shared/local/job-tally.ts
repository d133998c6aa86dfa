import type { JobReport } from '../fleet/compiles/job-report.ts';
import type { WorkerMessage } from './worker-message.ts';

/** Counts what became of the jobs since the start. */
export class JobTally {
  readonly #counts: Record<JobReport['outcome'] | 'faults', number> = {
    compiled: 0,
    failed: 0,
    verified: 0,
    dropped: 0,
    superseded: 0,
    answered: 0,
    faults: 0,
  };

  note(message: WorkerMessage): void {
    this.#counts[message.kind === 'report' ? message.report.outcome : 'faults'] += 1;
  }

  counts(): Readonly<Record<string, number>> {
    return { ...this.#counts };
  }
}
