import type { CollectorRecord, ExportedResource } from '../../puppet/catalog/exported.ts';
import { matchesFilter } from '../../puppet/compiler/export-filter.ts';

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
