import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { answerCheckIn } from '../../shared/fleet/catalogs/catalog-service.ts';
import { StoredCatalogService } from '../../shared/fleet/catalogs/stored-catalog-service.ts';
import { switchEnvironment } from '../../shared/fleet/code/deploy.ts';
import { classifiedInput } from '../../shared/fleet/compiles/classified-input.ts';
import { sortCollected } from '../../shared/fleet/compiles/export-matching.ts';
import { drainExportChanges } from '../../shared/fleet/compiles/invalidate-collectors.ts';
import { workOff } from '../../shared/fleet/compiles/work-off.ts';
import type { WorkerContext } from '../../shared/fleet/compiles/worker-context.ts';
import { DependencyCache } from '../../shared/fleet/dependencies/dependency-cache.ts';
import { settleEnvironment } from '../../shared/fleet/fan-out/settle-environment.ts';
import { GroupService } from '../../shared/fleet/groups/group-service.ts';
import { ROOT_ID, readGroupBody } from '../../shared/fleet/groups/node-group.ts';
import { settleGroups } from '../../shared/fleet/nodes/settle-groups.ts';
import { type OpenSnapshot, SnapshotCache } from '../../shared/fleet/snapshots/snapshot-cache.ts';
import type { ExportedResource } from '../../shared/puppet/catalog/exported.ts';
import type { CompileFailure, CompileSuccess } from '../../shared/puppet/compiler/compile.ts';
import { DEFAULT_COMPILE_SETTINGS } from '../../shared/puppet/compiler/default-settings.ts';
import { NO_RECORDER } from '../../shared/puppet/environment/inputs.ts';
import { openSnapshotEnvironment } from '../../shared/puppet/environment/snapshot-environment.ts';
import { PuppetHash } from '../../shared/puppet/types/values/puppet-hash.ts';
import { EmbeddedDatabase } from '../../shared/store/embedded/database.ts';
import type { BlobStore } from '../../shared/store/ports/blob-store.ts';
import type { Clock } from '../../shared/store/ports/clock.ts';
import type { ExportChangeFeed } from '../../shared/store/ports/export-store.ts';
import type { NodeChangeLog } from '../../shared/store/ports/node-changes.ts';
import type { Classification } from '../../shared/store/ports/node-record.ts';
import type { Stores } from '../../shared/store/ports/stores.ts';
import { createTables, type DatabaseTables } from '../../shared/store/sql/tables.ts';
import { CountingSecrets } from '../helpers/access-world.ts';
import { listClasses } from '../helpers/classifier-door.ts';
import { checkIn } from '../helpers/compile-world.ts';
import { prepareFolder } from '../helpers/deploy-folder.ts';
import { MemoryBlobs } from '../helpers/memory-stores.ts';
import { createScriptedCompiler, type Script } from '../helpers/scripted-compile.ts';
import type { Rewindable, Trail } from './trail.ts';

export const ENVIRONMENT = 'production';
export const START = Date.UTC(2026, 10, 21);
export const AT_ONCE = { delayMs: 0, intervalMs: 0 };
/** Without times that only tell when something was. */
const STATE = [
  `SELECT certname, environment, wanted, started, built, version, asked_generation, asked_at, asked_waiting,
     leased_until, revision, invalidated_for, membership, facts, grouping, json_extract(catalog, '$.hash'),
     json_extract(failure, '$.message') FROM nodes`,
  'SELECT queue, job, visible_at, receives, receipt FROM jobs',
  'SELECT * FROM exports',
  'SELECT * FROM export_changes',
  'SELECT * FROM environments',
];
const MEMORY_FOLDER = '/dev/shm';

/** The stores of a site, and what follows its changes. */
export type SiteStores = Stores & { readonly changes: ExportChangeFeed; readonly nodeChanges: NodeChangeLog };

/** The code of a site: the script of each node, and data files. */
export interface SiteCode {
  readonly scripts: Readonly<Record<string, Script>>;
  readonly data?: Readonly<Record<string, string>>;
}

/** A site at its beginning: nodes with their facts, whose catalogs are current. */
export interface SitePlan {
  /** The first is in force. */
  readonly codes: readonly SiteCode[];
  readonly facts: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** A node group: its rule, and the value of its variable `zone`. */
  readonly group?: { readonly rule: readonly unknown[]; readonly zone: string };
}

/**
 * An installation on the tables of the embedded store, which begins each run in the same state:
 * what a run writes is rolled back. Blobs are in memory.
 */
export class CompileSite implements Rewindable {
  readonly codeIds: readonly string[];
  readonly plan: SitePlan;
  readonly database: EmbeddedDatabase;
  /** The states in which runs ended well. */
  readonly knownEnds = new Set<string>();
  readonly #directory: string;
  readonly #time = { now: () => START };
  readonly #blobs: MemoryBlobs;
  #current: MemoryBlobs;
  readonly #opened = new Map<string, OpenSnapshot>();
  readonly #caches: Pick<WorkerContext, 'snapshots' | 'dependencies'>;

  private constructor(plan: SitePlan, parts: SiteParts) {
    this.plan = plan;
    ({ database: this.database, directory: this.#directory, blobs: this.#blobs, codeIds: this.codeIds } = parts);
    this.#time = parts.time;
    this.#current = this.#blobs;
    const blobs = this.#followBlobs();
    this.#caches = { snapshots: new SnapshotCache(blobs), dependencies: new DependencyCache(blobs) };
  }

  static async create(plan: SitePlan): Promise<CompileSite> {
    const directory = mkdtempSync(join(existsSync(MEMORY_FOLDER) ? MEMORY_FOLDER : tmpdir(), 'understudy-interleave-'));
    const database = new EmbeddedDatabase(join(directory, 'data'));
    // Nothing is ever committed: the journal only undoes.
    database.getNow('PRAGMA journal_mode = MEMORY');
    const time = { now: () => START };
    const clock: Clock = { now: () => time.now(), random: () => 0.5, sleep: async () => undefined };
    const tables = createTables(database, { clock });
    const blobs = new MemoryBlobs();
    const stores = assembleStores(tables, blobs, clock);
    const codeIds: string[] = [];
    for (const code of plan.codes) {
      const repo = join(directory, `repo-${codeIds.length}`);
      writeRepo(repo, code);
      codeIds.push((await prepareFolder(stores, repo, ENVIRONMENT)).codeId);
    }
    const site = new CompileSite(plan, { directory, database, blobs, time, codeIds });
    await site.#settle(stores);
    database.runNow('BEGIN');
    return site;
  }

  /** Deploys the first code, lets all nodes check in and compiles them. */
  async #settle(stores: SiteStores): Promise<void> {
    await switchEnvironment(stores, ENVIRONMENT, this.codeIds[0] ?? '', 'simulation');
    await settleEnvironment(ENVIRONMENT, stores, 0);
    if (this.plan.group) await createGroup(this.plan.group, stores);
    for (let round = 0; round < 2; round += 1) {
      for (const [certname, facts] of Object.entries(this.plan.facts)) {
        await answerCheckIn(new StoredCatalogService(stores), checkIn(certname, facts), AbortSignal.abort());
      }
      await workOffAll(stores, this.createContext(stores));
    }
    // All code is in the caches, so that no run reads less of the store than another.
    for (const codeId of this.codeIds) this.#opened.set(codeId, await this.#caches.snapshots.open(codeId));
  }

  /** Begins a run: `now` gives its time. With a trail, it goes on in the state that it brought. */
  begin(now: () => number, trail?: Trail): SiteStores {
    this.#time.now = now;
    this.#current = this.#blobs.copy();
    if (trail?.begin(this) ?? true) this.database.runNow('SAVEPOINT run');
    const clock: Clock = {
      now,
      random: () => 0.5,
      sleep: async () => {
        throw new Error('only processes of the scheduler sleep');
      },
    };
    // The tables of another run remember what was rolled back.
    const tables = createTables(this.database, { clock });
    return assembleStores(trail ? this.#watch(tables, trail) : tables, this.#current, clock);
  }

  #watch(tables: DatabaseTables, trail: Trail): DatabaseTables {
    const watched = Object.entries(tables).map(([port, table]) => [port, trail.wrap(port, table, this)]);
    return Object.fromEntries(watched) as DatabaseTables;
  }

  save(name: string): void {
    this.database.runNow(`SAVEPOINT ${name}`);
  }

  rewind(name: string): void {
    this.database.runNow(`ROLLBACK TO ${name}`);
    this.database.runNow(`RELEASE ${name}`);
  }

  /** Undoes what the run wrote. */
  end(): void {
    this.database.runNow('ROLLBACK TO run');
    this.database.runNow('RELEASE run');
  }

  close(): void {
    this.database.close();
    rmSync(this.#directory, { recursive: true });
  }

  createContext(stores: SiteStores): WorkerContext {
    return {
      stores,
      ...this.#caches,
      compile: createScriptedCompiler().compile,
      settings: DEFAULT_COMPILE_SETTINGS,
      server: { name: 'puppet', ip: '127.0.0.1', release: '0' },
      limitMs: 60_000,
      timing: AT_ONCE,
    };
  }

  /** Compiles a node with what it is given, and notes nothing. */
  compile(
    certname: string,
    facts: PuppetHash,
    codeId: string,
    exports: readonly ExportedResource[],
    classification: Classification | null,
  ): CompileSuccess | CompileFailure {
    const open = this.#opened.get(codeId);
    if (!open) throw new Error(`there is no code ${codeId}`);
    const result = createScriptedCompiler().compile({
      node: {
        certname,
        environment: ENVIRONMENT,
        facts,
        trusted: PuppetHash.of([['certname', certname]]),
        serverFacts: null,
        ...classifiedInput(classification),
      },
      environment: openSnapshotEnvironment(open.snapshot, codeId, open.tree, NO_RECORDER),
      settings: DEFAULT_COMPILE_SETTINGS,
      inputs: NO_RECORDER,
      exportsOf: () => sortCollected(exports.filter((resource) => resource.certname !== certname)),
    });
    if (result.status === 'needs') throw new Error('all exports were given');
    return result;
  }

  /** The number of jobs of a node that are in a queue, received or not. */
  countJobs(certname: string): number {
    const sql = 'SELECT count(*) AS jobs FROM jobs WHERE jobs.certname = ? AND queue <> 2';
    return Number(this.database.getNow(sql, certname)?.jobs);
  }

  /** The state of all tables that a run changes: what follows from equal states is equal. */
  printState(): string {
    return JSON.stringify(STATE.map((sql) => this.database.selectAllNow(sql)));
  }

  hasVisibleJobs(now: number): boolean {
    return this.database.getNow('SELECT 1 FROM jobs WHERE queue <> 2 AND visible_at <= ? LIMIT 1', now) !== null;
  }

  hasExportChanges(): boolean {
    return this.database.getNow('SELECT 1 FROM export_changes LIMIT 1') !== null;
  }

  hasNodeChanges(): boolean {
    return this.database.getNow('SELECT 1 FROM node_changes LIMIT 1') !== null;
  }

  /** The blobs of the current run: the caches outlive it. */
  #followBlobs(): BlobStore {
    return new Proxy(this.#blobs, {
      get: (_, name) => {
        const value: unknown = Reflect.get(this.#current, name, this.#current);
        return typeof value === 'function' ? value.bind(this.#current) : value;
      },
    });
  }
}

interface SiteParts {
  readonly directory: string;
  readonly database: EmbeddedDatabase;
  readonly blobs: MemoryBlobs;
  readonly time: { now: () => number };
  readonly codeIds: readonly string[];
}

/** Processes changes of exports and jobs until nothing is left. */
export async function workOffAll(stores: SiteStores, context: WorkerContext): Promise<void> {
  for (;;) {
    while ((await drainExportChanges(stores.changes, stores, AT_ONCE)) > 0);
    const [received] = await stores.queue.receive(1, 0);
    if (!received) return;
    await workOff(received, stores.queue, context);
  }
}

/** The id of the group of a plan. */
export const GROUP_ID = '6a1b8c1e-7f60-4b3e-9a51-3f6f0f8d2c11';

async function createGroup({ rule, zone }: NonNullable<SitePlan['group']>, stores: SiteStores): Promise<void> {
  const service = openGroups(stores);
  const variables = { zone };
  const body = { id: GROUP_ID, name: 'Zone', parent: ROOT_ID, classes: {}, rule, variables };
  await service.create(readGroupBody(body, false));
  await settleGroups(stores);
}

/** The node groups of a site. */
export function openGroups(stores: SiteStores): GroupService {
  return new GroupService({ ...stores, secrets: new CountingSecrets() }, listClasses({}));
}

function assembleStores(tables: DatabaseTables, blobs: MemoryBlobs, clock: Clock): SiteStores {
  const seal = { seal: (text: string) => text, open: (sealed: string) => sealed };
  return { ...tables, changes: tables.exports, blobs, clock, seal };
}

function writeRepo(repo: string, { scripts, data = {} }: SiteCode): void {
  const files = {
    ...Object.fromEntries(
      Object.entries(scripts).map(([name, script]) => [`manifests/${name}.json`, JSON.stringify(script)]),
    ),
    ...Object.fromEntries(Object.entries(data).map(([name, text]) => [`data/${name}`, text])),
  };
  for (const [path, text] of Object.entries(files)) {
    const file = join(repo, 'environments', ENVIRONMENT, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
