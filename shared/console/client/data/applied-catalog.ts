import type { NodeDetails } from './node-shapes.ts';

/** The catalog that a run applied, among those of its node that are kept. */
type AppliedCatalog = 'present' | 'previous' | 'other';

/** Finds out which of a node's catalogs has this UUID. */
export function findAppliedCatalog({ catalog }: Pick<NodeDetails, 'catalog'>, uuid: string): AppliedCatalog {
  if (catalog === null) return 'other';
  if ([catalog.hash, ...Object.values(catalog.static ?? {})].some((hash) => uuidOf(hash) === uuid)) return 'present';
  return catalog.previous !== undefined && uuidOf(catalog.previous.hash) === uuid ? 'previous' : 'other';
}

/** The `catalog_uuid` of the catalog with a hash, as the server makes it: version 8. */
function uuidOf(hash: string): string {
  const variant = ((Number.parseInt(hash.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  const parts = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `${variant}${hash.slice(17, 20)}`];
  return [...parts, hash.slice(20, 32)].join('-');
}
