import type { ExportedResource } from '../../puppet/catalog/exported.ts';
import { canonicalJson } from '../../util/digest.ts';

/**
 * Sorts resources of one type as catalogs get them: by title, then by parameters. The order does
 * not depend on the exporters' names, which are no input of the catalog.
 */
export function sortCollected(resources: readonly ExportedResource[]): readonly ExportedResource[] {
  return resources.toSorted(
    (a, b) => compareTexts(a.title, b.title) || compareTexts(canonicalJson(a.parameters), canonicalJson(b.parameters)),
  );
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
