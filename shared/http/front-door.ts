import type { Hono } from 'hono';
import { type AccessOptions, AccessService } from '../access/accounts/access-service.ts';
import { Authorization } from '../access/authorization/authorization.ts';
import type { CertificateAuthority } from '../access/ca/authority.ts';
import type { FactKeeping } from '../config/fact-settings.ts';
import {
  DEFAULT_HOLD_OPTIONS,
  type HoldOptions,
  StoredCatalogService,
} from '../fleet/catalogs/stored-catalog-service.ts';
import { PromptVisits, ReportedVisits, type Visits } from '../fleet/catalogs/visits.ts';
import { CodeDeploys } from '../fleet/code/code-deploys.ts';
import { type CodeSource, createUploadSource } from '../fleet/code/code-source.ts';
import type { Preparation } from '../fleet/code/deploy.ts';
import { askForTypes } from '../fleet/compiles/types-question.ts';
import { RunFailureNotes } from '../fleet/failures/note-failures.ts';
import { GroupService } from '../fleet/groups/group-service.ts';
import type { ExternalClassifier } from '../fleet/nodes/classification.ts';
import { type FleetOverview, openFleetOverview } from '../fleet/overview/fleet-overview.ts';
import { createDeployGate } from '../fleet/previews/deploy-gate.ts';
import { createWorkerTrials } from '../fleet/previews/trial-compiler.ts';
import { WorkHours } from '../fleet/reports/work-hours.ts';
import { stageDeploy } from '../fleet/stages/stage-by-policy.ts';
import type { JobQueries } from '../orchestrator/jobs/inventory-queries.ts';
import type { NodeChangeLog } from '../store/ports/node-changes.ts';
import type { ReadServers } from '../store/ports/servers.ts';
import type { Stores } from '../store/ports/stores.ts';
import { RecentEnvironments } from '../store/recent-environments.ts';
import { systemSecrets } from '../store/system-secrets.ts';
import { cacheFor } from '../util/cache-for.ts';
import { FairQueue } from '../util/fair-queue.ts';
import { Semaphore } from '../util/semaphore.ts';
import { readActivity } from './activity.ts';
import { createApp } from './app.ts';
import type { Audience } from './audience.ts';
import { createOperatorApi } from './console/operator-api.ts';
import type { Bindings, Peer } from './endpoint.ts';
import { FactQueries } from './fact-queries.ts';
import { FileServer } from './files/file-server.ts';
import { prepareListings } from './files/prepared-listings.ts';
import { Health, type HealthCheck } from './health.ts';
import { ClassForms } from './information/class-forms.ts';
import { DeployedClasses, EnvironmentClasses } from './information/deployed-classes.ts';
import { NodeSearch } from './node-search.ts';
import { type CertificateOptions, openCertificates } from './open-certificates.ts';
import type { DoorStatus } from './operator/door-status.ts';
import { showServers } from './operator/servers-metrics.ts';
import { isRevokedPeer } from './revoked-peer.ts';
import { CodeSearch } from './search/code-search.ts';
import { ConsoleSearch } from './search/console-search.ts';
import { ServerMetrics } from './server-metrics.ts';
import { countServers, warnOfServers } from './servers-status.ts';
import { DEFAULT_SETTINGS, type HttpServices } from './services.ts';
import { serviceChecks } from './store-checks.ts';
import { StoreFaults } from './store-faults.ts';
import { ShadowComparisons } from './upstream/shadow-comparisons.ts';
import { type CompilerUpstream, UpstreamCompiler } from './upstream/upstream-compiler.ts';

export interface FrontDoorOptions extends CertificateOptions {
  /** Certnames of the front doors without the CA's key that forward here; none by default. */
  readonly forwarders?: readonly string[];
  /** Whose requests are served; by default all. */
  readonly audience?: Audience;
  /** The authorization rules; absent: those of a server of the level. */
  readonly authorization?: Authorization;
  /** Whose certificates may use the access API, and what a hash of a password costs. */
  readonly access?: Pick<AccessOptions, 'allowedCertnames' | 'passwordCost' | 'vault'>;
  /** Classifies nodes that the operator and the node groups leave to it; absent: none. */
  readonly external?: ExternalClassifier;
  readonly hold?: Partial<HoldOptions>;
  /**
   * Whether a run is known by its report, so that a node's record is not written for it; then
   * `visits.flush` is to be called once a minute. False by default.
   */
  readonly awaitsReports?: boolean;
  /** The existing Puppet Server for nodes whose policy names it; absent: none. */
  readonly compilerUpstream?: CompilerUpstreamOptions | undefined;
  /** Retention of the facts of runs for an inventory; absent: they are not stored. */
  readonly keepFacts?: FactKeeping | undefined;
  /** Code source of deploys over HTTP; absent: uploaded code. */
  readonly codeSource?: CodeSource;
  /** Synchronises git sources when their webhooks are called; absent: there are none. */
  readonly git?: HttpServices['git'];
  /** Artifacts precomputed for uploaded code; absent: all, with the help of compile workers. */
  readonly preparation?: Preparation;
  /** Asks the inventory; absent without one. */
  readonly queries?: JobQueries | null;
  /** The log of changes of nodes; absent where there is none. */
  readonly nodeChanges?: NodeChangeLog;
  /** Additional counters for the status page. */
  readonly readCounters?: () => Readonly<Record<string, unknown>>;
  /** Faults of the stores that others than the front door note, too. */
  readonly faults?: StoreFaults;
  /** Further checks of the services' health, by name. */
  readonly checks?: Readonly<Record<string, HealthCheck>>;
  /** Warnings for the status page while all services run. */
  readonly readWarnings?: () => readonly string[];
  /** Reads the servers that share the stores; absent where no others do. */
  readonly readServers?: ReadServers | undefined;
  /** Counts damage of the stores by its kind, for the metrics; absent where none is noted. */
  readonly countDamage?: () => Readonly<Record<string, number>>;
}

/** Address of the existing Puppet Server, and our identity there. */
interface CompilerUpstreamOptions {
  /** `https://HOST:8140` */
  readonly url: string;
  /** Our names, the subject first: it gets the certificate that agents get, of our own CA. */
  readonly names: readonly [string, ...string[]];
  /** PEM: the certificates of its CA; absent: our own CA has signed its certificate. */
  readonly trusted?: string;
}

export interface FrontDoor {
  readonly app: Hono<{ Bindings: Bindings }>;
  /** The administration for users with a token, for the console. */
  readonly operatorApi: Hono<{ Bindings: Bindings }>;
  /** Users, roles and tokens. */
  readonly access: AccessService;
  /** The node groups. */
  readonly groups: GroupService;
  /** The deployed classes, as forms show them. */
  readonly forms: ClassForms;
  /** Whether the certificate of a client is revoked. */
  readonly isRevoked: (peer: Peer) => Promise<boolean>;
  /** The embedded CA; do not use it with an upstream CA. */
  readonly authority: CertificateAuthority;
  /** PEM: the CA whose client certificates are accepted. */
  readonly trusted: string;
  /** The revocation lists of all CAs, PEM; null when there are none yet. */
  readonly readRevocations: () => Promise<string | null>;
  /** The server certificate for these names. */
  readonly serverCredentials: CertificateAuthority['serverCredentials'];
  /** Call its `stop` when the process is to end. */
  readonly health: Health;
  /** Runs whose reports are awaited. */
  readonly visits: Pick<Visits, 'flush'>;
  /** The work of this process by the hour: call `flush` once a minute, and at the end. */
  readonly hours: Pick<WorkHours, 'flush' | 'noteQueueAge'>;
  readonly metrics: ServerMetrics;
  /** The state and the metrics that doors of operators show. */
  readonly status: DoorStatus;
  /** Call its `stop` when the process is to end. */
  readonly fleet: FleetOverview;
  /**
   * For long-lived processes: refreshes an upstream CA's revocation lists until `signal` aborts,
   * and reports their age in milliseconds once a minute. Returns at once with the embedded CA,
   * whose list is read at each request.
   */
  readonly keepRevocations: (signal: AbortSignal, reportAge?: (ageMs: number) => void) => Promise<void>;
}

const CHECK_INS_AT_ONCE = 32;
/**
 * Twice the number of held requests, so that nodes with a current catalog are served while others
 * wait.
 */
const CATALOG_REQUESTS_AT_ONCE = 2 * DEFAULT_HOLD_OPTIONS.mostWaiting;
/** Timeout for each compile of a deploy's check. */
const CHECK_HOLD_MS = 120_000;
/** The share of the longest hold for which an upload waits for its resource types. */
const TYPES_SHARE = 0.4;
/** Anyone may request the counters, and counting is expensive: so they are cached. */
const FIGURES_MS = 5000;

/**
 * Creates the application over these stores, with their certificate authority (created when
 * missing).
 */
export async function openFrontDoor(stores: Stores, options: FrontDoorOptions): Promise<FrontDoor> {
  const { hold, readCounters: figures, readServers, preparation = prepareByWorkers(stores, options) } = options;
  const faults = options.faults ?? new StoreFaults(stores.clock);
  const log = faults.watch(options.log);
  const settings = { ...DEFAULT_SETTINGS, ...options.settings };
  const { recordsMs } = settings;
  const certificates = await openCertificates(stores, options);
  const environments =
    recordsMs === 0 ? stores.environments : new RecentEnvironments(stores.environments, stores.clock, recordsMs);
  const files = new FileServer(environments, stores.blobs);
  const depth = cacheFor(FIGURES_MS, stores.clock, () => stores.queue.getDepth());
  const metrics = new ServerMetrics({ ...stores, queue: { getDepth: depth } });
  const checks = serviceChecks(stores, {
    authority: certificates.check,
    queue: depth,
    common: { store: () => faults.check(), ...options.checks },
  });
  const health = new Health(checks, stores.clock);
  const visits = options.awaitsReports ? new ReportedVisits(stores) : new PromptVisits(stores);
  const holding = { ...DEFAULT_HOLD_OPTIONS, keepFacts: options.keepFacts, visits, ...hold };
  const catalogs = new StoredCatalogService(stores, holding, options.external ?? null);
  metrics.showWaiting(() => catalogs.waiting);
  if (options.countDamage !== undefined) metrics.showDamage(options.countDamage);
  if (readServers !== undefined) showServers(metrics.registry, readServers);
  const hours = new WorkHours(stores.documents, stores.clock, Buffer.from(systemSecrets.bytes(6)).toString('hex'));
  metrics.watch(hours);
  const access = new AccessService(
    { ...stores, secrets: systemSecrets },
    { ...options.access, ...(log.audit === undefined ? {} : { audit: log.audit }) },
  );
  const classes = new EnvironmentClasses(files);
  const groups = new GroupService(
    { ...stores, secrets: systemSecrets },
    new DeployedClasses(stores.environments, files, classes),
  );
  const fleet = openFleetOverview(stores, {
    changes: options.nodeChanges ?? null,
    readDepth: depth,
    readAnswers: () => metrics.readAnswers(),
    readServers,
    reportFailure: (message, cause) => log.logError(message, cause),
  });
  const dataKeys = new CodeSearch(environments, files, classes);
  const services: HttpServices = {
    fleet,
    activity: cacheFor(FIGURES_MS, stores.clock, () => {
      const authority = () => (certificates.upstream === undefined ? certificates.authority() : null);
      return readActivity({ stores, readDepth: depth, authority });
    }),
    search: new NodeSearch(options.queries ?? null, stores.clock),
    rows: options.queries ?? null,
    facts: new FactQueries(options.queries ?? null, stores.clock),
    finder: new ConsoleSearch({
      ...{ fleet, queries: options.queries ?? null, jobs: stores.jobs, accounts: access.accounts, clock: stores.clock },
      code: dataKeys,
      reportFailure: (message, cause) => log.logError(message, cause),
    }),
    dataKeys,
    access,
    health,
    metrics,
    ...stores,
    environments,
    ...(options.git === undefined ? {} : { git: options.git }),
    code: new CodeDeploys({ ...stores, environments }, options.codeSource ?? createUploadSource(stores), log, {
      gate: createDeployGate(createWorkerTrials(stores, CHECK_HOLD_MS), stores),
      stage: async (code) => (await stageDeploy(code, { ...stores, environments })) !== null,
      ...preparation,
    }),
    ...(certificates.upstream === undefined ? {} : { upstream: certificates.upstream }),
    ...(certificates.keyHolder === undefined ? {} : { keyHolder: certificates.keyHolder }),
    forwarders: new Set(options.forwarders),
    audience: options.audience ?? 'all',
    get authority() {
      return certificates.authority();
    },
    authorization: options.authorization ?? Authorization.standard(settings.language),
    catalogs: metrics.countAnswers(catalogs),
    visits,
    hours,
    runFailures: new RunFailureNotes(stores.documents, stores.clock),
    compiler: new UpstreamCompiler(stores.documents, stores.clock, describeCompiler(options, certificates)),
    shadows: new ShadowComparisons({ ...stores, catalogs, log }),
    files,
    classes,
    readWarnings: async () => [...(options.readWarnings?.() ?? []), ...(await warnOfServers(readServers))],
    readCounters: cacheFor(FIGURES_MS, stores.clock, async () => ({
      ...figures?.(),
      queue: await depth(),
      nodes: await stores.nodes.getCounts(),
      ...(await countServers(readServers)),
    })),
    log,
    settings: { ...settings, compileHoldMs: options.settings?.compileHoldMs ?? hold?.holdMs ?? settings.compileHoldMs },
    checkIns: new FairQueue({ places: CHECK_INS_AT_ONCE }),
    largeCheckIns: new FairQueue({ places: 1 }),
    catalogRequests: new Semaphore(CATALOG_REQUESTS_AT_ONCE),
    longTexts: new FairQueue({ places: 1 }),
  };
  const isRevoked = (peer: Peer) => isRevokedPeer(peer, services);
  return {
    app: createApp(services),
    operatorApi: createOperatorApi(services),
    access,
    groups,
    forms: new ClassForms(files, classes),
    isRevoked,
    ...certificates.shown,
    health,
    metrics,
    status: { stores, settings, metrics, isRevoked },
    fleet,
    visits,
    hours,
    keepRevocations: async (signal, reportAge = () => {}) => certificates.upstream?.revocations.poll(signal, reportAge),
    get authority() {
      return certificates.authority();
    },
  };
}

function describeCompiler(
  { compilerUpstream }: FrontDoorOptions,
  { shown }: Awaited<ReturnType<typeof openCertificates>>,
): CompilerUpstream | null {
  if (compilerUpstream === undefined) return null;
  const { url, names, trusted = shown.trusted } = compilerUpstream;
  const [name, ...others] = names;
  return { url, readCredentials: async () => ({ trusted, ...(await shown.serverCredentials(name, others)) }) };
}

/**
 * Precomputes all that can be for uploaded code. A worker describes resource types, because front
 * doors run no code of modules; compiles describe them when no worker answers in time.
 */
function prepareByWorkers(stores: Stores, { hold }: FrontDoorOptions): Preparation {
  const holdMs = (hold?.holdMs ?? DEFAULT_HOLD_OPTIONS.holdMs) * TYPES_SHARE;
  return { listings: prepareListings, types: (data) => askForTypes(data, stores, holdMs) };
}
