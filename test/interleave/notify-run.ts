import { gzipSync } from 'node:zlib';
import { catalogUuid } from '../../shared/fleet/catalogs/catalog-blob.ts';
import { timeCompile } from '../../shared/fleet/compiles/commit-compile.ts';
import { FreshnessPolicies } from '../../shared/fleet/policies/freshness-policies.ts';
import { readPolicyEntry } from '../../shared/fleet/policies/policy-fields.ts';
import { storeReport } from '../../shared/fleet/reports/node-reports.ts';
import { assembleNotifier, type NotifyService } from '../../shared/orchestrator/notify/assemble-notifier.ts';
import { digestSha256 } from '../../shared/util/digest.ts';
import { NO_INPUTS } from '../helpers/no-inputs.ts';
import { ENVIRONMENT, type SiteStores } from './compile-site.ts';
import { Violation } from './explore.ts';
import { JobRun, orDown, type SimulatedServer } from './job-run.ts';
import type { TakenStep } from './scheduler.ts';

const DAY = 86_400_000;
const LEASE_MS = 60_000;
const REPORTS = { kept: 20, days: 14 };

/** One run of servers that have nodes run because their catalogs changed. */
export class NotifyRun extends JobRun {
  /** The catalog of each node, by its commits. */
  readonly #catalogs = new Map<string, string>();
  readonly #applied = new Map<string, string>();
  readonly #commits = new Map<string, number>();
  readonly #runs = new Map<string, number>();
  #reports = 0;

  /** Nodes with their first catalogs and agents, in an environment whose nodes run at once. */
  async follow(names: readonly string[]): Promise<void> {
    const setup = this.#assemble('setup', this.stores);
    await setup.tick();
    // It gives its lease back.
    await setup.run(AbortSignal.abort());
    await new FreshnessPolicies(this.stores.documents).put('default', readPolicyEntry({ notify: 'now' }));
    for (const name of names) {
      this.agent(name, { onRun: () => this.#runPuppet(name) });
      await this.#commit(this.watchStores(), name, 'first');
      this.#applied.set(name, this.#catalogs.get(name) ?? '');
    }
    this.#commits.clear();
  }

  /** Commits other catalogs of a node, one after the other. */
  compile(process: string, name: string, texts: readonly string[]): void {
    const stores = this.storesOf(process);
    this.scheduler.start(process, async () => {
      for (const text of texts) await orDown(this.#commit(stores, name, text));
    });
  }

  protected override observe(taken: TakenStep): void {
    super.observe(taken);
    const { step, outcome, args, result } = taken;
    if (typeof outcome === 'string' || outcome.isDone) this.#noteCommit(step.call, args, result);
  }

  protected override observeCall(call: string, args: readonly unknown[], result: unknown): void {
    super.observeCall(call, args, result);
    this.#noteCommit(call, args, result);
  }

  protected override openServer(process: string, stores: SiteStores): SimulatedServer {
    const notify = this.#assemble(process, stores);
    const engine = this.openEngine(process, stores, notify.gate);
    notify.connect(engine);
    return {
      engine,
      run: async (signal) => {
        await Promise.all([engine.run(signal), notify.run(signal)]);
      },
      tick: async () => {
        await notify.tick();
        await engine.tick();
      },
      isIdle: async () => {
        const { due, later, parked } = await notify.count(10);
        const open = await stores.jobs.listOpen('job');
        return notify.isActive() && open.length + due + later + parked === 0;
      },
    };
  }

  override async finish(): Promise<void> {
    await super.finish();
    for (const [name, hash] of this.#catalogs) {
      if (this.#applied.get(name) !== hash) throw new Violation(`${name} has not applied its newest catalog`);
      const [runs, commits] = [this.#runs.get(name) ?? 0, this.#commits.get(name) ?? 0];
      if (!this.model.isFaulty && runs > commits)
        throw new Violation(`${name} ran ${runs} times for ${commits} changes`);
    }
  }

  #assemble(process: string, stores: SiteStores): NotifyService {
    return assembleNotifier({
      stores,
      changes: stores.nodeChanges,
      gateway: this.openGateway(process),
      owner: process,
      keepMs: 30 * DAY,
      log: () => undefined,
      reportFailure: (_, cause) => this.model.noteFailure(cause),
    });
  }

  async #commit({ nodes, clock }: SiteStores, certname: string, text: string): Promise<void> {
    const at = clock.now();
    await nodes.markSeen(certname, ENVIRONMENT, at);
    const node = await nodes.want(certname, 'simulation', at, { asked: true });
    await nodes.lease(certname, at, at + LEASE_MS, null);
    const hash = digestSha256(`${certname} ${text}`);
    const compiledAt = timeCompile(node?.catalog ?? null, clock.now());
    const catalog = { hash, codeId: null, namedCode: [], compiledAt, durationMs: 1, exported: '' };
    const inputs = { ...NO_INPUTS, environment: ENVIRONMENT };
    await nodes.commit({ certname, generation: node?.wanted ?? 0, catalog, failure: null, inputs, at });
    await nodes.finishRound(certname, at + LEASE_MS);
  }

  #noteCommit(call: string, [commit]: readonly unknown[], result: unknown): void {
    if (call !== 'nodes.commit' || result !== true) return;
    const { certname, catalog } = commit as { certname: string; catalog: { hash: string } };
    this.#catalogs.set(certname, catalog.hash);
    this.#commits.set(certname, (this.#commits.get(certname) ?? 0) + 1);
  }

  /** An agent fetches the newest catalog and applies it. */
  #runPuppet(certname: string): Readonly<Record<string, unknown>> {
    const hash = this.#catalogs.get(certname) ?? '';
    this.#applied.set(certname, hash);
    this.#runs.set(certname, (this.#runs.get(certname) ?? 0) + 1);
    const uuid = `run-${++this.#reports}`;
    const at = this.scheduler.now();
    const bytes = gzipSync(JSON.stringify({ transaction_uuid: uuid, status: 'changed', metrics: {} }));
    const summary = { certname, receivedAt: at, status: 'changed', environment: ENVIRONMENT, time: null } as const;
    const ids = { puppetVersion: '8', transactionUuid: uuid, catalogUuid: catalogUuid(hash), noop: false };
    storeReport(this.stores, { ...summary, ...ids }, bytes, REPORTS).catch((error) => this.model.noteFailure(error));
    return { transaction_uuid: uuid, environment: ENVIRONMENT, status: 'changed', metrics: {}, exitcode: 0 };
  }
}
