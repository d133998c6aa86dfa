import { DEFAULT_POLICY, type FreshnessPolicy } from '../../fleet/policies/policy-fields.ts';
import type { Doorbell } from '../../store/ports/doorbell.ts';
import type { NodeChangeLog } from '../../store/ports/node-changes.ts';
import type { JobEngine } from '../jobs/job-engine.ts';
import type { StartGate } from '../jobs/start-gate.ts';
import type { DeployedGraphs } from '../order/deployed-graphs.ts';
import type { PxpGateway } from '../pxp/pxp-gateway.ts';
import { DueRecorder } from './due-recorder.ts';
import { EnvironmentSizes } from './environment-sizes.ts';
import { Notifier } from './notifier.ts';
import { NotifyBook, type NotifyCounts } from './notify-book.ts';
import { NotifyGate } from './notify-gate.ts';
import { NotifyLease } from './notify-lease.ts';
import { NotifyPolicies } from './notify-policies.ts';
import { RolloutStore } from './rollout-state.ts';
import { type RolloutParts, Rollouts } from './rollouts.ts';
import { MOST_IN_WAVE } from './wave-former.ts';
import { WaveOrder } from './wave-order.ts';

interface NotifyServiceParts {
  readonly stores: RolloutParts['stores'];
  /** Null where others record the changes of nodes. */
  readonly changes: NodeChangeLog | null;
  readonly gateway: Pick<PxpGateway, 'listConnected'>;
  readonly doorbell?: Pick<Doorbell, 'isHeard' | 'wait'> | undefined;
  /** Names this process among those that share the store; absent when there is no other. */
  readonly owner?: string;
  /** The values that no policy sets. */
  readonly usual?: FreshnessPolicy;
  /** Dependencies between the nodes of environments; absent: none. */
  readonly graphs?: Pick<DeployedGraphs, 'read'>;
  /** Nodes of one job; `MOST_IN_WAVE` by default. */
  readonly mostNodes?: number;
  /** Retention of jobs. */
  readonly keepMs: number;
  readonly log: (message: string) => void;
  readonly reportFailure: (message: string, cause: unknown) => void;
}

/** Counts of notified nodes. */
export interface NotifyNumbers extends NotifyCounts {
  /** Since the start of this process. */
  readonly notified: number;
  /** Rollouts that a canary stopped. */
  readonly paused: number;
}

/** Notifies nodes of changed catalogs. */
export interface NotifyService {
  /** For the engine that runs the jobs. */
  readonly gate: StartGate;
  /** Connects the engine; call it before the first tick. */
  connect(engine: RolloutParts['engine']): void;
  noteArrival(certname: string): void;
  /** Lets the rollout go on that this job's canaries paused; false when there is none. */
  resume(job: number): Promise<boolean>;
  tick(): Promise<void>;
  /** Runs until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** Whether this process is the notifier among those that share the store. */
  isActive(): boolean;
  /** Counts up to `most` of each. */
  count(most: number): Promise<NotifyNumbers>;
}

type Engine = RolloutParts['engine'];

/** Connects the parts of the notifier. */
export function assembleNotifier(parts: NotifyServiceParts): NotifyService {
  const { stores, usual = DEFAULT_POLICY } = parts;
  const book = new NotifyBook(stores.documents);
  const policies = new NotifyPolicies(stores.documents, stores.clock, usual, parts.log);
  const late = new LateEngine();
  const gate = new NotifyGate({ stores, book, policies, findRunning: () => late.findRunning() });
  const sizes = new EnvironmentSizes(stores, parts.reportFailure);
  const order = new WaveOrder(parts.graphs ?? null);
  const shared = {
    ...parts,
    sizes,
    order,
    book,
    policies,
    gate,
    engine: late,
    rollouts: new RolloutStore(stores.documents),
    mostNodes: parts.mostNodes ?? MOST_IN_WAVE,
  };
  const rollouts = new Rollouts({ ...shared, onParked: () => notifier.noteParked() });
  const lease = parts.owner === undefined ? null : new NotifyLease(stores, parts.owner);
  const recorder = new DueRecorder({ stores, book, policies });
  const notifier: Notifier = new Notifier({ ...parts, book, recorder, rollouts, lease });
  return {
    gate,
    connect: (engine) => late.set(engine),
    noteArrival: (certname) => notifier.noteArrival(certname),
    resume: (job) => shared.rollouts.resume(job),
    tick: () => notifier.tick(),
    run: (signal) => notifier.run(signal),
    isActive: () => notifier.isActive,
    count: async (most) => ({ ...(await book.count(most)), notified: rollouts.notified, paused: rollouts.paused }),
  };
}

/** The engine needs the gate when it is made, and the rollouts need the engine. */
class LateEngine implements Engine {
  #engine: Engine | null = null;

  set(engine: Engine): void {
    this.#engine = engine;
  }

  async open(number: number): Promise<void> {
    await this.#engine?.open(number);
  }

  findRunning(): ReadonlySet<string> {
    return this.#engine?.findRunning() ?? new Set();
  }

  async stop(...args: Parameters<JobEngine['stop']>): ReturnType<JobEngine['stop']> {
    return this.#engine === null ? null : this.#engine.stop(...args);
  }

  nudge(number: number): void {
    this.#engine?.nudge(number);
  }
}
