import type { ParsedCatalog } from '../../puppet/catalog/diff-catalogs.ts';
import { isJsonObject } from '../../util/json-object.ts';
import { type CatalogChange, listCatalogChanges } from '../previews/list-catalog-changes.ts';

/** Result of comparing a node's catalog of another server with the one compiled here. */
export type ComparisonOutcome =
  | { readonly outcome: 'equal' }
  | {
      readonly outcome: 'different';
      /** From the other server's catalog to ours; at most 200. */
      readonly changes: readonly CatalogChange[];
      /** Number of further changes. */
      readonly omitted: number;
    }
  /** It does not compile here; `message` is the error. */
  | { readonly outcome: 'failing'; readonly message: string }
  /** There was nothing to compare: facts or catalog are missing, or could not be read. */
  | { readonly outcome: 'unknown'; readonly message: string };

/** The comparison of one node. */
export type NodeComparison = ComparisonOutcome & {
  readonly certname: string;
  /** The environment that it was compiled in here. */
  readonly environment: string;
  /** When, in milliseconds since the epoch. */
  readonly at: number;
};

const MOST_CHANGES = 200;

/** Compares a node's catalog of another server with ours. */
export function compareWithOurs(theirs: ParsedCatalog, ours: ParsedCatalog): ComparisonOutcome {
  const changes = listCatalogChanges(theirs, ours);
  if (changes.length === 0) return { outcome: 'equal' };
  const shown = changes.slice(0, MOST_CHANGES);
  return { outcome: 'different', changes: shown, omitted: changes.length - shown.length };
}

/** A catalog as JSON; null when the value is none. */
export function readParsedCatalog(value: unknown): ParsedCatalog | null {
  if (!isJsonObject(value)) return null;
  const { resources, edges, classes } = value;
  if (!Array.isArray(resources) || !resources.every(isResource)) return null;
  return { resources, edges: Array.isArray(edges) ? edges : [], classes: Array.isArray(classes) ? classes : [] };
}

function isResource(value: unknown): boolean {
  return isJsonObject(value) && typeof value.type === 'string' && typeof value.title === 'string';
}
