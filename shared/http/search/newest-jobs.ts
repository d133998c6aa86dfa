import type { JobRecord } from '../../store/ports/job-records.ts';
import type { JobStore, Ledger } from '../../store/ports/job-store.ts';
import { cacheFor } from '../../util/cache-for.ts';

type StoredJob = Ledger<JobRecord>;

/** Jobs among which descriptions are looked for. */
const MOST_JOBS = 200;
const KEPT_MS = 10_000;

/** The newest jobs. The number of reads grows with the logarithm of the number of jobs. */
export class NewestJobs {
  readonly #jobs: Pick<JobStore, 'get' | 'list'>;
  readonly #read: () => Promise<readonly StoredJob[]>;
  /** A number below which no job is the newest. */
  #known = 0;

  constructor(jobs: Pick<JobStore, 'get' | 'list'>, clock: { now(): number }) {
    this.#jobs = jobs;
    this.#read = cacheFor(KEPT_MS, clock, () => this.#readNewest());
  }

  /** The job of this number, then the newest whose description or task contains the text. */
  async find(text: string, limit: number): Promise<readonly StoredJob[]> {
    const named = /^\d{1,12}$/.test(text) ? await this.#jobs.get('job', Number(text)) : null;
    const others = (await this.#read()).filter(
      ({ number, body }) =>
        number !== named?.number &&
        [body.description, body.task ?? ''].some((words) => words.toLowerCase().includes(text)),
    );
    return [...(named === null ? [] : [named]), ...others].slice(0, limit);
  }

  async #readNewest(): Promise<readonly StoredJob[]> {
    this.#known = await this.#findLast(this.#known);
    const jobs = await this.#jobs.list('job', Math.max(0, this.#known - MOST_JOBS), 2 * MOST_JOBS);
    return jobs.toReversed();
  }

  /** The greatest number, by doubling the step until no job has a greater one, then by halves. */
  async #findLast(from: number): Promise<number> {
    let [low, step] = [from, 1];
    while (await this.#hasAfter(low + step - 1)) {
      low += step;
      step *= 2;
    }
    let high = low + step - 1;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (await this.#hasAfter(middle)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  async #hasAfter(number: number): Promise<boolean> {
    return (await this.#jobs.list('job', number, 1)).length > 0;
  }
}
