import type { CollectorRecord, ExportedResource } from '../../puppet/catalog/exported.ts';
import type { ExportQuery } from '../../puppet/compiler/exported-collection.ts';

/** A collector as the store has it. */
export interface StoredCollector extends CollectorRecord {
  /** The node's environment; null when the collector was registered without one. */
  readonly environment: string | null;
}

/** Some of the collectors, and where the next page starts: null after the last one. */
export interface CollectorPage {
  readonly collectors: readonly StoredCollector[];
  readonly next: string | null;
}

/**
 * The exports and collectors of nodes. Rows carry the generation that wrote them; an older compile
 * never replaces rows of a newer one.
 *
 * The exports of a type are spread over shards by certname. A shard has a version, which
 * `noteChanges` raises once the exports are written and before any collector is invalidated. Data
 * that was read from a shard counts until its version is raised: a reader may miss exports whose
 * version was not raised yet, and is invalidated for them later.
 */
export interface ExportStore {
  /**
   * Exported resources of all nodes but `except` that match one of the queries, each once, ordered
   * by certname, type and title. Reads those that the index finds by tag or title where a query has
   * one that must match, else all of the type.
   */
  collect(queries: readonly ExportQuery[], except: string): Promise<readonly ExportedResource[]>;
  /**
   * `digestCollected` of what `collect` gives. Reads no exports of shards with unchanged versions:
   * the digest of a query is stored, and all nodes that have the query share it.
   */
  digestCollected(queries: readonly ExportQuery[], except: string): Promise<string>;
  /**
   * Lists a node's exports of some types, or of all (null), in no order. Reads rows of that node
   * only.
   */
  listOwn(certname: string, types: readonly string[] | null): Promise<readonly ExportedResource[]>;
  /**
   * Raises the versions of the shards in which these exports changed. Call it when they are written
   * and before their collectors are read.
   */
  noteChanges(changes: readonly ExportChange[]): Promise<void>;
  /**
   * Replaces the node's exports; false when a newer generation is stored. The change feed delivers
   * the changes.
   */
  replaceExports(certname: string, generation: number, resources: readonly ExportedResource[]): Promise<boolean>;
  /** Replaces the node's collectors; false when a newer generation is stored. */
  replaceCollectors(
    certname: string,
    generation: number,
    collectors: readonly CollectorRecord[],
    environment?: string,
  ): Promise<boolean>;
  /**
   * Collectors of a type that an export with these keys (see `listExportKeys`) may concern, page by
   * page: those that must match one of the keys, and those that examine all exports of the type. A
   * superset of those that the latest compiles registered. `after` is the `next` of the previous
   * page.
   */
  listCollectors(type: string, keys: readonly string[], after: string | null): Promise<CollectorPage>;
  /**
   * `digestExports` of the node's stored exports. It differs from its catalog's when a compile died
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
 * keeps changes until `acknowledge`. In AWS the exports table's stream calls the invalidate
 * function instead, and this port is unused.
 */
export interface ExportChangeFeed {
  /**
   * Up to `limit` changes, once the oldest of them has waited for `delayMs` (default 0): changes
   * that follow each other come in one batch.
   */
  receive(limit: number, delayMs?: number): Promise<readonly { readonly id: number; readonly change: ExportChange }[]>;
  acknowledge(ids: readonly number[]): Promise<void>;
}
