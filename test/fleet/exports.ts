import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answerCheckIn } from '../../shared/fleet/catalogs/catalog-service.ts';
import { StoredCatalogService } from '../../shared/fleet/catalogs/stored-catalog-service.ts';
import { DEFAULT_EXPORT_TIMING, type ExportTiming } from '../../shared/fleet/compiles/export-interval.ts';
import { drainExportChanges } from '../../shared/fleet/compiles/invalidate-collectors.ts';
import { workOff } from '../../shared/fleet/compiles/work-off.ts';
import type { WorkerContext } from '../../shared/fleet/compiles/worker-context.ts';
import { DependencyCache } from '../../shared/fleet/dependencies/dependency-cache.ts';
import { SnapshotCache } from '../../shared/fleet/snapshots/snapshot-cache.ts';
import type { CompileRequest, CompileResult } from '../../shared/puppet/compiler/compile.ts';
import { DEFAULT_COMPILE_SETTINGS } from '../../shared/puppet/compiler/default-settings.ts';
import { type EmbeddedStores, openEmbeddedStores } from '../../shared/store/embedded/stores.ts';
import { digestCollected } from '../../shared/store/exports-digest.ts';
import { checkIn } from '../helpers/compile-world.ts';
import { deployFolder } from '../helpers/deploy-folder.ts';
import { intercept } from '../helpers/intercept.ts';
import { MemoryBlobs } from '../helpers/memory-stores.ts';
import { CountingStores } from './counting-stores.ts';
import { type Measure, measureOf } from './measure.ts';
import { VirtualTime } from './virtual-time.ts';

const SIZES = [250, 1000, 4000];
const WORKERS = 8;
/** The duration of a compile, in virtual milliseconds. */
const COMPILE_MS = 1000;
/** Folders here are in memory, so that a write does not wait for a disk. */
const MEMORY = '/dev/shm';
const POLL_MS = 1000;
/** Longer than any change waits. */
const QUIET_MS = 60_000;
const ALL = { type: 'Host', query: null };
/** Calls of ports that write. */
const WRITES =
  /^(nodes\.(markSeen|want|ask|unask|demote|lease|finishRound|release|factsStored|register|commit|markVerified|moveToRingEnd)|exports\.(replace|note)\w+|blobs\.put\w*|documents\.(put|create|replace)|queue\.(acknowledge|retryAfter))$/;

/** What a fleet of new nodes cost until nothing was left to do. */
export interface ExportStorm {
  readonly jobs: number;
  readonly compiles: number;
  readonly verifications: number;
  readonly writes: number;
  /** Nodes whose catalog has the exports of all other nodes. */
  readonly complete: number;
}

/** Counts what it costs that nodes which export and collect one type are all new at once. */
export async function measureExports(): Promise<readonly Measure[]> {
  const measures: Measure[] = [];
  for (const nodes of SIZES) {
    const storm = await runExportStorm(nodes);
    if (storm.complete !== nodes) throw new Error(`${nodes - storm.complete} of ${nodes} nodes lack exports`);
    measures.push(
      measureOf(`exports.jobs_per_node.${nodes}`, storm.jobs / nodes, 'jobs/node'),
      measureOf(`exports.compiles_per_node.${nodes}`, storm.compiles / nodes, 'compiles/node'),
      measureOf(`exports.writes_per_node.${nodes}`, storm.writes / nodes, 'writes/node'),
    );
  }
  return measures;
}

/** Has this many new nodes check in at once, and works until the queues are empty. */
export async function runExportStorm(
  nodes: number,
  timing: ExportTiming = DEFAULT_EXPORT_TIMING,
): Promise<ExportStorm> {
  const directory = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'understudy-storm-'));
  const time = new VirtualTime();
  const embedded = openEmbeddedStores(join(directory, 'data'), { clock: time });
  try {
    return await new Storm(directory, nodes, time, embedded, timing).run();
  } finally {
    embedded.close();
    rmSync(directory, { recursive: true });
  }
}

class Storm {
  readonly #directory: string;
  readonly #certnames: readonly string[];
  readonly #time: VirtualTime;
  readonly #changes: EmbeddedStores['changes'];
  readonly #counting: CountingStores<EmbeddedStores>;
  readonly #context: WorkerContext;
  readonly #timing: ExportTiming;
  #jobs = 0;
  #busy = 0;
  #activeAt = 0;
  #isQuiet = false;
  readonly #outcomes: string[] = [];

  constructor(directory: string, nodes: number, time: VirtualTime, embedded: EmbeddedStores, timing: ExportTiming) {
    this.#directory = directory;
    this.#certnames = Array.from({ length: nodes }, (_, index) => `node${index}.example.com`);
    this.#time = time;
    this.#timing = timing;
    this.#changes = embedded.changes;
    const queue = intercept(embedded.queue, {
      send: (name, jobs, delayMs) => {
        this.#jobs += jobs.length;
        return embedded.queue.send(name, jobs, delayMs);
      },
    });
    const exports = intercept(embedded.exports, {
      collect: async (queries, except) => {
        const found = await embedded.exports.collect(queries, except);
        // The compile takes its time between reading and writing.
        await time.sleep(COMPILE_MS);
        return found;
      },
    });
    this.#counting = new CountingStores({ ...embedded, blobs: new MemoryBlobs(time), queue, exports });
    const { stores } = this.#counting;
    this.#context = {
      stores,
      snapshots: new SnapshotCache(stores.blobs),
      dependencies: new DependencyCache(stores.blobs),
      compile: exportAndCollect,
      settings: DEFAULT_COMPILE_SETTINGS,
      server: { name: 'puppet', ip: '127.0.0.1', release: '0' },
      limitMs: 60_000,
      timing,
    };
  }

  async run(): Promise<ExportStorm> {
    const { stores } = this.#counting;
    const repo = join(this.#directory, 'repo');
    mkdirSync(join(repo, 'environments/production/manifests'), { recursive: true });
    writeFileSync(join(repo, 'environments/production/manifests/site.pp'), '');
    await deployFolder(stores, repo, 'production', 'storm');
    this.#counting.reset();
    const service = new StoredCatalogService(stores);
    for (const certname of this.#certnames) await answerCheckIn(service, checkIn(certname), AbortSignal.abort());
    await this.#time.runAll(Array.from({ length: WORKERS }, () => () => this.#work()));
    return {
      jobs: this.#jobs,
      compiles: this.#outcomes.filter((outcome) => outcome === 'compiled').length,
      verifications: this.#outcomes.filter((outcome) => outcome === 'verified').length,
      writes: this.#counting.sum(WRITES),
      complete: await this.#countComplete(),
    };
  }

  /** A worker, as `runWorker`, which ends when nothing is left to do. */
  async #work(): Promise<void> {
    const { stores } = this.#counting;
    while (!this.#isQuiet) {
      this.#busy += 1;
      while ((await drainExportChanges(this.#changes, stores, this.#timing)) > 0) this.#activeAt = this.#time.now();
      const [received] = await stores.queue.receive(1, 0);
      if (received) {
        const observe = ({ outcome }: { readonly outcome: string }) => void this.#outcomes.push(outcome);
        await workOff(received, stores.queue, this.#context, observe);
      }
      this.#busy -= 1;
      if (received) this.#activeAt = this.#time.now();
      if (received) continue;
      this.#isQuiet ||= this.#busy === 0 && (await this.#isIdle());
      await this.#time.sleep(POLL_MS);
    }
  }

  async #isIdle(): Promise<boolean> {
    const { waiting, express, background } = await this.#counting.stores.queue.getDepth();
    const hasJobs = [waiting, express, background].some(({ visible, inFlight }) => visible + inFlight > 0);
    return !hasJobs && this.#time.now() - this.#activeAt > QUIET_MS;
  }

  async #countComplete(): Promise<number> {
    const { nodes, exports } = this.#counting.stores;
    let complete = 0;
    for (const certname of this.#certnames) {
      const node = await nodes.get(certname);
      const isBuilt = node !== null && node.built === node.wanted && node.wanted > 0;
      if (isBuilt && node.inputs?.collected === (await exports.digestCollected([ALL], certname))) complete += 1;
    }
    return complete;
  }
}

/** Stands in for the compiler: a node exports one resource, and collects those of all others. */
function exportAndCollect({ node: { certname }, exportsOf }: CompileRequest): CompileResult {
  const found = exportsOf(ALL.type, ALL.query);
  if (found === null) return { status: 'needs', queries: [ALL] };
  return {
    status: 'ok',
    catalog: JSON.stringify({ name: certname, hosts: digestCollected([ALL], found) }),
    lastValue: undefined,
    exported: [{ certname, type: ALL.type, title: certname, tags: ['host'], parameters: { ip: certname } }],
    collectors: [{ certname, ...ALL }],
    log: [],
  };
}
