import { join } from 'node:path';
import { answerCheckIn } from '../../shared/fleet/catalogs/catalog-service.ts';
import { StoredCatalogService } from '../../shared/fleet/catalogs/stored-catalog-service.ts';
import { CodeIsStaged, switchToStage } from '../../shared/fleet/code/deploy.ts';
import { sortCollected } from '../../shared/fleet/compiles/export-matching.ts';
import { drainExportChanges } from '../../shared/fleet/compiles/invalidate-collectors.ts';
import { DEFAULT_RING, feed } from '../../shared/fleet/compiles/ring.ts';
import { workOff } from '../../shared/fleet/compiles/work-off.ts';
import { abortStage } from '../../shared/fleet/fan-out/end-stage.ts';
import { settleEnvironment } from '../../shared/fleet/fan-out/settle-environment.ts';
import { SnapshotCache } from '../../shared/fleet/snapshots/snapshot-cache.ts';
import { beginStage } from '../../shared/fleet/stages/begin-stage.ts';
import { createStagePlan, InvalidStage } from '../../shared/fleet/stages/stage-plan.ts';
import type { ExportedResource } from '../../shared/puppet/catalog/exported.ts';
import type { CompileFailure, CompileSuccess } from '../../shared/puppet/compiler/compile.ts';
import { NO_RECORDER } from '../../shared/puppet/environment/inputs.ts';
import { openSnapshotEnvironment } from '../../shared/puppet/environment/snapshot-environment.ts';
import { PuppetHash } from '../../shared/puppet/types/values/puppet-hash.ts';
import { EmbeddedDatabase } from '../../shared/store/embedded/database.ts';
import type { EmbeddedStores } from '../../shared/store/embedded/stores.ts';
import type { Clock } from '../../shared/store/ports/clock.ts';
import { codeInForce } from '../../shared/store/ports/environment-store.ts';
import type { NodeRecord } from '../../shared/store/ports/node-record.ts';
import { StoreUnavailable } from '../../shared/store/ports/store-errors.ts';
import { CompileWorld, checkIn, hashOf } from './compile-world.ts';
import { deployFolder, prepareFolder } from './deploy-folder.ts';
import { createScriptedCompiler, type Script } from './scripted-compile.ts';

export const NODES = ['n0', 'n1', 'n2', 'n3'].map((name) => `${name}.example.com`);
const MINUTE = 60_000;
/** Collectors are invalidated for each change, and compiled for it after a while. */
const TIMING = { delayMs: 0, intervalMs: MINUTE };

export interface SimulationOptions {
  /** The probability that a call of a store fails and takes its process with it. */
  readonly faults: number;
  /** Whether time jumps, so that leases end and jobs count as lost while they are processed. */
  readonly hasJumps: boolean;
  /** Whether deploys are staged, promoted and aborted. */
  readonly hasStages?: boolean;
}

const CHAOS: SimulationOptions = { faults: 0.02, hasJumps: true };

/** What a node should have, and what it has. */
export interface Verdict {
  readonly node: NodeRecord;
  readonly expected: CompileSuccess | CompileFailure;
  readonly exports: readonly ExportedResource[];
}

/**
 * Runs deploys, check-ins, the feeder and workers concurrently, in an order that a seed decides.
 * Any call of a store may fail, and any process may die at it.
 */
export class Simulation {
  readonly world: CompileWorld;
  readonly #random: () => number;
  readonly #options: SimulationOptions;
  readonly #jobs: EmbeddedDatabase;
  readonly #facts = new Map<string, Record<string, string>>();
  #time = Date.UTC(2026, 10, 21);
  #missingPacks = 0;

  constructor(seed: number, options: SimulationOptions = CHAOS) {
    this.#options = options;
    this.#random = createGenerator(seed);
    const clock: Clock = {
      now: () => {
        this.#time += 1;
        return this.#time;
      },
      sleep: async (milliseconds) => {
        this.#time += Math.ceil(milliseconds);
      },
      random: this.#random,
    };
    this.world = new CompileWorld(clock);
    this.#jobs = new EmbeddedDatabase(join(this.world.directory, 'data'));
  }

  close(): void {
    this.#jobs.close();
    this.world.close();
  }

  /** How many packs workers found missing or damaged. */
  get missingPacks(): number {
    return this.#missingPacks;
  }

  async start(): Promise<void> {
    for (let edit = 0; edit < 8; edit += 1) this.#edit();
    await this.world.deploy();
  }

  /** Starts a few things at once. */
  async runChaos(): Promise<void> {
    const acts = [() => this.#runWorker(), () => this.#runWorker()];
    const first = this.#pick(NODES);
    const second = this.#pick(NODES.filter((certname) => certname !== first));
    for (const certname of [first, second]) acts.push(() => this.#checkIn(certname));
    // Both read the control repo, which is no more changed then.
    if (this.#options.hasStages && this.#random() < 0.6) acts.push(() => this.#stage());
    else if (this.#random() < 0.7) acts.push(() => this.#deploy());
    if (this.#random() < 0.3) acts.push(() => this.#feed());
    if (this.#random() < 0.2) acts.push(() => this.#leaveLease());
    if (this.#random() < 0.4) acts.push(() => this.#tellAffected());
    if (this.#random() < 0.2) acts.push(...this.#startExportStorm());
    if (this.#options.hasJumps && this.#random() < 0.3) this.#time += Math.floor(this.#random() * 20 * MINUTE);
    if (this.#random() < 0.3) acts.push(() => this.#losePack());
    await Promise.all(acts.map((act) => act()));
  }

  /**
   * Stops all faults and lets time pass, so that lost jobs come back. Agents check in once more
   * with their last facts, because facts that the code did not use were not stored. The ring stands
   * still, so that it cannot hide lost jobs.
   */
  async runCalm(): Promise<void> {
    for (let round = 0; round < 8; round += 1) {
      this.#time += 20 * MINUTE;
      await feed(this.world.stores, { ...DEFAULT_RING, restMs: Number.POSITIVE_INFINITY });
      await this.world.runJobs();
      const service = new StoredCatalogService(this.world.stores);
      for (const [certname, facts] of this.#facts)
        await answerCheckIn(service, checkIn(certname, facts), AbortSignal.abort());
    }
    await this.world.runJobs();
  }

  /** Returns the verdict of each node that checked in. */
  async listVerdicts(): Promise<readonly Verdict[]> {
    const { stores } = this.world;
    const verdicts: Verdict[] = [];
    for (const certname of this.#facts.keys()) {
      const node = await stores.nodes.get(certname);
      const exports = await stores.exports.collect([{ type: 'Host', query: null }], '');
      if (node) verdicts.push({ node, expected: await this.#compile(certname, exports), exports });
    }
    return verdicts;
  }

  async #compile(certname: string, exports: readonly ExportedResource[]): Promise<CompileSuccess | CompileFailure> {
    const record = await this.world.stores.environments.get('production');
    const inForce = record && codeInForce(record, certname);
    const { snapshot, codeId, tree } = await this.world.context.snapshots.open(inForce?.codeId ?? '');
    const result = createScriptedCompiler().compile({
      node: {
        certname,
        environment: 'production',
        facts: hashOf(this.#facts.get(certname) ?? {}),
        trusted: PuppetHash.of([['certname', certname]]),
        serverFacts: null,
        parameters: new PuppetHash(),
        classes: [],
      },
      environment: openSnapshotEnvironment(snapshot, codeId, tree, NO_RECORDER),
      settings: this.world.context.settings,
      inputs: NO_RECORDER,
      exportsOf: () => sortCollected(exports.filter((resource) => resource.certname !== certname)),
    });
    if (result.status === 'needs') throw new Error('all exports were given');
    return result;
  }

  /**
   * Runs one worker: processes changes of exports, then a job. It dies when a store fails. Some
   * have nothing in memory yet.
   */
  async #runWorker(): Promise<void> {
    const stores = this.#createFailingStores();
    const isCold = this.#random() < 0.3;
    const snapshots = isCold ? new SnapshotCache(stores.blobs) : this.world.context.snapshots;
    try {
      await drainExportChanges(stores.changes, stores, TIMING);
      for (const received of await stores.queue.receive(3, 0)) {
        await workOff(received, stores.queue, { ...this.world.context, stores, snapshots, timing: TIMING });
      }
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
    } finally {
      if (isCold) this.#missingPacks += snapshots.takeMissingPacks();
    }
  }

  /** Runs a worker that takes a job and its lease, and dies. */
  async #leaveLease(): Promise<void> {
    if (this.#options.faults === 0) return;
    const { queue, nodes, clock } = this.world.stores;
    const [received] = await queue.receive(1, 0);
    if (received) await nodes.lease(received.job.certname, clock.now(), clock.now() + 60_000, received.id);
  }

  /** Changes the exports of all nodes at once; several processes invalidate their collectors. */
  #startExportStorm(): readonly (() => Promise<void>)[] {
    return [
      ...NODES.map((certname) => () => this.#checkIn(certname)),
      ...NODES.map(() => () => this.#runWorker()),
      ...NODES.map(() => () => this.#runWorker()),
    ];
  }

  /** Runs an agent that asks until its request is accepted, and does not wait for the answer. */
  async #checkIn(certname: string): Promise<void> {
    const facts = Object.fromEntries(['f0', 'f1'].map((name) => [name, this.#pick(['a', 'b', 'c'])]));
    for (;;) {
      const service = new StoredCatalogService(this.#createFailingStores());
      try {
        await answerCheckIn(service, checkIn(certname, facts), AbortSignal.abort());
        break;
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
      }
    }
    this.#facts.set(certname, facts);
  }

  async #deploy(): Promise<void> {
    this.#edit();
    await deployFolder(this.#createFailingStores(), this.world.repo, 'production', 'simulation').catch(ignoreDown);
  }

  /** Begins a stage with some nodes, or ends the one that there is; any of it may be killed. */
  async #stage(): Promise<void> {
    const stores = this.#createFailingStores();
    const environment = 'production';
    const ends = async () => {
      const stage = (await stores.environments.get(environment))?.stage;
      if (this.#random() < 0.5) return abortStage(environment, stores);
      if (stage && (await switchToStage(stores, environment, stage))) await settleEnvironment(environment, stores);
    };
    const begins = async () => {
      this.#edit();
      const { codeId } = await prepareFolder(stores, this.world.repo, environment);
      const canaries = { nodes: NODES.filter((name) => name === NODES[0] || this.#random() < 0.5) };
      await beginStage({ environment, codeId, by: 'simulation', canaries, plan: createStagePlan({}) }, stores);
    };
    await (this.#random() < 0.6 ? begins() : ends()).catch(ignoreDown);
  }

  /** Deletes a pack, or cuts it short. */
  async #losePack(): Promise<void> {
    const { blobs } = this.world.stores;
    const { entries } = await blobs.list('packs/');
    if (entries.length === 0) return;
    const { key } = this.#pick(entries);
    if (this.#random() < 0.5) await blobs.delete(key);
    else await blobs.put(key, new Uint8Array([this.#random() * 256]));
  }

  /** Runs a worker of fan-outs, which may be killed at any call of any page. */
  async #tellAffected(): Promise<void> {
    await settleEnvironment('production', this.#createFailingStores(), 0).catch(ignoreDown);
  }

  async #feed(): Promise<void> {
    await feed(this.#createFailingStores()).catch(ignoreDown);
  }

  /** Changes the script of one node, or a data file. */
  #edit(): void {
    const file = `environments/production/data/${this.#pick(['x', 'y'])}.yaml`;
    if (this.#random() < 0.4) this.world.write({ [file]: this.#pick(['1', '2', null]) });
    else this.world.addScript(this.#pick(NODES), this.#makeScript());
  }

  #makeScript(): Script {
    const maybe = <T>(items: readonly T[]) => items.filter(() => this.#random() < 0.4);
    return {
      facts: maybe([['f0'], ['f1']]),
      files: maybe(['data/x.yaml', 'data/y.yaml']),
      exports: maybe(['web', 'db']).map((title) => ({ type: 'Host', title, parameters: { v: { fact: ['f1'] } } })),
      collects: maybe([null, ['title', '==', 'web']]).map((query) => ({ type: 'Host', query })),
      ...(this.#random() < 0.15 ? { fail: 'deliberate' } : {}),
    };
  }

  /**
   * Opens the stores as a separate process sees them: once a call fails, all do. Its calls
   * interleave with those of others.
   */
  #createFailingStores(): EmbeddedStores {
    let isDead = false;
    const mortal = <T extends object>(store: T): T =>
      new Proxy(store, {
        get: (_, name) => {
          const method: unknown = Reflect.get(store, name, store);
          if (typeof method !== 'function') return method;
          return async (...args: unknown[]) => {
            const longest = this.#random() < 0.15 ? 40 : 3;
            for (let turns = Math.floor(this.#random() * longest); turns > 0; turns -= 1) await nextTurn();
            const isLast = this.#random() < this.#options.faults;
            const isDone = !isDead && (!isLast || this.#random() < 0.5);
            const result: unknown = isDone ? await method.apply(store, args) : undefined;
            isDead ||= isLast;
            if (this.#options.faults === 0) this.#checkJobs();
            if (isDead) throw new StoreUnavailable('down');
            return result;
          };
        },
      });
    const { nodes, dependencies, exports, blobs, environments, documents, queue, fanOut, changes } = this.world.stores;
    return {
      ...this.world.stores,
      nodes: mortal(nodes),
      dependencies: mortal(dependencies),
      exports: mortal(exports),
      blobs: mortal(blobs),
      environments: mortal(environments),
      documents: mortal(documents),
      queue: mortal(queue),
      fanOut: mortal(fanOut),
      changes: mortal(changes),
    };
  }

  /** Throws when a node has more than one job that no worker has. The ring's jobs do not count. */
  #checkJobs(): void {
    const rows = this.#jobs.selectAllNow(
      `SELECT jobs.certname AS certname, group_concat(queue) AS queues FROM jobs
         WHERE json_extract(job, '$.reason') <> 'ring' AND receipt IS NULL GROUP BY 1 HAVING count(*) > 1`,
    );
    if (rows.length > 0) throw new Error(`too many jobs: ${JSON.stringify(rows)}`);
  }

  #pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.#random() * items.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function ignoreDown(error: unknown): void {
  const isExpected = [StoreUnavailable, CodeIsStaged, InvalidStage].some((kind) => error instanceof kind);
  if (!isExpected) throw error;
}

/** Mulberry32: numbers in [0, 1) from a seed. */
function createGenerator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
