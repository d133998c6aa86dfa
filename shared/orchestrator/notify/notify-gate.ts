import type { Stores } from '../../store/ports/stores.ts';
import type { JobEngine } from '../jobs/job-engine.ts';
import type { GateState, StartGate } from '../jobs/start-gate.ts';
import { hasNewestCatalog } from './node-runs.ts';
import type { NotifyBook } from './notify-book.ts';
import type { NotifyPolicies } from './notify-policies.ts';

interface GateParts {
  readonly stores: Pick<Stores, 'nodes' | 'documents' | 'clock'>;
  readonly book: NotifyBook;
  readonly policies: NotifyPolicies;
  /** The nodes on which Puppet runs for a job now. */
  readonly findRunning: () => ReadonlySet<string>;
}

const GATES = 'notify-gates';
/** A node whose run is in progress is looked at again after this time. */
export const BUSY_MS = 5000;

/** The gate of jobs that notify nodes. Any process may run such a job: the store has the state. */
export class NotifyGate implements StartGate {
  readonly #parts: GateParts;

  constructor(parts: GateParts) {
    this.#parts = parts;
  }

  async read(job: number): Promise<GateState> {
    const found = await this.#parts.stores.documents.get(GATES, String(job));
    if (found === null) return { allowed: 0, description: null };
    return { allowed: Number(found.allowed), description: String(found.description) };
  }

  async write(job: number, { allowed, description }: GateState): Promise<void> {
    await this.#parts.stores.documents.put(GATES, String(job), { allowed, description });
  }

  async delete(job: number): Promise<void> {
    await this.#parts.stores.documents.delete(GATES, String(job));
  }

  async admit(_: number, certname: string): Promise<string | null> {
    const { stores, book, policies, findRunning } = this.#parts;
    const record = await stores.nodes.get(certname);
    if (record === null || record.catalog === null) return 'it was removed';
    const { notify } = await policies.resolve(certname, record.inputs?.environment ?? record.environment);
    if (notify === 'off') return 'its policy has notify off now';
    if (await hasNewestCatalog(stores, certname, record.catalog)) return 'its last run applied the catalog';
    if (!findRunning().has(certname)) return null;
    const last = await book.getNotified(certname);
    if (last !== null) await book.addLater(last.lane, last, stores.clock.now() + BUSY_MS);
    return 'a run of it is in progress; it is looked at again';
  }
}

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
