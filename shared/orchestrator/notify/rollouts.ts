import { isWindowOpen, type NotifyRate } from '../../fleet/policies/notify-policy.ts';
import type { JobRecord } from '../../store/ports/job-records.ts';
import type { Ledger } from '../../store/ports/job-store.ts';
import type { Stores } from '../../store/ports/stores.ts';
import type { JobEngine } from '../jobs/job-engine.ts';
import { CanaryWatch } from './canary-watch.ts';
import { type NotifyGate, WaveGates } from './notify-gate.ts';
import { type NotifyLane, parseLane } from './notify-lane.ts';
import { Pace } from './pace.ts';
import { clearPause, describePause, passCanaries, pauseRollout, replaceWave } from './rollout-changes.ts';
import type { Rollout, RolloutPause, Wave } from './rollout-state.ts';
import { endWave } from './wave-end.ts';
import { WaveFormer, type WaveParts } from './wave-former.ts';
import { describeWave } from './wave-job.ts';

export interface RolloutParts extends Omit<WaveParts, 'stores' | 'engine'> {
  readonly stores: Pick<Stores, 'jobs' | 'blobs' | 'documents' | 'environments' | 'nodes' | 'clock'>;
  readonly gate: NotifyGate;
  readonly engine: Pick<JobEngine, 'open' | 'findRunning' | 'stop' | 'nudge'>;
}

/** Jobs of a lane whose nodes all started, and that wait for the last of them. */
const MOST_WAVES = 20;

type JobLedger = Ledger<JobRecord>;

/** Takes the rollout of each lane further, step by step. All it needs to go on is in the store. */
export class Rollouts {
  readonly #parts: RolloutParts;
  readonly #former: WaveFormer;
  readonly #canaries: CanaryWatch;
  readonly #gates: WaveGates;
  readonly #known = new Map<string, Rollout>();
  readonly #paces = new Map<string, Pace>();
  /** Nodes that were notified in jobs that ended since the start. */
  notified = 0;

  constructor(parts: RolloutParts) {
    this.#parts = parts;
    this.#former = new WaveFormer(parts);
    this.#canaries = new CanaryWatch(parts.stores);
    this.#gates = new WaveGates(parts.gate, parts.engine);
  }

  /** Number of paused rollouts. */
  get paused(): number {
    return [...this.#known.values()].filter(({ paused }) => paused !== null).length;
  }

  /** Forgets what is in memory: another process may have written meanwhile. */
  reset(): void {
    this.#known.clear();
    this.#gates.reset();
  }

  /** Does what is due in a lane. */
  async step(name: string): Promise<void> {
    const lane = parseLane(name);
    if (lane === null) return;
    const found = this.#known.get(name) ?? (await this.#parts.rollouts.get(name));
    let rollout = await this.#former.finish(name, lane, found);
    rollout = await this.#settlePause(name, rollout);
    let isBusy = false;
    for (const { job } of rollout.waves) {
      const ledger = await this.#parts.stores.jobs.get('job', job);
      if (ledger === null || ledger.body.finishedAt !== null) rollout = await this.#close(name, rollout, job, ledger);
      else {
        const wave = findWave(rollout, job);
        isBusy ||= (ledger.body.nodeStates.new ?? 0) > 0 || wave?.phase === 'canary' || wave?.isOrdered === true;
        rollout = await this.#advance(name, lane, rollout, ledger);
      }
    }
    this.#known.set(name, rollout);
    if (isBusy || rollout.waves.length >= MOST_WAVES) return;
    const formed = await this.#former.form(name, lane, rollout);
    this.#known.set(name, formed);
    const wave = formed.waves[rollout.waves.length];
    const ledger = wave && (await this.#parts.stores.jobs.get('job', wave.job));
    if (ledger) this.#known.set(name, await this.#advance(name, lane, formed, ledger));
  }

  async #put(name: string, rollout: Rollout): Promise<Rollout> {
    await this.#parts.rollouts.put(name, rollout);
    this.#known.set(name, rollout);
    return rollout;
  }

  /** Lets further nodes of a job start, as far as canaries, rate and window allow. */
  async #advance(name: string, lane: NotifyLane, rollout: Rollout, ledger: JobLedger): Promise<Rollout> {
    const wave = findWave(rollout, ledger.number);
    if (wave === null) return rollout;
    // Again, in case that the process which superseded it died before it was stopped.
    if (wave.isSuperseded) await this.#parts.engine.stop(wave.job, 'soft');
    if (wave.isSuperseded) return rollout;
    if (rollout.paused !== null) return this.#hold(lane, rollout, rollout.paused, ledger);
    if (wave.phase === 'canary') return this.#advanceCanaries(name, lane, rollout, wave, ledger);
    const { started, unstarted } = countNodes(ledger);
    if (unstarted === 0) return rollout;
    const granted = Math.max(started, await this.#gates.findAllowed(wave.job));
    // Nodes that wait for others save nothing up.
    const isWaiting = wave.isOrdered === true && granted > started;
    const more = isWaiting ? 0 : await this.#earn(name, lane, unstarted - (granted - started));
    await this.#gates.set(wave.job, granted + more, describeWave(lane.environment));
    return rollout;
  }

  async #hold(lane: NotifyLane, rollout: Rollout, paused: RolloutPause, ledger: JobLedger): Promise<Rollout> {
    const { started, unstarted } = countNodes(ledger);
    if (unstarted > 0) await this.#gates.set(ledger.number, started, describePause(lane, paused));
    return rollout;
  }

  async #advanceCanaries(
    name: string,
    lane: NotifyLane,
    rollout: Rollout,
    wave: Wave,
    ledger: JobLedger,
  ): Promise<Rollout> {
    const { unstarted } = countNodes(ledger);
    const { clock } = this.#parts.stores;
    const state = await this.#canaries.look(wave, unstarted > 0);
    if (state.kind === 'passed') return this.#put(name, passCanaries(rollout, wave, state.count));
    if (state.kind === 'failed') {
      const paused = { ...state.pause, job: wave.job, codeId: wave.codeId, at: clock.now() };
      return this.#hold(lane, await this.#pause(name, lane, rollout, paused), paused, ledger);
    }
    if (unstarted === 0 || !isWindowOpen(lane.window, clock.now())) return rollout;
    const first = wave.canaries === 1 ? '1 node goes first' : `${wave.canaries} nodes go first`;
    const begun = wave.since === null ? replaceWave(rollout, { ...wave, since: clock.now() }) : rollout;
    if (begun !== rollout) await this.#put(name, begun);
    await this.#gates.set(wave.job, state.allowed, `${describeWave(lane.environment)}: ${first}`);
    return begun;
  }

  /** Returns the number of further nodes to notify, up to `most`. */
  async #earn(name: string, lane: NotifyLane, most: number): Promise<number> {
    const { policies, stores } = this.#parts;
    const now = stores.clock.now();
    const pace = this.#paces.get(name) ?? new Pace(now);
    this.#paces.set(name, pace);
    const { notifyRate } = await policies.resolve(null, lane.environment);
    const earned = pace.earn(lane, notifyRate, this.#countNodes(lane, notifyRate), now);
    const more = Math.max(0, Math.min(earned, most));
    pace.spend(more);
    return more;
  }

  /** Returns the base of a percentage. While the nodes are counted, the least rate holds. */
  #countNodes({ environment, notify }: NotifyLane, { unit }: NotifyRate): number {
    return notify === 'paced' && unit === 'percent' ? (this.#parts.sizes.find(environment) ?? 0) : 0;
  }

  async #pause(name: string, lane: NotifyLane, rollout: Rollout, paused: RolloutPause): Promise<Rollout> {
    this.#parts.log(`Job ${paused.job}: ${describePause(lane, paused)}`);
    return this.#put(name, pauseRollout(rollout, paused));
  }

  /** Goes on with a paused rollout when an operator says so, or when newer catalogs are there. */
  async #settlePause(name: string, rollout: Rollout): Promise<Rollout> {
    const { rollouts, book, engine, log } = this.#parts;
    const { paused, waves } = rollout;
    if (paused === null) return rollout;
    if (await rollouts.isToResume(name, paused.job)) {
      log(`The rollout of job ${paused.job} goes on`);
      return this.#put(name, clearPause(rollout, 'resumed'));
    }
    const isDue = await Promise.all(paused.nodes.map((node) => book.isDue(name, node)));
    if (!isDue.includes(true)) return rollout;
    log(`The rollout of job ${paused.job} begins again with newer catalogs`);
    const cleared = await this.#put(name, clearPause(rollout, 'superseded'));
    for (const { job } of waves) await engine.stop(job, 'soft');
    return cleared;
  }

  /** A job ended. */
  async #close(name: string, given: Rollout, job: number, ledger: JobLedger | null): Promise<Rollout> {
    const wave = findWave(given, job);
    const lane = parseLane(name);
    if (wave === null || lane === null) return given;
    let rollout = given;
    if (ledger !== null) {
      const isStopped = ledger.body.stays.at(-1)?.state === 'stopped' && !wave.isSuperseded;
      rollout = isStopped ? this.#drop(rollout) : await this.#judgeEnd(name, lane, rollout, wave);
      await endWave(name, ledger, wave.isSuperseded, this.#parts);
      this.notified += countNodes(ledger).started;
    }
    await this.#gates.delete(job);
    this.#canaries.forget(job);
    return this.#put(name, { ...rollout, waves: rollout.waves.filter((one) => one.job !== job) });
  }

  /** Somebody stopped the job: who is due now gets the catalog at the next check-in. */
  #drop(rollout: Rollout): Rollout {
    return { ...rollout, paused: null, droppedUntil: this.#parts.stores.clock.now() };
  }

  /** All nodes of a job may be canaries: what follows depends on them. */
  async #judgeEnd(name: string, lane: NotifyLane, rollout: Rollout, wave: Wave): Promise<Rollout> {
    if (wave.phase !== 'canary' || wave.isSuperseded || rollout.paused !== null) return rollout;
    const state = await this.#canaries.look(wave, false);
    if (state.kind === 'passed') return passCanaries(rollout, wave, state.count);
    if (state.kind === 'waiting') return rollout;
    const { job, codeId } = wave;
    return this.#pause(name, lane, rollout, { ...state.pause, job, codeId, at: this.#parts.stores.clock.now() });
  }
}

function findWave({ waves }: Rollout, job: number): Wave | null {
  return waves.find((wave) => wave.job === job) ?? null;
}

function countNodes({ body }: JobLedger): { readonly started: number; readonly unstarted: number } {
  const { new: unstarted = 0, skipped = 0 } = body.nodeStates;
  return { started: body.nodeCount - unstarted - skipped, unstarted };
}
