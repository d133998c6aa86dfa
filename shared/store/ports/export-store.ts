import type { CollectorRecord, ExportedResource } from '../../puppet/catalog/exported.ts';

/**
 * What one node gives and takes. Rows carry the generation that wrote them: an older compile never
 * replaces a newer one's.
 */
export interface ExportStore {
  /**
   * Exported resources of these types by all nodes but `except`, ordered by certname, type and
   * title.
   */
  exportsOf(types: readonly string[], except: string): Promise<readonly ExportedResource[]>;
  /**
   * Replaces what `certname` exports; false when a newer generation stands. What changed is told
   * through the change feed.
   */
  replaceExports(certname: string, generation: number, resources: readonly ExportedResource[]): Promise<boolean>;
  /** Replaces the node's collectors; false when a newer generation stands. */
  replaceCollectors(certname: string, generation: number, collectors: readonly CollectorRecord[]): Promise<boolean>;
  /**
   * Collectors of all nodes for a resource type. May hold more than the latest compiles registered,
   * never less.
   */
  collectorsOf(type: string): Promise<readonly CollectorRecord[]>;
  /**
   * `exportsDigest` of what the store holds of the node's exports: differs from its catalog's when
   * a compile died before its commit.
   */
  getDigest(certname: string): Promise<string>;
  /** Withdraws a node's exports and collectors. */
  delete(certname: string): Promise<void>;
}

/** One exported resource before and after: null when it is new, or gone. */
export interface ExportChange {
  readonly before: ExportedResource | null;
  readonly after: ExportedResource | null;
}

/**
 * Changes of exports, each at least once, after the export itself was written. The embedded store
 * keeps them until `done`; in AWS the exports table's stream calls the invalidate function, and
 * this port is not used.
 */
export interface ExportChangeFeed {
  receive(limit: number): Promise<readonly { readonly id: number; readonly change: ExportChange }[]>;
  acknowledge(ids: readonly number[]): Promise<void>;
}
