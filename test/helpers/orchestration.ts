import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CatalogCurrency, JobProgress } from '../../shared/orchestrator/jobs/job-context.ts';
import { JobEngine } from '../../shared/orchestrator/jobs/job-engine.ts';
import type { JobOrder, JobTargets } from '../../shared/orchestrator/jobs/job-order.ts';
import { listNodeRuns } from '../../shared/orchestrator/jobs/load-job.ts';
import { DEFAULT_PACING, type PacingLimits } from '../../shared/orchestrator/jobs/pacing.ts';
import type { StartGate } from '../../shared/orchestrator/jobs/start-gate.ts';
import type { PxpAnswer, PxpConnection, PxpGateway, PxpRequest } from '../../shared/orchestrator/pxp/pxp-gateway.ts';
import { readTaskOutput } from '../../shared/orchestrator/tasks/task-result.ts';
import { type EmbeddedStores, openEmbeddedStores } from '../../shared/store/embedded/stores.ts';
import type { JobRecord, LedgerEvent, NodeRun } from '../../shared/store/ports/job-records.ts';
import type { JobStore } from '../../shared/store/ports/job-store.ts';
import type { KeyVault } from '../../shared/store/ports/secrets.ts';
import { StoreRefused, StoreUnavailable } from '../../shared/store/ports/store-errors.ts';
import { ManualClock } from './memory-stores.ts';

/** A file system in memory: thousands of commits wait for no disk there. */
const MEMORY = '/dev/shm';

type Results = Readonly<Record<string, unknown>>;

/** What an agent does with a request: how long it takes, and what comes out. */
export interface Behaviour {
  readonly runMs?: number;
  readonly results?: Results;
  /** Called when a run begins; gives its results. */
  readonly onRun?: () => Results;
  /** It refuses the request with this description. */
  readonly refusal?: string;
  /** It runs the request, but does not send the outcome: only status queries have it. */
  readonly isOutcomeLost?: boolean;
  /** It neither accepts nor answers. */
  readonly isSilent?: boolean;
  readonly isDeafToQueries?: boolean;
  /** It answers status queries with this error. */
  readonly statusError?: string;
}

/** What an agent sends after a while. */
export interface LateAnswer {
  readonly delayMs: number;
  readonly content: PxpAnswer['content'];
}

/** An agent that answers as pxp-agent does. Its spool outlives its connection. */
export class SimulatedAgent {
  isConnected = true;
  behaviour: Behaviour = {};
  readonly requests: PxpRequest[] = [];
  /** Transactions that began, and their results when they ended. */
  readonly spool = new Map<string, { endsAt: number; results: Results }>();

  /** What it says of a transaction that is not in its spool. */
  loss = 'found no results directory';

  get runs(): number {
    return this.spool.size;
  }

  /** Takes a request; returns what it answers, and when. */
  take(certname: string, request: PxpRequest, now: number): readonly LateAnswer[] {
    const { behaviour, spool } = this;
    this.requests.push(request);
    if (request.module === 'status') {
      const { isDeafToQueries, statusError } = behaviour;
      const refused = statusError !== undefined && ({ kind: 'refused', description: statusError } as const);
      return isDeafToQueries ? [] : [{ delayMs: 0, content: refused || this.#describe(request, now) }];
    }
    if (behaviour.isSilent) return [];
    if (behaviour.refusal !== undefined) {
      return [{ delayMs: 0, content: { kind: 'refused', description: behaviour.refusal } }];
    }
    const accepted: LateAnswer = { delayMs: 0, content: { kind: 'accepted' } };
    if (spool.has(request.transactionId)) return [accepted];
    const { runMs = 0, onRun } = behaviour;
    const results = onRun?.() ?? behaviour.results ?? { exitcode: 0, stdout: `{"ran":"${certname}"}` };
    spool.set(request.transactionId, { endsAt: now + runMs, results });
    return behaviour.isOutcomeLost ? [accepted] : [accepted, { delayMs: runMs, content: { kind: 'results', results } }];
  }

  #describe({ params }: PxpRequest, now: number): PxpAnswer['content'] {
    const id = String(params.transaction_id);
    const run = this.spool.get(id);
    if (run === undefined) {
      const _error = { kind: 'puppetlabs.pxp-agent/execution-error', details: {}, msg: this.loss };
      const results = { transaction_id: id, status: 'unknown', stdout: JSON.stringify({ _error }) };
      return { kind: 'results', results };
    }
    if (run.endsAt > now) return { kind: 'results', results: { transaction_id: id, status: 'running' } };
    const { exitcode = 0, stdout } = run.results;
    const text = typeof stdout === 'string' ? stdout : JSON.stringify(run.results);
    const status = exitcode === 0 ? 'success' : 'failure';
    return { kind: 'results', results: { transaction_id: id, status, exitcode, stdout: text } };
  }
}

/** Its seal hides a text from a search. */
export const TEST_VAULT: KeyVault = {
  seal: async (text) => Buffer.from(text).toString('base64'),
  open: async (text) => {
    if (text === 'of another key') throw new StoreRefused('another key sealed it');
    return Buffer.from(text, 'base64').toString();
  },
};

export const TASK_ORDER: JobOrder = {
  kind: 'task',
  module: 'task',
  action: 'run',
  params: { task: 'a::b', input: {} },
  sealed: null,
  noop: false,
  noNoop: false,
  environment: 'production',
  timeoutMs: null,
};

export const DEPLOY_ORDER: JobOrder = {
  ...TASK_ORDER,
  kind: 'puppet',
  module: 'pxp-module-puppet',
  params: { flags: [] },
};

export const OWNER = {
  id: '42bf351c-f9ec-40af-84ad-e976fec7f4bd',
  login: 'admin',
  email: '',
  displayName: 'admin',
  isGroup: false,
  isRemote: false,
  isSuperuser: true,
  isRevoked: false,
  lastLogin: null,
  roleIds: [1],
};

/** A new job; the blob with its targets is beside it. */
export function makeJobRecord(number: number, { names }: JobTargets, order: JobOrder, now: number): JobRecord {
  return {
    command: order.kind === 'puppet' ? 'deploy' : 'task',
    environment: 'production',
    owner: OWNER,
    createdAt: now,
    startedAt: null,
    finishedAt: null,
    stays: [{ state: 'new', enteredAt: now, leftAt: null }],
    options: { value: {} },
    order: { value: order },
    targets: `jobs/${number}/targets`,
    nodeCount: names.length,
    nodeStates: { new: names.length },
    task: null,
    description: '',
    concurrency: null,
    planJob: null,
  };
}

/** The network between engines and agents. What is on its way is delivered by `World.pass`. */
export class SimulatedNetwork {
  readonly agents = new Map<string, SimulatedAgent>();
  readonly #clock: ManualClock;
  #due: { readonly at: number; readonly deliver: () => void }[] = [];
  #receive: (answer: PxpAnswer) => void = () => {};
  /** How often each answer arrives. */
  copies = 1;

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }

  addAgents(names: readonly string[], behaviour: Behaviour = {}): void {
    for (const name of names) {
      const agent = new SimulatedAgent();
      agent.behaviour = behaviour;
      this.agents.set(name, agent);
    }
  }

  agent(name: string): SimulatedAgent {
    const agent = this.agents.get(name);
    if (agent === undefined) throw new Error(`no agent ${name}`);
    return agent;
  }

  /** A gateway for one engine; `isAlive` says whether its process is there. */
  openGateway(isAlive: () => boolean): PxpGateway {
    return {
      broker: 'pcp://understudy.example.com/server',
      listen: (receive) => {
        this.#receive = (answer) => {
          if (isAlive()) receive(answer);
        };
      },
      request: async (certname, request) => (isAlive() ? this.#request(certname, request) : null),
      onConnect: () => {},
      listConnected: async (certnames) => this.#listConnected(certnames),
    };
  }

  /** Delivers what is due; whether there was anything. */
  deliver(): boolean {
    const due = this.#due.filter(({ at }) => at <= this.#clock.now());
    this.#due = this.#due.filter(({ at }) => at > this.#clock.now());
    for (const { deliver } of due) deliver();
    return due.length > 0;
  }

  /** How many agents run something now. */
  countRunning(): number {
    const now = this.#clock.now();
    const isRunning = ({ spool }: SimulatedAgent) => [...spool.values()].some(({ endsAt }) => endsAt > now);
    return [...this.agents.values()].filter(isRunning).length;
  }

  #listConnected(certnames?: readonly string[]): readonly PxpConnection[] {
    return [...this.agents]
      .filter(([name, { isConnected }]) => isConnected && (certnames === undefined || certnames.includes(name)))
      .map(([certname]) => ({ certname, since: 0 }));
  }

  #request(certname: string, request: PxpRequest): string | null {
    const agent = this.agents.get(certname);
    if (!agent?.isConnected) return 'Not connected.';
    for (const { delayMs, content } of agent.take(certname, request, this.#clock.now())) {
      this.#answerLater(certname, request, delayMs, content);
    }
    return null;
  }

  #answerLater(certname: string, request: PxpRequest, delayMs: number, content: PxpAnswer['content']): void {
    const deliver = () => {
      // An agent sends an outcome once; without a connection it is lost.
      if (!this.agents.get(certname)?.isConnected) return;
      for (let copy = 0; copy < this.copies; copy += 1) {
        this.#receive({ certname, transactionId: request.transactionId, content });
      }
    };
    this.#due.push({ at: this.#clock.now() + delayMs, deliver });
  }
}

export interface WorldOptions {
  readonly limits?: PacingLimits;
  readonly currency?: CatalogCurrency;
  readonly startDelayMs?: number;
  readonly gate?: StartGate;
  /** Puts something between the engine and its store, or another store in its place. */
  readonly wrap?: (jobs: JobStore) => JobStore;
  /** The process dies at its n-th write, before or after it was done. */
  readonly death?: { readonly write: number; readonly isDone: boolean };
}

/** An engine with its store, and simulated agents; time passes only by `pass`. */
export class Orchestration {
  readonly clock = new ManualClock();
  /** What steps of jobs told. */
  readonly progress: JobProgress[] = [];
  readonly stores: EmbeddedStores;
  readonly network = new SimulatedNetwork(this.clock);
  readonly failures: string[] = [];
  writes = 0;
  engine: JobEngine;
  #isAlive = true;
  readonly #directory = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'understudy-jobs-'));
  #options: WorldOptions;

  constructor(options: WorldOptions = {}) {
    this.#options = options;
    const stores = openEmbeddedStores(this.#directory, { clock: this.clock });
    this.stores = { ...stores, jobs: options.wrap?.(stores.jobs) ?? stores.jobs };
    this.engine = this.#start();
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
    this.#options = { ...this.#options };
    delete (this.#options as { death?: unknown }).death;
    this.#isAlive = true;
    await this.stores.releaseInFlight();
    this.engine = this.#start();
  }

  /** Creates a job, and begins it. */
  async createJob(targets: JobTargets, order: JobOrder = TASK_ORDER, change: Partial<JobRecord> = {}): Promise<number> {
    const { jobs, blobs } = this.stores;
    const number = await jobs.takeNumbers('ledgers', 1);
    await blobs.put(`jobs/${number}/targets`, Buffer.from(JSON.stringify(targets)));
    const body = { ...makeJobRecord(number, targets, order, this.clock.now()), ...change };
    await jobs.create('job', number, body, { isOpen: true, expiresAt: null });
    await this.engine.open(number);
    await this.settle();
    return number;
  }

  /** Lets everything happen that is due now. */
  async settle(): Promise<void> {
    do await this.engine.settle();
    while (this.network.deliver());
  }

  /** Lets time pass, second by second. */
  async pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      this.clock.time += 1000;
      await this.settle();
      await this.engine.tick().catch((error: unknown) => this.failures.push(String(error)));
      await this.settle();
    }
  }

  async job(number: number): Promise<JobRecord> {
    const ledger = await this.stores.jobs.get('job', number);
    if (ledger === null) throw new Error(`no job ${number}`);
    return ledger.body;
  }

  async nodes(number: number): Promise<readonly NodeRun[]> {
    const runs: NodeRun[] = [];
    for await (const run of listNodeRuns(this.stores.jobs, number)) runs.push(run);
    return runs;
  }

  /** The states of nodes by name. */
  async states(number: number): Promise<Readonly<Record<string, string>>> {
    return Object.fromEntries((await this.nodes(number)).map(({ name, state }) => [name, state]));
  }

  async events(number: number): Promise<readonly LedgerEvent[]> {
    return this.stores.jobs.listEvents('job', number, 0, 1_000_000);
  }

  /** Each event as its type and its node. */
  async eventTexts(number: number): Promise<readonly string[]> {
    return (await this.events(number)).map(({ type, details }) => `${type} ${details.node ?? details.state}`);
  }

  #start(): JobEngine {
    const life = { isAlive: true };
    const { limits = DEFAULT_PACING, currency = { isCurrent: async () => false } } = this.#options;
    const end = () => {
      life.isAlive = false;
      this.#isAlive = false;
    };
    return new JobEngine({
      jobs: this.#mortal(this.stores.jobs, life, end),
      blobs: this.stores.blobs,
      clock: this.clock,
      gateway: this.network.openGateway(() => life.isAlive),
      tasks: { readResult: readTaskOutput },
      reports: { find: async () => ({ hash: 'd7ec', configurationVersion: '1502024081' }) },
      currency,
      vault: TEST_VAULT,
      limits,
      startDelayMs: this.#options.startDelayMs ?? 0,
      reportProgress: (progress) => this.progress.push(progress),
      ...(this.#options.gate && { gate: this.#options.gate }),
      reportFailure: (message, cause) => this.failures.push(`${message}: ${String(cause)}`),
    });
  }

  #mortal(jobs: JobStore, life: { isAlive: boolean }, end: () => void): JobStore {
    const { death } = this.#options;
    return new Proxy(jobs, {
      get: (target, key) => {
        const method: unknown = Reflect.get(target, key);
        if (typeof method !== 'function') return method;
        return async (...args: readonly unknown[]) => {
          if (!life.isAlive) throw new StoreUnavailable('the process is dead');
          if (!['commit', 'claim', 'takeNumbers'].includes(String(key))) return method.apply(target, args);
          this.writes += 1;
          if (death?.write !== this.writes) return method.apply(target, args);
          if (death.isDone) await method.apply(target, args);
          end();
          throw new StoreUnavailable('the process died');
        };
      },
    });
  }
}
