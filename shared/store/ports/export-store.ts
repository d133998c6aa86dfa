import type { CollectorRecord, ExportedResource } from '../../puppet/catalog/exported.ts';

/**
 * The exports and collectors of nodes. Rows carry the generation that wrote them; an older compile
 * never replaces rows of a newer one.
 */
export interface ExportStore {
  /**
   * Exported resources of these types from all nodes but `except`, ordered by certname, type and
   * title.
   */
  exportsOf(types: readonly string[], except: string): Promise<readonly ExportedResource[]>;
  /**
   * Replaces the node's exports; false when a newer generation is stored. The change feed delivers
   * the changes.
   */
  replaceExports(certname: string, generation: number, resources: readonly ExportedResource[]): Promise<boolean>;
  /** Replaces the node's collectors; false when a newer generation is stored. */
  replaceCollectors(certname: string, generation: number, collectors: readonly CollectorRecord[]): Promise<boolean>;
  /**
   * Collectors of all nodes for a resource type: a superset of those that the latest compiles
   * registered.
   */
  collectorsOf(type: string): Promise<readonly CollectorRecord[]>;
  /**
   * `exportsDigest` of the node's stored exports. It differs from its catalog's when a compile died
   * before its commit.
   */
  getDigest(certname: string): Promise<string>;
  /** Deletes a node's exports and collectors. */
  delete(certname: string): Promise<void>;
}

/** An exported resource before and after; null on the side where it does not exist. */
export interface ExportChange {
  readonly before: ExportedResource | null;
  readonly after: ExportedResource | null;
}

/**
 * Delivers each change of exports at least once, after the export was written. The embedded store
 * keeps changes until `done`. In AWS the exports table's stream calls the invalidate function
 * instead, and this port is unused.
 */
export interface ExportChangeFeed {
  receive(limit: number): Promise<readonly { readonly id: number; readonly change: ExportChange }[]>;
  acknowledge(ids: readonly number[]): Promise<void>;
}
