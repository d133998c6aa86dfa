import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { catalogUuid } from '../../shared/fleet/catalogs/catalog-blob.ts';
import { FreshnessPolicies } from '../../shared/fleet/policies/freshness-policies.ts';
import { readPolicyEntry } from '../../shared/fleet/policies/policy-fields.ts';
import { storeReport } from '../../shared/fleet/reports/node-reports.ts';
import { JobEngine } from '../../shared/orchestrator/jobs/job-engine.ts';
import { listNodeRuns } from '../../shared/orchestrator/jobs/load-job.ts';
import { OrchestratorError } from '../../shared/orchestrator/jobs/orchestrator-error.ts';
import { DEFAULT_PACING } from '../../shared/orchestrator/jobs/pacing.ts';
import { assembleNotifier, type NotifyService } from '../../shared/orchestrator/notify/assemble-notifier.ts';
import {
  EMPTY_GRAPH,
  type EnvironmentGraph,
  readEnvironmentGraph,
} from '../../shared/orchestrator/order/environment-graph.ts';
import { readTaskOutput } from '../../shared/orchestrator/tasks/task-result.ts';
import { type EmbeddedStores, openEmbeddedStores } from '../../shared/store/embedded/stores.ts';
import type { JobRecord } from '../../shared/store/ports/job-records.ts';
import { StoreUnavailable } from '../../shared/store/ports/store-errors.ts';
import { digestSha256 } from '../../shared/util/digest.ts';
import { ManualClock } from './memory-stores.ts';
import { NO_INPUTS } from './no-inputs.ts';
import { type Behaviour, SimulatedNetwork, TEST_VAULT } from './orchestration.ts';

/** A file system in memory: thousands of commits wait for no disk there. */
const MEMORY = '/dev/shm';
const WRITES = [
  'put',
  'create',
  'replace',
  'delete',
  'remove',
  'commit',
  'claim',
  'takeNumbers',
  'advance',
  'requestStop',
];

export interface NotifyWorldOptions {
  /** The process dies at its n-th write, before or after it was done. */
  /** The environment graph of every environment. */
  readonly graph?: string;
  /** Nodes of one job. */
  readonly mostNodes?: number;
  readonly death?: { readonly write: number; readonly isDone: boolean };
}

/**
 * Nodes whose catalogs change, agents that apply them and report, and a server that notifies them.
 * Time passes only by `pass`.
 */
export class NotifyWorld {
  readonly clock = new ManualClock();
  readonly stores: EmbeddedStores;
  readonly network = new SimulatedNetwork(this.clock);
  readonly failures: string[] = [];
  readonly log: string[] = [];
  /** How many resources fail on a node. */
  readonly failing = new Map<string, number>();
  /** Which catalogs each node applied, in order. */
  readonly applied = new Map<string, string[]>();
  readonly calls = new Map<string, number>();
  writes = 0;
  engine: JobEngine;
  notify: NotifyService;
  #isAlive = true;
  #options: NotifyWorldOptions;
  #runs = 0;
  readonly #reports: Promise<void>[] = [];
  /** Changes as a deploy changes it. */
  graph = '';
  readonly #directory = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'understudy-notify-'));

  constructor(options: NotifyWorldOptions = {}) {
    this.#options = options;
    this.graph = options.graph ?? '';
    this.stores = openEmbeddedStores(this.#directory, { clock: this.clock });
    [this.engine, this.notify] = this.#start();
  }

  #readGraph(): EnvironmentGraph {
    try {
      return this.graph === '' ? EMPTY_GRAPH : readEnvironmentGraph(this.graph);
    } catch (error) {
      throw new OrchestratorError('invalid-environment-graph', String(error));
    }
  }

  close(): void {
    this.stores.close();
    rmSync(this.#directory, { recursive: true });
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Ends the process without a word, and starts another one. */
  async restart(): Promise<void> {
    this.#options = {};
    this.#isAlive = true;
    await this.stores.releaseInFlight();
    [this.engine, this.notify] = this.#start();
    for (const [name, { isConnected }] of this.network.agents) if (isConnected) this.notify.noteArrival(name);
  }

  async setPolicy(key: string, policy: object): Promise<void> {
    // The consumer follows from the first tick on.
    await this.notify.tick();
    await new FreshnessPolicies(this.stores.documents).put(key, readPolicyEntry(policy));
  }

  /** Adds nodes with agents and first catalogs. */
  async addNodes(
    names: readonly string[],
    { isConnected = true, environment = 'production', ...agent }: NodeOptions = {},
  ) {
    this.network.addAgents(names, agent);
    for (const name of names) {
      this.network.agent(name).behaviour = { ...agent, onRun: () => this.#runPuppet(name) };
      this.network.agent(name).isConnected = isConnected;
      await this.commit(name, `${name} first`, { environment });
    }
  }

  connect(name: string): void {
    this.network.agent(name).isConnected = true;
    this.notify.noteArrival(name);
  }

  /** Commits a catalog with this text. */
  async commit(name: string, text: string, { environment = 'production', waiting = false } = {}): Promise<void> {
    const { nodes } = this.stores;
    const at = ++this.clock.time;
    await nodes.markSeen(name, environment, at);
    const node = await nodes.want(name, 'test', at, { asked: true, waiting });
    await nodes.lease(name, at, at + 1000, null);
    const generation = node?.wanted ?? 0;
    const hash = digestSha256(text);
    const catalog = { hash, codeId: null, namedCode: [], compiledAt: at, durationMs: 1, exported: '' };
    const inputs = { ...NO_INPUTS, environment };
    if (!(await nodes.commit({ certname: name, generation, catalog, failure: null, inputs, at }))) {
      throw new Error(`no commit for ${name}`);
    }
    await nodes.finishRound(name, at + 1000);
  }

  /** Stores the report of a run of a node's own, which applied its present catalog. */
  async checkIn(name: string): Promise<void> {
    this.#runPuppet(name);
    await Promise.all(this.#reports);
  }

  /** Lets time pass, second by second, or in larger steps. */
  async pass(seconds: number, step = 1): Promise<void> {
    for (let second = 0; second < seconds; second += step) {
      this.clock.time += 1000 * step;
      await this.settle();
      if (this.#isAlive) await this.notify.tick();
      if (this.#isAlive) await this.engine.tick().catch((error: unknown) => this.failures.push(String(error)));
      await this.settle();
    }
  }

  async settle(): Promise<void> {
    do {
      await this.engine.settle();
      await Promise.all(this.#reports.splice(0));
    } while (this.network.deliver());
  }

  /** How often Puppet ran on each node by the server's request. */
  get runs(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.network.agents].map(([name, { runs }]) => [name, runs]));
  }

  /** All jobs: their state, description and nodes. */
  async jobs(): Promise<
    readonly { state: string; description: string; nodes: Record<string, string>; body: JobRecord }[]
  > {
    const shown = [];
    for (const { number, body } of await this.stores.jobs.list('job', 0, 1000)) {
      const nodes: Record<string, string> = {};
      for await (const { name, state } of listNodeRuns(this.stores.jobs, number)) nodes[name] = state;
      shown.push({ state: body.stays.at(-1)?.state ?? '', description: body.description, nodes, body });
    }
    return shown;
  }

  #runPuppet(name: string) {
    const uuid = `run-${++this.#runs}`;
    const failed = this.failing.get(name) ?? 0;
    const status = failed > 0 ? 'failed' : 'changed';
    this.#reports.push(this.#report(name, uuid, status, failed));
    const base = { transaction_uuid: uuid, environment: 'production', status, metrics: { failed } };
    return failed > 0 ? { ...base, exitcode: 1, error: 'x' } : { ...base, exitcode: 0 };
  }

  async #report(name: string, uuid: string, status: string, failed: number): Promise<void> {
    const { nodes, documents, blobs } = this.stores;
    const catalog = (await nodes.get(name))?.catalog;
    if (!catalog) return;
    this.applied.set(name, [...(this.applied.get(name) ?? []), catalog.hash]);
    const metrics = { resources: { values: [['failed', 'Failed', failed]] } };
    const summary = { certname: name, receivedAt: ++this.clock.time, status, environment: 'production', time: null };
    const ids = { puppetVersion: '8', transactionUuid: uuid, catalogUuid: catalogUuid(catalog.hash), noop: false };
    const bytes = gzipSync(JSON.stringify({ transaction_uuid: uuid, status, metrics }));
    await storeReport({ documents, blobs }, { ...summary, ...ids }, bytes, { kept: 20, days: 14 });
  }

  #start(): [JobEngine, NotifyService] {
    const life = { isAlive: true };
    const stores = {
      ...this.stores,
      documents: this.#mortal('documents', this.stores.documents, life),
      jobs: this.#mortal('jobs', this.stores.jobs, life),
      nodes: this.#mortal('nodes', this.stores.nodes, life),
      nodeChanges: this.#mortal('nodeChanges', this.stores.nodeChanges, life),
    };
    const gateway = this.network.openGateway(() => life.isAlive);
    const reportFailure = (message: string, cause: unknown) => this.failures.push(`${message}: ${String(cause)}`);
    const notify = assembleNotifier({
      stores,
      changes: stores.nodeChanges,
      gateway,
      ...(this.#options.mostNodes === undefined ? {} : { mostNodes: this.#options.mostNodes }),
      graphs: { read: async () => this.#readGraph() },
      keepMs: 30 * 24 * 3600_000,
      log: (message) => this.log.push(message),
      reportFailure,
    });
    const engine = new JobEngine({
      jobs: stores.jobs,
      blobs: stores.blobs,
      clock: this.clock,
      gateway,
      gate: notify.gate,
      tasks: { readResult: readTaskOutput },
      reports: { find: async () => null },
      currency: { isCurrent: async () => true },
      vault: TEST_VAULT,
      limits: DEFAULT_PACING,
      startDelayMs: 0,
      reportFailure,
    });
    notify.connect(engine);
    return [engine, notify];
  }

  #mortal<Port extends object>(port: string, target: Port, life: { isAlive: boolean }): Port {
    const { death } = this.#options;
    return new Proxy(target, {
      get: (_, key) => {
        const method: unknown = Reflect.get(target, key);
        if (typeof method !== 'function') return method;
        return async (...args: readonly unknown[]) => {
          if (!life.isAlive) throw new StoreUnavailable('the process is dead');
          const call = `${port}.${String(key)}`;
          this.calls.set(call, (this.calls.get(call) ?? 0) + 1);
          if (!WRITES.includes(String(key))) return method.apply(target, args);
          this.writes += 1;
          if (death?.write !== this.writes) return method.apply(target, args);
          if (death.isDone) await method.apply(target, args);
          life.isAlive = false;
          this.#isAlive = false;
          throw new StoreUnavailable('the process died');
        };
      },
    });
  }
}

interface NodeOptions extends Behaviour {
  readonly isConnected?: boolean;
  readonly environment?: string;
}
