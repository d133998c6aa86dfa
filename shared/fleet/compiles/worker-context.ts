import type { CompileRequest, CompileResult } from '../../puppet/compiler/compile.ts';
import type { OperatorVariables } from '../../puppet/environment/operator-variables.ts';
import type { CompileSettings } from '../../puppet/evaluator/ports.ts';
import type { EnvironmentRuby } from '../../puppet/ruby/environment-ruby.ts';
import type { Stores } from '../../store/ports/stores.ts';
import type { SnapshotCache } from '../snapshots/snapshot-cache.ts';

/** What a worker compiles with. One a worker; the snapshots stay in memory between jobs. */
export interface WorkerContext {
  readonly stores: Pick<Stores, 'nodes' | 'exports' | 'blobs' | 'environments' | 'clock'>;
  readonly snapshots: SnapshotCache;
  readonly compile: (request: CompileRequest) => CompileResult;
  readonly settings: CompileSettings;
  /** Runs the Ruby code of modules; without it, code that needs Ruby fails. */
  readonly ruby?: EnvironmentRuby | undefined;
  /** Environment variables that Hiera may read keys from; none when not given. */
  readonly variables?: OperatorVariables | undefined;
  readonly server: ServerIdentity;
  /** How long one worker may be at a node before another one takes over. */
  readonly limitMs: number;
}

/** What `$server_facts` and the fact `serverversion` say. */
export interface ServerIdentity {
  readonly name: string;
  /**
   * The address that agents reach the server by; null when it is not known, and then not in the
   * facts.
   */
  readonly ip: string | null;
  /** The Puppet version that catalogs are compiled for. */
  readonly version: string;
  /** This product's version: a catalog of another one is not taken for verified. */
  readonly release: string;
}
