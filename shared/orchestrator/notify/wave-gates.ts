import type { JobEngine } from '../jobs/job-engine.ts';
import type { GateState } from '../jobs/start-gate.ts';
import type { NotifyGate } from './notify-gate.ts';

/** Sets the gates of jobs; what is as it was is not written again. */
export class WaveGates {
  readonly #gate: NotifyGate;
  readonly #engine: Pick<JobEngine, 'nudge'>;
  readonly #known = new Map<number, GateState>();

  constructor(gate: NotifyGate, engine: Pick<JobEngine, 'nudge'>) {
    this.#gate = gate;
    this.#engine = engine;
  }

  /** Finds the number of nodes of a job that were allowed to start. */
  async findAllowed(job: number): Promise<number> {
    const state = this.#known.get(job) ?? (await this.#gate.read(job));
    this.#known.set(job, state);
    return state.allowed;
  }

  async set(job: number, allowed: number, description: string): Promise<void> {
    const known = this.#known.get(job);
    if (known?.allowed === allowed && known.description === description) return;
    const state = { allowed, description };
    await this.#gate.write(job, state);
    this.#known.set(job, state);
    this.#engine.nudge(job);
  }

  async delete(job: number): Promise<void> {
    this.#known.delete(job);
    await this.#gate.delete(job);
  }

  /** Forgets what is in memory: another process may have written meanwhile. */
  reset(): void {
    this.#known.clear();
  }
}
