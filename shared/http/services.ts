import type { AccessAudit } from '../access/accounts/access-audit.ts';
import type { AccessControl } from '../access/accounts/access-control.ts';
import type { Authorization } from '../access/authorization/authorization.ts';
import type { CertificateAuthority } from '../access/ca/authority.ts';
import { NO_TRUSTED_NAMES, type TrustedNames } from '../access/ca/trusted-oid-mapping.ts';
import { DEFAULT_LANGUAGE_LEVEL, type LanguageLevel } from '../config/language-level.ts';
import { SETTINGS } from '../config/settings.ts';
import type { CatalogService } from '../fleet/catalogs/catalog-service.ts';
import { DEFAULT_HOLD_OPTIONS } from '../fleet/catalogs/stored-catalog-service.ts';
import type { Visits } from '../fleet/catalogs/visits.ts';
import type { CodeDeploys } from '../fleet/code/code-deploys.ts';
import type { RunFailureNotes } from '../fleet/failures/note-failures.ts';
import type { FleetOverview } from '../fleet/overview/fleet-overview.ts';
import type { WorkHours } from '../fleet/reports/work-hours.ts';
import type { GitSync } from '../fleet/sources/git-sync.ts';
import type { RowQueries } from '../orchestrator/jobs/inventory-queries.ts';
import type { Stores } from '../store/ports/stores.ts';
import type { FairQueue } from '../util/fair-queue.ts';
import type { Semaphore } from '../util/semaphore.ts';
import type { AccessLog } from './access-log.ts';
import type { ShownActivity } from './activity.ts';
import type { Audience } from './audience.ts';
import type { FactQueries } from './fact-queries.ts';
import type { FileServer } from './files/file-server.ts';
import type { Health } from './health.ts';
import type { EnvironmentClasses } from './information/deployed-classes.ts';
import type { NodeSearch } from './node-search.ts';
import type { CodeSearch } from './search/code-search.ts';
import type { ConsoleSearch } from './search/console-search.ts';
import type { ServerMetrics } from './server-metrics.ts';
import type { ShadowComparisons } from './upstream/shadow-comparisons.ts';
import type { UpstreamAuthority } from './upstream/upstream-authority.ts';
import type { UpstreamCompiler } from './upstream/upstream-compiler.ts';
import type { UpstreamRevocations } from './upstream/upstream-revocations.ts';

/** The dependencies of all routes. */
export interface HttpServices extends Stores {
  /** The embedded CA; do not use it when `upstream` is set. */
  readonly authority: CertificateAuthority;
  /** The upstream CA, if another server has it. */
  readonly upstream?: { readonly authority: UpstreamAuthority; readonly revocations: UpstreamRevocations };
  /**
   * The front door with the CA's key, in a deployment of two: nodes' requests that need the key are
   * forwarded to it. Then `authority` has no key.
   */
  readonly keyHolder?: UpstreamAuthority;
  /** Certnames of the front doors that may forward to this one. */
  readonly forwarders: ReadonlySet<string>;
  /** Whose requests are served. */
  readonly audience: Audience;
  readonly authorization: Authorization;
  /** Who deploys code with a token, and whether they may. */
  readonly access: AccessControl;
  readonly catalogs: CatalogService;
  /** Gets notice of reports: each is a sign of life. */
  readonly visits: Pick<Visits, 'noteReport'>;
  readonly hours: Pick<WorkHours, 'noteRun'>;
  readonly runFailures: Pick<RunFailureNotes, 'note'>;
  /** The existing Puppet Server, for nodes whose policy names it. */
  readonly compiler: UpstreamCompiler;
  /** Compares its catalogs with ours. */
  readonly shadows: ShadowComparisons;
  readonly files: FileServer;
  readonly classes: EnvironmentClasses;
  readonly code: CodeService;
  /** Synchronises git sources; absent where nothing does. */
  readonly git?: Pick<GitSync, 'sources' | 'request'> | undefined;
  readonly health: Health;
  /** The state of all nodes together, kept while somebody watches. */
  readonly fleet: FleetOverview;
  /** Work under way; read at most once in five seconds. */
  readonly activity: () => Promise<ShownActivity>;
  /** Finds nodes by queries of the inventory. */
  readonly search: NodeSearch;
  /** Answers about facts over all nodes. */
  readonly facts: FactQueries;
  /** Answers queries of the inventory with rows; null without one. */
  readonly rows: RowQueries | null;
  /** Finds what users of the console look for. */
  readonly finder: Pick<ConsoleSearch, 'find'>;
  /** Finds the data files that have a key of Hiera. */
  readonly dataKeys: Pick<CodeSearch, 'locate'>;
  readonly metrics: ServerMetrics;
  /** Returns warnings for operators while all services run. */
  readonly readWarnings: () => Promise<readonly string[]>;
  /** Counters for `/status/v1/services?level=debug`. */
  readonly readCounters: () => Promise<Readonly<Record<string, unknown>>>;
  readonly log: RequestLog;
  readonly settings: HttpSettings;
  /**
   * Limits check-ins with parsed facts; all others keep theirs as received, which takes a fraction
   * of the memory.
   */
  readonly checkIns: FairQueue;
  /** The same for those with many facts, whose steps add up. */
  readonly largeCheckIns: FairQueue;
  /**
   * Limits catalog requests that are read, held or answered: beyond it, load shedding answers
   * before the body is read.
   */
  readonly catalogRequests: Semaphore;
  /** Long texts that are being parsed take turns, so that a step of each does not add up. */
  readonly longTexts: FairQueue;
}

/** Deploys requested by pipelines. */
export type CodeService = Pick<CodeDeploys, 'source' | 'upload' | 'deploy' | 'check' | 'list' | 'get' | 'inForce'>;

/** Logs our own faults; a client's mistake is reported to the client. */
export interface RequestLog {
  logError(message: string, cause: unknown): void;
  /** Records what happened; absent where nobody reads it. */
  logEntry?(text: string): void;
  /** Called for each request; absent without an access log. */
  readonly access?: AccessLog;
  /** Called for each decision about users, tokens and permissions; absent without an audit log. */
  readonly audit?: AccessAudit;
}

export interface HttpSettings {
  /** The level whose release answers name. */
  readonly language: LanguageLevel;
  /** The environment of nodes that request a missing one, like Puppet's `environment` setting. */
  readonly defaultEnvironment: string;
  /** Interval in milliseconds of interim responses to held clients. */
  readonly stillWorkingMs: number;
  /** The longest wait for a catalog that is not stored. */
  readonly compileHoldMs: number;
  /** Number of reports kept per node, and of days. Unchanged runs are only counted. */
  readonly reportsKept: number;
  readonly reportDays: number;
  /**
   * The base URL for answers that exceed this transport's limit: `https://edge.example.com:8140`;
   * null for none.
   */
  readonly largeAnswersAt: string | null;
  /**
   * The pool's address for installed agents: `puppet.example.com:8140`; null: the Host header of
   * the installer's request.
   */
  readonly poolAddress: string | null;
  /**
   * Lifetime of cached records of environments and of the revocation list, in milliseconds; 0: they
   * are read for each request. It never affects whether a catalog is current.
   */
  readonly recordsMs: number;
  /** Names in `$trusted['extensions']` of extensions unknown to Puppet. */
  readonly trustedNames: TrustedNames;
}

export const DEFAULT_SETTINGS: HttpSettings = {
  language: DEFAULT_LANGUAGE_LEVEL,
  defaultEnvironment: 'production',
  stillWorkingMs: 10_000,
  compileHoldMs: DEFAULT_HOLD_OPTIONS.holdMs,
  reportsKept: 20,
  reportDays: SETTINGS.keepReports.usual,
  largeAnswersAt: null,
  poolAddress: null,
  recordsMs: 0,
  trustedNames: NO_TRUSTED_NAMES,
};

/** The dependencies of the routes in `routes/ca`. */
export type CaServices = Pick<HttpServices, 'authority' | 'documents'>;

/** The dependencies of the routes in `routes/code`. */
export type CodeRouteServices = Pick<
  HttpServices,
  | 'access'
  | 'blobs'
  | 'clock'
  | 'code'
  | 'dependencies'
  | 'documents'
  | 'environments'
  | 'exports'
  | 'fanOut'
  | 'git'
  | 'groups'
  | 'log'
  | 'nodes'
  | 'queue'
  | 'search'
  | 'settings'
>;

/** The dependencies of the routes in `routes/puppet`. */
export type AgentServices = Pick<
  HttpServices,
  | 'blobs'
  | 'catalogRequests'
  | 'catalogs'
  | 'checkIns'
  | 'classes'
  | 'clock'
  | 'compiler'
  | 'documents'
  | 'environments'
  | 'files'
  | 'groups'
  | 'hours'
  | 'largeCheckIns'
  | 'longTexts'
  | 'metrics'
  | 'nodes'
  | 'queue'
  | 'runFailures'
  | 'settings'
  | 'shadows'
  | 'visits'
>;

/** The dependencies of the routes in `routes/status`. */
export type StatusServices = Pick<
  HttpServices,
  'clock' | 'environments' | 'health' | 'metrics' | 'readCounters' | 'readWarnings' | 'settings'
>;

/** The dependencies of the routes in `routes/understudy`. */
export type FleetServices = Pick<
  HttpServices,
  | 'activity'
  | 'authority'
  | 'blobs'
  | 'clock'
  | 'dependencies'
  | 'documents'
  | 'environments'
  | 'exports'
  | 'facts'
  | 'fanOut'
  | 'fleet'
  | 'git'
  | 'groups'
  | 'jobs'
  | 'log'
  | 'nodes'
  | 'queue'
  | 'rows'
  | 'seal'
  | 'search'
  | 'settings'
  | 'shadows'
  | 'upstream'
>;
