import { ENVIRONMENT_VARIABLES } from '../../config/deployment.ts';
import type { Strictness } from '../../config/strictness.ts';
import { compile } from '../../puppet/compiler/compile.ts';
import { DEFAULT_COMPILE_SETTINGS } from '../../puppet/compiler/default-settings.ts';
import { type ProcessVariables, selectListedVariables } from '../../puppet/environment/operator-variables.ts';
import type { RubyPort } from '../../puppet/evaluator/ruby-port.ts';
import { EnvironmentRuby } from '../../puppet/ruby/environment-ruby.ts';
import type { BlobCache } from '../../store/ports/blob-store.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { RecentEnvironments } from '../../store/recent-environments.ts';
import { DependencyCache } from '../dependencies/dependency-cache.ts';
import { SnapshotCache } from '../snapshots/snapshot-cache.ts';
import { KeptValueRecords } from '../values/kept-value-records.ts';
import { limitCompile } from './time-limit.ts';
import type { ServerIdentity, WorkerContext } from './worker-context.ts';

const RECENT_MS = 1000;

/** The values that differ between workers. */
interface WorkerParts extends Pick<WorkerContext, 'limitMs' | 'timing' | 'inventory' | 'forcedStrictness'> {
  readonly stores: WorkerContext['stores'] & Pick<Stores, 'documents' | 'seal'>;
  readonly ruby: RubyPort;
  /** Absent: as Puppet 8 has it. */
  readonly strictness?: Strictness | undefined;
  /** All environment variables of the process; Hiera reads those that the operator allows. */
  readonly processVariables: ProcessVariables;
  readonly server: ServerIdentity;
  /** Keeps packs of code for later processes on this machine; absent: none. */
  readonly kept?: BlobCache;
}

/**
 * Creates the context of a worker with the server's compile settings and an empty snapshot cache.
 */
export function createWorkerContext({
  stores,
  limitMs,
  timing,
  inventory,
  ruby,
  strictness,
  forcedStrictness,
  processVariables,
  server,
  kept,
}: WorkerParts): WorkerContext {
  const snapshots = new SnapshotCache(stores.blobs, { kept });
  return {
    stores,
    recentEnvironments: new RecentEnvironments(stores.environments, stores.clock, RECENT_MS),
    snapshots,
    dependencies: new DependencyCache(stores.blobs, snapshots.parsed.data),
    compile: limitCompile(compile, limitMs),
    ruby: new EnvironmentRuby(ruby),
    variables: selectListedVariables(processVariables, ENVIRONMENT_VARIABLES.eyamlVariables),
    settings: { ...DEFAULT_COMPILE_SETTINGS, ...strictness },
    forcedStrictness,
    server,
    limitMs,
    timing,
    inventory,
    keptValues: new KeptValueRecords(stores),
  };
}
