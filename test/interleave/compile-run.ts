import { answerCheckIn, type CatalogAnswer } from '../../shared/fleet/catalogs/catalog-service.ts';
import {
  DEFAULT_HOLD_OPTIONS,
  type HoldOptions,
  StoredCatalogService,
} from '../../shared/fleet/catalogs/stored-catalog-service.ts';
import { CodeIsStaged, switchEnvironment } from '../../shared/fleet/code/deploy.ts';
import { pruneCode } from '../../shared/fleet/code/prune-code.ts';
import { purgeNode } from '../../shared/fleet/code/purge-node.ts';
import { drainExportChanges } from '../../shared/fleet/compiles/invalidate-collectors.ts';
import { DEFAULT_RING, feed } from '../../shared/fleet/compiles/ring.ts';
import { retryAfterFault, workOff } from '../../shared/fleet/compiles/work-off.ts';
import type { WorkerContext } from '../../shared/fleet/compiles/worker-context.ts';
import { abortStage } from '../../shared/fleet/fan-out/end-stage.ts';
import { settleEnvironment } from '../../shared/fleet/fan-out/settle-environment.ts';
import { readGroupBody } from '../../shared/fleet/groups/node-group.ts';
import { invalidateNodes } from '../../shared/fleet/nodes/invalidate-nodes.ts';
import { settleGroups } from '../../shared/fleet/nodes/settle-groups.ts';
import { prepareSignedNode } from '../../shared/fleet/nodes/signed-node.ts';
import { beginStage } from '../../shared/fleet/stages/begin-stage.ts';
import { NoSuchStage, promoteStage } from '../../shared/fleet/stages/finish-stage.ts';
import { judgeStages } from '../../shared/fleet/stages/judge-stage.ts';
import { createStagePlan, InvalidStage } from '../../shared/fleet/stages/stage-plan.ts';
import { MachineryFault } from '../../shared/puppet/errors/machinery-fault.ts';
import { StoreUnavailable } from '../../shared/store/ports/store-errors.ts';
import { checkIn, hashOf } from '../helpers/compile-world.ts';
import { CompileModel } from './compile-model.ts';
import {
  AT_ONCE,
  type CompileSite,
  ENVIRONMENT,
  GROUP_ID,
  openGroups,
  type SiteStores,
  workOffAll,
} from './compile-site.ts';
import { Violation } from './explore.ts';
import type { Footprint } from './footprint.ts';
import type { TakenStep } from './scheduler.ts';
import { SimulatedSqs } from './simulated-sqs.ts';
import { type RunOptions, SiteRun } from './site-run.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/**
 * Without faults, all work is done within this time after the last event: less than the feeder
 * waits for a job.
 */
const QUIET_MS = 5 * MINUTE;
/** A lost job is sent again after 10 minutes, and a job of a dead worker received after 15. */
const RECOVERY_MS = 30 * MINUTE;
const RECOVERY_STEP_MS = 5 * MINUTE;
/** The ring stands still: it would hide lost jobs. */
const FEEDER = { ...DEFAULT_RING, restMs: Number.POSITIVE_INFINITY };

/** The ring takes each node in each round. */
const RING = { ...DEFAULT_RING, restMs: 0 };

/** What an idle worker looks at. */
const IDLE: Footprint = ['queue/*', 'export-changes'].map((key) => ({ key, isWrite: false }));

/** One run of check-ins, deploys, feeders and workers; a model knows what must come of it. */
export class CompileRun extends SiteRun {
  readonly model: CompileModel;
  readonly #hasWork: () => boolean;
  readonly #printQueue: () => string;
  /** Whether there is work; null when a step may have changed it. */
  #knownWork: boolean | null = null;
  #hasRing = false;

  constructor(site: CompileSite, options: RunOptions = {}) {
    const { queue = 'embedded' } = options;
    let sqs: SimulatedSqs | null = null;
    super(site, options, (stores, { now, sharedNow }) => {
      sqs = queue === 'embedded' ? null : new SimulatedSqs(sharedNow, now, queue);
      return sqs ? { ...stores, queue: sqs } : stores;
    });
    const used = sqs as SimulatedSqs | null;
    const countJobs = (certname: string) => this.look(() => used?.countJobs(certname) ?? site.countJobs(certname));
    this.#printQueue = () => used?.print() ?? '';
    this.#hasWork = () => {
      const { scheduler } = this;
      this.#knownWork ??= this.look(
        () => site.hasExportChanges() || (used?.hasVisible() ?? site.hasVisibleJobs(scheduler.now())),
      );
      return this.#knownWork;
    };
    this.model = new CompileModel(site, this.stores, countJobs);
  }

  protected override observe(taken: TakenStep): void {
    this.#knownWork = null;
    this.model.observe(taken, this.scheduler.now());
  }

  /** An agent asks for its catalog; `holdMs` 0: it does not wait for a compile. */
  checkIn(
    process: string,
    certname: string,
    facts: Readonly<Record<string, string>>,
    holdMs = 0,
    more: Partial<HoldOptions> = {},
  ): void {
    const options = { ...DEFAULT_HOLD_OPTIONS, holdMs, ...more };
    const service = new StoredCatalogService(this.storesOf(process), options);
    this.scheduler.start(process, async () => {
      const request = this.model.beginRequest(certname, facts);
      const answer = await orDown(answerCheckIn(service, checkIn(certname, facts)));
      if (answer) request.end(answer as CatalogAnswer);
    });
  }

  /** A worker receives jobs, one after the other, and changes of exports before each. */
  work(process: string, jobs: number): void {
    const stores = this.storesOf(process);
    const context = this.site.createContext(stores);
    this.scheduler.start(process, async () => {
      for (let job = 0; job < jobs; job += 1) {
        await this.scheduler.wait(process, 'queue.wait', IDLE, () => this.#hasWork());
        await orDown(workOnce(stores, context));
      }
    });
  }

  /** Puts stored code in force and invalidates the nodes that it affects. */
  deploy(process: string, code: number): void {
    this.#start(process, async (stores) => {
      await switchEnvironment(stores, ENVIRONMENT, this.site.codeIds[code] ?? '', process);
      await settleEnvironment(ENVIRONMENT, stores, 0);
    });
  }

  /** A reason without a changed input, such as `node compile`. */
  want(process: string, certname: string): void {
    this.#start(process, (stores) => invalidateNodes([certname], 'requested', stores));
  }

  feed(process: string): void {
    this.#start(process, feedOnce);
  }

  /**
   * A round of the ring with all nodes, an hour after they had their turn; in the end each node
   * has another one.
   */
  ring(process: string): void {
    if (!this.#hasRing) this.scheduler.stepClock(HOUR);
    this.#hasRing = true;
    this.#start(process, (stores) => feed(stores, RING));
  }

  /** Puts stored code in force in a way that no node is invalidated: the ring finds it. */
  async deployUnnoticed(code: number): Promise<void> {
    const { environments } = this.stores;
    await switchEnvironment(this.stores, ENVIRONMENT, this.site.codeIds[code] ?? '', 'simulation');
    const record = await environments.get(ENVIRONMENT);
    if (record === null) return;
    await environments.replace({ ...record, settled: record.revision }, record.revision);
    this.model.noteCode(record);
  }

  /** Gives stored code to some nodes first. */
  stage(process: string, code: number, canaries: readonly string[]): void {
    const codeId = this.site.codeIds[code] ?? '';
    const request = { environment: ENVIRONMENT, codeId, by: process, plan: createStagePlan({}) };
    this.#start(process, (stores) => beginStage({ ...request, canaries: { nodes: canaries } }, stores));
  }

  promote(process: string): void {
    this.#start(process, (stores) => promoteStage(ENVIRONMENT, stores));
  }

  abort(process: string): void {
    this.#start(process, (stores) => abortStage(ENVIRONMENT, stores));
  }

  /**
   * Changes the variable of the group, and invalidates the nodes whose classification it changes.
   */
  group(process: string, zone: string): void {
    this.#start(process, async (stores) => {
      await openGroups(stores).edit(GROUP_ID, readGroupBody({ variables: { zone } }, true));
      await settleGroups(stores);
    });
  }

  /** Deletes code that nothing needs. */
  prune(process: string): void {
    this.#start(process, (stores) => pruneCode(stores, { historyKept: 1, keptMs: 0, dryRun: false }));
  }

  #start(process: string, work: (stores: SiteStores) => Promise<unknown>): void {
    const stores = this.storesOf(process);
    this.scheduler.start(process, async () => {
      await orDown(work(stores));
    });
  }

  /** The authority signs another certificate of a node, and prepares its catalog. */
  sign(process: string, certname: string): void {
    this.#start(process, (stores) => prepareSignedNode(certname, hashOf({ certname }), stores));
  }

  purge(process: string, certname: string): void {
    this.#start(process, (stores) => purgeNode(certname, stores));
  }

  async finish(): Promise<void> {
    await this.model.checkEnd();
    if (this.hasKnownEnd()) return;
    if (this.model.isFaulty) await this.#recover();
    else await this.#calm();
    if (this.#hasRing) await this.#turnRing();
    const late = await this.model.checkRest();
    if (late.length === 0) return;
    await this.#checkInAgain(late);
    const [left] = await this.model.checkRest();
    if (left) throw new Violation(`${left[0]} has no catalog of its facts after its next check-in`);
  }

  async #checkInAgain(nodes: ReturnType<CompileModel['listFacts']>): Promise<void> {
    const service = new StoredCatalogService(this.stores);
    for (const [certname, facts] of nodes) {
      const request = this.model.beginRequest(certname, facts);
      request.end(await answerCheckIn(service, checkIn(certname, facts), AbortSignal.abort()));
    }
    await this.#calm();
  }

  async #turnRing(): Promise<void> {
    const context = this.site.createContext(this.stores);
    this.scheduler.stepClock(HOUR);
    const before = await this.stores.nodes.list(null, 1000);
    await feed(this.stores, RING);
    await workOffAll(this.stores, context);
    this.model.checkTurn(before, await this.stores.nodes.list(null, 1000));
  }

  /** Whether an earlier run of the site ended in the same state: what follows is known, too. */
  protected hasKnownEnd(): boolean {
    const state = `${this.#printQueue()} ${this.model.printNewest()} ${this.#hasRing} ${this.setBackMs} ${this.scheduler.now()} ${this.site.printState()}`;
    if (this.site.knownEnds.has(state)) return true;
    this.site.knownEnds.add(state);
    return false;
  }

  /**
   * Without faults nothing is lost: the feeder, which runs each minute, finds only given up jobs.
   */
  async #calm(): Promise<void> {
    const context = this.site.createContext(this.stores);
    await workOffAll(this.stores, context);
    if ((await this.model.isSettled()) && !this.site.hasExportChanges()) return;
    // A clock that is set back delays what was to happen at a time.
    this.scheduler.stepClock(this.setBackMs);
    for (let passed = 0; passed < QUIET_MS; passed += MINUTE) {
      this.scheduler.stepClock(MINUTE);
      await feedOnce(this.stores);
      await workOffAll(this.stores, context);
    }
  }

  async #recover(): Promise<void> {
    const context = this.site.createContext(this.stores);
    this.scheduler.stepClock(this.setBackMs);
    for (let passed = 0; passed <= RECOVERY_MS; passed += RECOVERY_STEP_MS) {
      await feedOnce(this.stores);
      await workOffAll(this.stores, context);
      this.scheduler.stepClock(RECOVERY_STEP_MS);
    }
    // Agents check in every half hour: what a dead process wrote of a node is looked at again.
    const service = new StoredCatalogService(this.stores);
    for (const [certname, facts] of this.model.listFacts())
      await answerCheckIn(service, checkIn(certname, facts), AbortSignal.abort());
    await workOffAll(this.stores, context);
    await feedOnce(this.stores);
    await workOffAll(this.stores, context);
  }
}

/** What a server does each minute. */
async function feedOnce(stores: SiteStores): Promise<void> {
  await feed(stores, FEEDER);
  await judgeStages(stores, true);
}

/** What the loop of a worker does with one job. */
async function workOnce(stores: SiteStores, context: WorkerContext): Promise<void> {
  await drainExportChanges(stores.changes, stores, AT_ONCE);
  const [received] = await stores.queue.receive(1, 0);
  if (!received) return;
  try {
    await workOff(received, stores.queue, context);
  } catch (error) {
    if (!(error instanceof StoreUnavailable || error instanceof MachineryFault)) throw error;
    await retryAfterFault(received, error, stores);
  }
}

/** What ends work without a fault of ours: a store is down, or others were faster. */
const EXPECTED = [StoreUnavailable, CodeIsStaged, InvalidStage, NoSuchStage];

/** The result; null when the work could not be done. */
async function orDown<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (EXPECTED.some((kind) => error instanceof kind)) return null;
    throw error;
  }
}
