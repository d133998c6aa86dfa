import { type CanaryVerdict, judgeCanary, type RunHealth } from '../../fleet/reports/canary-verdict.ts';
import type { NodeRun } from '../../store/ports/job-records.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { isJsonObject } from '../../util/json-object.ts';
import { readKeptValue } from '../jobs/kept-values.ts';
import { listNodeRuns } from '../jobs/load-job.ts';
import { findRunHealth } from './node-runs.ts';
import type { RolloutPause, Wave } from './rollout-state.ts';

/** Verdict of a job's first nodes about the others. */
type CanaryState =
  /** Not enough of them ended; `allowed` nodes may start. */
  | { readonly kind: 'waiting'; readonly allowed: number }
  | { readonly kind: 'passed'; readonly count: number }
  | { readonly kind: 'failed'; readonly pause: Pick<RolloutPause, 'reason' | 'nodes'> };

/** A canary that has not ended by then stops the others. */
const LONGEST_WAIT_MS = 3600_000;
/** Nodes that cannot be run are replaced, up to this multiple of the number of canaries. */
const MOST_REPLACED = 3;

/** Compares the canaries of jobs with how they were before. */
export class CanaryWatch {
  readonly #stores: Pick<Stores, 'jobs' | 'documents' | 'blobs' | 'clock'>;
  /** Verdicts by transaction: a run is judged once. */
  readonly #verdicts = new Map<string, CanaryVerdict>();

  constructor(stores: Pick<Stores, 'jobs' | 'documents' | 'blobs' | 'clock'>) {
    this.#stores = stores;
  }

  /** `hasMore`: further nodes of the job may start. */
  async look({ job, canaries, since }: Wave, hasMore: boolean): Promise<CanaryState> {
    const runs: NodeRun[] = [];
    for await (const run of listNodeRuns(this.#stores.jobs, job)) runs.push(run);
    const judged = runs.filter(({ state }) => state === 'finished' || state === 'failed');
    const worse: (readonly [string, string])[] = [];
    for (const run of judged) {
      const verdict = await this.#judge(job, run);
      if (verdict.isWorse) worse.push([run.name, verdict.reason]);
    }
    if (worse.length > 0) return { kind: 'failed', pause: describeWorse(worse) };
    const isRunning = runs.some(({ state }) => state === 'running');
    if (judged.length >= canaries || !(hasMore || isRunning)) return { kind: 'passed', count: judged.length };
    const errored = runs.filter(({ state }) => state === 'errored');
    if (errored.length > MOST_REPLACED * canaries) {
      const reason = `${errored.length} nodes could not be run, such as ${errored[0]?.name}`;
      return { kind: 'failed', pause: { reason, nodes: [] } };
    }
    if (since !== null && this.#stores.clock.now() - since > LONGEST_WAIT_MS) {
      const late = runs.flatMap(({ name, state }) => (state === 'running' ? [name] : []));
      const reason = `${late.join(', ') || 'a first node'} did not end within ${LONGEST_WAIT_MS / 60_000} minutes`;
      return { kind: 'failed', pause: { reason, nodes: late } };
    }
    return { kind: 'waiting', allowed: canaries + errored.length };
  }

  /** The job's verdicts are not asked for any more. */
  forget(job: number): void {
    for (const key of this.#verdicts.keys()) if (key.startsWith(`${job} `)) this.#verdicts.delete(key);
  }

  async #judge(job: number, run: NodeRun): Promise<CanaryVerdict> {
    const key = `${job} ${run.name}`;
    const known = this.#verdicts.get(key);
    if (known !== undefined) return known;
    const { before, after } = await findRunHealth(this.#stores, run.name, run.transactionUuid);
    const verdict = judgeCanary(before, after ?? (await this.#readOutcome(run)));
    this.#verdicts.set(key, verdict);
    return verdict;
  }

  /** Reads the agent's own account of its run, where there is no report. */
  async #readOutcome({ state, result }: NodeRun): Promise<RunHealth> {
    const value = result === null ? null : await readKeptValue(this.#stores.blobs, result);
    const failed = isJsonObject(value) && isJsonObject(value.metrics) ? value.metrics.failed : null;
    return { isFailed: state === 'failed', failedResources: typeof failed === 'number' ? failed : null };
  }
}

function describeWorse(worse: readonly (readonly [string, string])[]): Pick<RolloutPause, 'reason' | 'nodes'> {
  const reason = worse.map(([name, why]) => `${name} did worse than before (${why})`).join('; ');
  return { reason, nodes: worse.map(([name]) => name) };
}
