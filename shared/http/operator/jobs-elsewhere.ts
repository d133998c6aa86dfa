import type { JobProgress } from '../../orchestrator/jobs/job-context.ts';
import type { Clock } from '../../store/ports/clock.ts';
import type { JobStore } from '../../store/ports/job-store.ts';

/** Open jobs that are looked at: the newest ones. */
const MOST_JOBS = 50;
const LOOK_MS = 5000;

interface JobsElsewhereOptions {
  readonly jobs: Pick<JobStore, 'get' | 'listOpen'>;
  readonly clock: Clock;
  /** The jobs that this process runs and reports itself. */
  readonly findOwn: () => readonly number[];
  /** Whether somebody watches jobs. */
  readonly isWatched: () => boolean;
  /** Receives each job that has another version than at the last look. */
  readonly reportProgress: (progress: JobProgress) => void;
  readonly reportFailure: (message: string, cause: unknown) => void;
}

/**
 * Reports jobs that other processes run, as while one container takes the place of another: their
 * steps are seen in the store, every five seconds while somebody looks. A look costs one request,
 * and one for each such job.
 */
export class JobsElsewhere {
  readonly #options: JobsElsewhereOptions;
  /** The versions at the last look; null: nobody looked. */
  #known: ReadonlyMap<number, number> | null = null;

  constructor(options: JobsElsewhereOptions) {
    this.#options = options;
  }

  /** Looks until `signal` ends it. A failure is reported, and the next look is as far away. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, isWatched, reportFailure } = this.#options;
    while (!signal.aborted) {
      if (!isWatched()) this.#known = null;
      else await this.look().catch((error: unknown) => reportFailure('Jobs of other processes are not shown', error));
      await clock.sleep(LOOK_MS, signal);
    }
  }

  async look(): Promise<void> {
    const { jobs, findOwn, reportProgress } = this.#options;
    const open = await jobs.listOpen('job');
    const own = new Set(findOwn());
    const before = this.#known;
    // Jobs that ended since are looked at once more.
    const numbers = new Set([
      ...open.filter((number) => !own.has(number)).slice(-MOST_JOBS),
      ...(before?.keys() ?? []),
    ]);
    const isOpen = new Set(open);
    const present = new Map<number, number>();
    for (const number of numbers) {
      const ledger = own.has(number) ? null : await jobs.get('job', number);
      if (ledger === null) continue;
      if (before !== null && before.get(number) !== ledger.version)
        reportProgress({ number, body: ledger.body, nodes: [] });
      if (isOpen.has(number)) present.set(number, ledger.version);
    }
    this.#known = present;
  }
}
