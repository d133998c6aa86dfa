import type { Strictness } from '../../config/strictness.ts';
import type { CompileRequest, CompileResult } from '../../puppet/compiler/compile.ts';
import type { OperatorVariables } from '../../puppet/environment/operator-variables.ts';
import type { LogLevel } from '../../puppet/errors/compile-log.ts';
import type { CompileSettings } from '../../puppet/evaluator/ports.ts';
import type { EnvironmentRuby } from '../../puppet/ruby/environment-ruby.ts';
import type { EnvironmentStore } from '../../store/ports/environment-store.ts';
import type { InventoryAnswers } from '../../store/ports/inventory-answers.ts';
import type { Stores } from '../../store/ports/stores.ts';
import type { DependencyCache } from '../dependencies/dependency-cache.ts';
import type { SnapshotCache } from '../snapshots/snapshot-cache.ts';
import type { KeptValueRecords } from '../values/kept-value-records.ts';
import type { ExportTiming } from './export-interval.ts';

/** The dependencies of a worker. Each worker has one; its snapshots stay in memory between jobs. */
export interface WorkerContext {
  readonly stores: Pick<
    Stores,
    'nodes' | 'dependencies' | 'exports' | 'blobs' | 'documents' | 'environments' | 'clock'
  >;
  /** Environment records that may be a second old, for laps of the ring; absent: none. */
  readonly recentEnvironments?: Pick<EnvironmentStore, 'get'>;
  readonly snapshots: SnapshotCache;
  readonly dependencies: DependencyCache;
  /** Throws TimeLimitReached when a compile takes too long. */
  readonly compile: (request: CompileRequest) => CompileResult;
  /** The server's; the strictness of an environment overrides them. */
  readonly settings: CompileSettings;
  /** Overrides the strictness of environments; absent: nothing does. */
  readonly forcedStrictness?: Partial<Strictness> | undefined;
  /** Runs the modules' Ruby code; absent: code that needs Ruby fails. */
  readonly ruby?: EnvironmentRuby | undefined;
  /** Answers `puppetdb_query`; absent: code that calls it fails. */
  readonly inventory?: InventoryAnswers | undefined;
  /** Values that code of modules keeps between compiles; absent: they end with each compile. */
  readonly keptValues?: KeptValueRecords | undefined;
  /** Environment variables that Hiera may read; absent: none. */
  readonly variables?: OperatorVariables | undefined;
  /** The least level of what compiles log; absent: `info`. */
  readonly logLevel?: LogLevel | undefined;
  readonly server: ServerIdentity;
  /** Lease time: after it another worker takes over the node. */
  readonly limitMs: number;
  /** Pace of compiles for changed exports; `DEFAULT_EXPORT_TIMING` by default. */
  readonly timing?: ExportTiming | undefined;
}

/** The values of `$server_facts` and the fact `serverversion`. */
export interface ServerIdentity {
  readonly name: string;
  /** The address by which agents reach the server; null when unknown, which omits the fact. */
  readonly ip: string | null;
  /** Understudy's version; catalogs of another version are compiled again. */
  readonly release: string;
}
