import type { CollectorRecord, ExportedResource } from '../../puppet/catalog/exported.ts';
import { matchesFilter } from '../../puppet/compiler/export-filter.ts';
import { canonicalJson } from '../../util/digest.ts';

/**
 * Selects the resources that one of the collectors matches: those that a compile with these
 * collectors gets.
 */
export function selectCollected(
  collectors: readonly Pick<CollectorRecord, 'type' | 'query'>[],
  resources: readonly ExportedResource[],
): readonly ExportedResource[] {
  return resources.filter((resource) =>
    collectors.some(({ type, query }) => type === resource.type && matchesFilter(resource, query)),
  );
}

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
