import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Authorization } from '../../shared/access/authorization/authorization.ts';
import { CertificateAuthority } from '../../shared/access/ca/authority.ts';
import type {
  AcceptedCheckIn,
  CatalogAnswer,
  CatalogService,
  CheckIn,
} from '../../shared/fleet/catalogs/catalog-service.ts';
import { RunFailureNotes } from '../../shared/fleet/failures/note-failures.ts';
import { openFleetOverview } from '../../shared/fleet/overview/fleet-overview.ts';
import { snapshotBlob } from '../../shared/fleet/snapshots/snapshot-blobs.ts';
import { codeIdOf, printManifest } from '../../shared/fleet/snapshots/snapshot-manifest.ts';
import { readActivity } from '../../shared/http/activity.ts';
import { createApp } from '../../shared/http/app.ts';
import type { Peer } from '../../shared/http/endpoint.ts';
import { FactQueries } from '../../shared/http/fact-queries.ts';
import { FileServer } from '../../shared/http/files/file-server.ts';
import { Health } from '../../shared/http/health.ts';
import { EnvironmentClasses } from '../../shared/http/information/deployed-classes.ts';
import { NodeSearch } from '../../shared/http/node-search.ts';
import { CodeSearch } from '../../shared/http/search/code-search.ts';
import { ServerMetrics } from '../../shared/http/server-metrics.ts';
import { type CodeService, DEFAULT_SETTINGS, type HttpServices } from '../../shared/http/services.ts';
import { ShadowComparisons } from '../../shared/http/upstream/shadow-comparisons.ts';
import { UpstreamCompiler } from '../../shared/http/upstream/upstream-compiler.ts';
import { TABLE_SEAL } from '../../shared/store/aws/stores.ts';
import { openEmbeddedStores } from '../../shared/store/embedded/stores.ts';
import type { Clock } from '../../shared/store/ports/clock.ts';
import { FairQueue } from '../../shared/util/fair-queue.ts';
import { Semaphore } from '../../shared/util/semaphore.ts';
import { openAccessWorld } from './access-world.ts';
import { ManualClock, MemoryBlobs, MemoryDocuments, MemoryEnvironments } from './memory-stores.ts';

type ScriptedAnswer = CatalogAnswer | AcceptedCheckIn;

/** A catalog service with scripted answers; it records what it was asked. */
export class ScriptedCatalogs implements CatalogService {
  readonly asked: CheckIn[] = [];
  answers: (checkIn: CheckIn) => ScriptedAnswer | Promise<ScriptedAnswer> = () => ({
    status: 'unavailable',
    retryAfterSeconds: 30,
  });

  async accept(checkIn: CheckIn): Promise<AcceptedCheckIn> {
    this.asked.push(checkIn);
    const answer = await this.answers(checkIn);
    return 'kind' in answer ? answer : { kind: 'answered', answer };
  }
}

export async function httpServices(others: Partial<HttpServices> = {}) {
  const clock = new ManualClock(Date.UTC(2026, 10, 20, 22, 12, 50));
  const documents = new MemoryDocuments();
  const blobs = new MemoryBlobs(clock);
  const environments = new MemoryEnvironments();
  const catalogs = new ScriptedCatalogs();
  const errors: unknown[] = [];
  const authority = await CertificateAuthority.open(documents, clock, {
    name: 'understudy.example.com',
    autosign: true,
    keyBits: 2048,
  });
  const files = new FileServer(environments, blobs);
  const { nodes, dependencies, exports, queue, fanOut, groups, jobs } = shortLivedStores(clock);
  const services: HttpServices = {
    nodes,
    dependencies,
    exports,
    queue,
    fanOut,
    groups,
    jobs,
    seal: TABLE_SEAL,
    authority,
    forwarders: new Set(),
    audience: 'all',
    authorization: Authorization.standard(DEFAULT_SETTINGS.language),
    access: openAccessWorld({}, documents).access,
    fleet: openFleetOverview(
      {
        nodes,
        dependencies,
        queue,
        fanOut,
        exports,
        groups,
        documents,
        blobs,
        environments,
        ...others,
        clock: { now: () => clock.now(), sleep: untilAborted, random: () => 0 },
      },
      { changes: null, readDepth: depth, readAnswers: async () => ({ hit: 7, miss: 1 }), reportFailure: () => {} },
    ),
    activity: () =>
      readActivity({
        stores: { documents, environments, jobs, ...others, clock },
        readDepth: depth,
        authority: () => authority,
      }),
    search: new NodeSearch(null, clock),
    rows: null,
    facts: new FactQueries(null, clock),
    finder: { find: async () => ({ kinds: [], failed: [] }) },
    dataKeys: new CodeSearch(environments, files, new EnvironmentClasses(files)),
    catalogs,
    visits: { noteReport: () => {} },
    hours: { noteRun: () => {} },
    runFailures: new RunFailureNotes(others.documents ?? documents, clock),
    compiler: new UpstreamCompiler(others.documents ?? documents, clock, null),
    shadows: new ShadowComparisons({
      documents: others.documents ?? documents,
      clock,
      catalogs,
      log: { logError: (...error) => errors.push(error) },
    }),
    files,
    classes: new EnvironmentClasses(files),
    environments,
    documents,
    blobs,
    clock,
    code: noCode(),
    health: new Health({ ca: {}, master: {}, server: {}, 'status-service': {} }, clock),
    metrics: new ServerMetrics({ ...METRIC_STORES, environments, clock }),
    readWarnings: async () => [],
    readCounters: async () => ({ compiles: 3 }),
    log: { logError: (message, cause) => errors.push([message, cause]) },
    settings: DEFAULT_SETTINGS,
    checkIns: new FairQueue({ places: 2 }),
    largeCheckIns: new FairQueue({ places: 1 }),
    catalogRequests: new Semaphore(4),
    longTexts: new FairQueue({ places: 1 }),
    ...others,
  };
  return {
    services,
    app: createApp(services),
    nodes,
    exports,
    queue,
    clock,
    documents,
    blobs,
    environments,
    catalogs,
    authority,
    errors,
  };
}

/** A sleep that lasts until it is aborted. */
function untilAborted(_: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal?.addEventListener('abort', () => resolve()));
}

/** Stores whose files are already unlinked: they disappear with the process. */
function shortLivedStores(clock: Clock) {
  const directory = mkdtempSync(join(tmpdir(), 'understudy-http-'));
  const stores = openEmbeddedStores(directory, { clock });
  rmSync(directory, { recursive: true });
  return stores;
}

const IDLE = { visible: 0, inFlight: 0, oldestAgeMs: 0 };
const depth = async () => ({
  waiting: IDLE,
  express: { visible: 2, inFlight: 1, oldestAgeMs: 1500 },
  background: IDLE,
  dead: IDLE,
});
const counts = async () => ({ nodes: 7, outstanding: 3 });
const METRIC_STORES = { nodes: { getCounts: counts, listRing: async () => [] }, queue: { getDepth: depth } };

/** A code service for tests in which nobody deploys over HTTP. */
function noCode(): CodeService {
  const refuse = () => Promise.reject(new Error('this test has no code service'));
  const source = { takesUploads: false, listEnvironments: refuse, prepare: refuse };
  return { source, upload: refuse, deploy: refuse, check: refuse, list: refuse, get: refuse, inForce: refuse };
}

export type TestServices = Awaited<ReturnType<typeof httpServices>>;

/**
 * Deploys files (by path relative to the code directory) as `environment`. Modes are 0644, except
 * for paths that end in `.sh`.
 */
export async function deployFiles(
  { blobs, environments, clock }: TestServices,
  environment: string,
  files: Readonly<Record<string, string>>,
  times?: Readonly<Record<string, number>>,
): Promise<string> {
  const entries: Record<string, { sha256: string; size: number; mode: number }> = {};
  for (const [path, text] of Object.entries(files)) {
    const sha256 = createHash('sha256').update(text).digest('hex');
    await blobs.put(`files/${sha256}`, new TextEncoder().encode(text));
    entries[path] = { sha256, size: Buffer.byteLength(text), mode: path.endsWith('.sh') ? 0o755 : 0o644 };
  }
  const snapshot = { environment, files: entries, ...(times && { times }) };
  const codeId = codeIdOf(snapshot);
  await blobs.put(snapshotBlob(codeId), await printManifest(snapshot, []));
  const before = await environments.get(environment);
  const revision = (before?.revision ?? 0) + 1;
  const common = { name: environment, deployedAt: clock.now(), by: 'test', history: [] };
  await environments.replace({ ...common, revision, codeId, settled: revision }, before?.revision ?? null);
  return codeId;
}

export function createPeer(
  certname: string,
  serial = 'ab',
  extensions: readonly (readonly [string, string])[] = [],
): Peer {
  return {
    certname,
    serial,
    extensions: new Map(extensions),
    issuer: 'CN=Puppet CA: understudy.example.com',
    certificate: new Uint8Array(),
  };
}
