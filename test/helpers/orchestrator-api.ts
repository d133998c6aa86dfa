import { createHash } from 'node:crypto';
import type { AccessControl } from '../../shared/access/accounts/access-control.ts';
import { snapshotBlob } from '../../shared/fleet/snapshots/snapshot-blobs.ts';
import { codeIdOf, printManifest } from '../../shared/fleet/snapshots/snapshot-manifest.ts';
import { FileServer } from '../../shared/http/files/file-server.ts';
import { createOrchestratorApp } from '../../shared/http/operator/orchestrator-app.ts';
import type { TargetQueries } from '../../shared/orchestrator/jobs/inventory-queries.ts';
import { JobService } from '../../shared/orchestrator/jobs/job-service.ts';
import { ClassifierNodes } from '../../shared/orchestrator/jobs/node-group-nodes.ts';
import { Permissions } from '../../shared/orchestrator/jobs/permissions.ts';
import { PlanService } from '../../shared/orchestrator/jobs/plan-service.ts';
import { ScheduleService } from '../../shared/orchestrator/jobs/schedule-service.ts';
import { ScopeResolver } from '../../shared/orchestrator/jobs/targets.ts';
import { TaskTargets } from '../../shared/orchestrator/jobs/task-targets.ts';
import { DeployedGraphs } from '../../shared/orchestrator/order/deployed-graphs.ts';
import { EnvironmentApplications, EnvironmentOrder } from '../../shared/orchestrator/order/environment-applications.ts';
import { DeployedPlans } from '../../shared/orchestrator/plans/deployed-plans.ts';
import type { Ping } from '../../shared/orchestrator/pxp/agent-pinger.ts';
import { DeployedTasks } from '../../shared/orchestrator/tasks/deployed-tasks.ts';
import { ADMIN_GRANTS, FixedAccess, OPERATOR_GRANTS, VIEWER_GRANTS } from './fixed-access.ts';
import { Orchestration, TEST_VAULT, type WorldOptions } from './orchestration.ts';

export interface ApiAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests compare parts of JSON.
  readonly body: any;
}

const KEEP_MS = 30 * 24 * 3600_000;

/** An error as the orchestrator answers it. */
export const orchestratorError = (kind: string, msg: string, details: object = {}) => ({
  kind: `puppetlabs.orchestrator/${kind}`,
  msg,
  details,
});

/** The orchestrator's API over simulated agents. Tokens are names of users, such as `admin`. */
export class OrchestratorApi {
  readonly world: Orchestration;
  readonly errors: string[] = [];
  readonly access = new FixedAccess({
    admin: ADMIN_GRANTS,
    operator: OPERATOR_GRANTS,
    viewer: VIEWER_GRANTS,
    constrained: [...VIEWER_GRANTS, ['tasks', 'run_with_constraints', '1']],
    nobody: [],
  });
  readonly schedules: ScheduleService;
  readonly jobs: JobService;
  readonly plans: PlanService;
  readonly app: ReturnType<typeof createOrchestratorApp>;

  /** `access` says who has which token and permission; by default, tokens are names of users. */
  constructor(options: WorldOptions & { readonly queries?: TargetQueries } = {}, access?: AccessControl) {
    this.world = new Orchestration(options);
    const { stores, engine, network, clock } = this.world;
    const permissions = new Permissions(access ?? this.access);
    const files = new FileServer(stores.environments, stores.blobs);
    const tasks = new DeployedTasks(files);
    const graphs = new DeployedGraphs(files);
    const applications = new EnvironmentApplications(stores, graphs);
    const queries = options.queries ?? null;
    const targets = new ScopeResolver(stores.nodes, { queries, applications, nodeGroups: new ClassifierNodes(stores) });
    const taskTargets = new TaskTargets(stores.jobs, permissions, targets);
    const vault = TEST_VAULT;
    const runOrder = new EnvironmentOrder(stores, graphs);
    const parts = { stores, engine, permissions, targets, taskTargets, tasks, vault, runOrder, keepMs: KEEP_MS };
    const jobs = new JobService(parts);
    this.jobs = jobs;
    const planLibrary = new DeployedPlans(files);
    const plans = new PlanService(stores, { jobs, keepMs: KEEP_MS, library: planLibrary });
    this.plans = plans;
    const reportFailure = (message: string, cause: unknown) => void this.errors.push(`${message}: ${String(cause)}`);
    const store = stores.jobs;
    const scheduleParts = { store, blobs: stores.blobs, clock, permissions, jobs, plans, vault, reportFailure };
    this.schedules = new ScheduleService(scheduleParts);
    this.app = createOrchestratorApp({
      stores,
      engine,
      jobs,
      plans,
      schedules: this.schedules,
      taskTargets,
      permissions,
      tasks,
      gateway: network.openGateway(() => true),
      pinger: { ping: async (names) => names.map((name) => this.#ping(name)) },
      applications,
      planLibrary,
      reportUrl: (certname, uuid) => `https://localhost:8140/understudy/v1/reports/${certname}/${uuid}`,
      log: { logError: reportFailure },
    });
  }

  #ping(name: string): Ping {
    const isConnected = this.world.network.agents.get(name)?.isConnected === true;
    return { name, milliseconds: isConnected ? 12 : null, reason: isConnected ? null : 'Not connected.' };
  }

  /** The registered routes, each as method and path. */
  get routes(): readonly string[] {
    return this.app.routes.filter(({ method }) => method !== 'ALL').map(({ method, path }) => `${method} ${path}`);
  }

  /** Asks with an object, an empty one by default, where the method has a body. */
  ask(method: string, path: string, token: string | null, body: unknown = {}): Promise<ApiAnswer> {
    return this.#send(method, path, method === 'GET' ? undefined : body, token);
  }

  close(): void {
    this.world.close();
  }

  /** Puts files in force as an environment. */
  async deploy(environment: string, files: Readonly<Record<string, string>>): Promise<void> {
    const { blobs, environments, clock } = this.world.stores;
    const entries: Record<string, { sha256: string; size: number; mode: number }> = {};
    for (const [path, text] of Object.entries(files)) {
      const sha256 = createHash('sha256').update(text).digest('hex');
      await blobs.put(`files/${sha256}`, new TextEncoder().encode(text));
      entries[path] = { sha256, size: Buffer.byteLength(text), mode: 0o644 };
    }
    const snapshot = { environment, files: entries };
    const codeId = codeIdOf(snapshot);
    await blobs.put(snapshotBlob(codeId), await printManifest(snapshot, []));
    const common = { name: environment, deployedAt: clock.now(), by: 'test', history: [] };
    const before = await environments.get(environment);
    const revision = (before?.revision ?? 0) + 1;
    await environments.replace({ ...common, revision, codeId, settled: revision }, before?.revision ?? null);
  }

  get(path: string, token: string | null = 'admin'): Promise<ApiAnswer> {
    return this.#send('GET', path, undefined, token);
  }

  post(path: string, body: unknown, token: string | null = 'admin'): Promise<ApiAnswer> {
    return this.#send('POST', path, body, token);
  }

  put(path: string, body: unknown, token: string | null = 'admin'): Promise<ApiAnswer> {
    return this.#send('PUT', path, body, token);
  }

  delete(path: string, token: string | null = 'admin'): Promise<ApiAnswer> {
    return this.#send('DELETE', path, undefined, token);
  }

  async #send(method: string, path: string, body: unknown, token: string | null): Promise<ApiAnswer> {
    const headers = { Host: 'pe.example.com:8143', ...(token === null ? {} : { 'X-Authentication': token }) };
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const url = `https://localhost${path.startsWith('/orchestrator') ? '' : '/orchestrator/v1'}${path}`;
    const request = new Request(url, { method, headers, ...(body === undefined ? {} : { body: text }) });
    const response = await this.app.fetch(request, { peer: null });
    await this.world.settle();
    const answer = await response.text();
    return { status: response.status, body: answer === '' ? null : JSON.parse(answer) };
  }
}
