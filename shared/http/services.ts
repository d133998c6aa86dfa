import type { Authorization } from '../access/authorization/authorization.ts';
import type { CertificateAuthority } from '../access/ca/authority.ts';
import { NO_TRUSTED_NAMES, type TrustedNames } from '../access/ca/trusted-oid-mapping.ts';
import type { CatalogService } from '../fleet/catalogs/catalog-service.ts';
import { DEFAULT_HOLD_OPTIONS } from '../fleet/catalogs/stored-catalog-service.ts';
import type { CodeDeploys } from '../fleet/code/code-deploys.ts';
import type { Stores } from '../store/ports/stores.ts';
import type { Semaphore } from '../util/semaphore.ts';
import type { AccessLog } from './access-log.ts';
import type { FileServer } from './files/file-server.ts';
import type { Health } from './health.ts';
import type { EnvironmentClasses } from './information/environment-classes.ts';
import type { ServerMetrics } from './server-metrics.ts';
import type { UpstreamAuthority } from './upstream-authority.ts';
import type { UpstreamRevocations } from './upstream-revocations.ts';

/** All that the routes work with. */
export interface HttpServices extends Stores {
  /** The embedded CA; not to be touched where certificates are the business of `upstream`. */
  readonly authority: CertificateAuthority;
  /** Who has the CA instead. */
  readonly upstream?: { readonly authority: UpstreamAuthority; readonly revocations: UpstreamRevocations };
  readonly authorization: Authorization;
  readonly catalogs: CatalogService;
  readonly files: FileServer;
  readonly classes: EnvironmentClasses;
  readonly code: CodeService;
  readonly health: Health;
  readonly metrics: ServerMetrics;
  /** Figures for `/status/v1/services?level=debug`. */
  readonly readCounters: () => Promise<Readonly<Record<string, unknown>>>;
  readonly log: RequestLog;
  readonly settings: HttpSettings;
  /**
   * Check-ins whose facts are being looked at: all others keep theirs as they came, which takes a
   * fraction of the memory.
   */
  readonly checkIns: Semaphore;
  /**
   * Requests for catalogs that are read, held or answered: the next one is told to come back before
   * its body is read.
   */
  readonly catalogRequests: Semaphore;
  /** Bodies of more than a megabyte that are being read and stored. */
  readonly largeBodies: Semaphore;
}

/** Deploys that pipelines ask for. */
export type CodeService = Pick<CodeDeploys, 'source' | 'stage' | 'deploy' | 'list' | 'get' | 'inForce'>;

/** What goes wrong on our side is told here; what a client did wrong is told the client. */
export interface RequestLog {
  logError(message: string, cause: unknown): void;
  /** Told of each request; absent where nobody wants to know. */
  readonly access?: AccessLog;
}

export interface HttpSettings {
  /**
   * The environment of nodes that ask for one that is not there, as Puppet's `environment` setting.
   */
  readonly defaultEnvironment: string;
  /**
   * How often a client that is held is told that its request is still worked on, in milliseconds.
   */
  readonly stillWorkingMs: number;
  /** How long who asks for a catalog that is not kept is held. */
  readonly compileHoldMs: number;
  /** How many reports of a node are kept. */
  readonly reportsKept: number;
  /**
   * Where answers are fetched that this front door's transport cannot carry:
   * `https://edge.example.com:8140`; null for nowhere.
   */
  readonly largeAnswersAt: string | null;
  /**
   * What installed agents call the pool: `puppet.example.com:8140`; null for what whoever fetches
   * the installer calls it.
   */
  readonly poolAddress: string | null;
  /** How `$trusted['extensions']` calls what Puppet has no name for. */
  readonly trustedNames: TrustedNames;
}

export const DEFAULT_SETTINGS: HttpSettings = {
  defaultEnvironment: 'production',
  stillWorkingMs: 10_000,
  compileHoldMs: DEFAULT_HOLD_OPTIONS.holdMs,
  reportsKept: 20,
  largeAnswersAt: null,
  poolAddress: null,
  trustedNames: NO_TRUSTED_NAMES,
};

/** Limits of request bodies in bytes. */
export const BODY_LIMITS = {
  classification: 256 * 1024,
  certificateRequest: 64 * 1024,
  certnames: 16 * 1024 * 1024,
  facts: 16 * 1024 * 1024,
  report: 32 * 1024 * 1024,
  bucket: 64 * 1024 * 1024,
  command: 1024 * 1024,
} as const;
