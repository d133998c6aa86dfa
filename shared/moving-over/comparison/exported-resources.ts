import type { ParsedCatalog, ParsedResource } from '../../puppet/catalog/diff-catalogs.ts';
import type { ExportedResource } from '../../puppet/catalog/exported.ts';

/** A catalog of ours with what its node exports for others only, as servers store and return it. */
export function addExportedResources(catalog: ParsedCatalog, exported: readonly ExportedResource[]): ParsedCatalog {
  const present = new Set(catalog.resources.map(nameOf));
  const added = exported.flatMap(({ type, title, parameters }): readonly ParsedResource[] =>
    present.has(nameOf({ type, title })) ? [] : [{ type, title, exported: true, parameters }],
  );
  return { ...catalog, resources: [...catalog.resources, ...added] };
}

/**
 * The catalog without the containment of exported resources. It has no effect on any node, and our
 * exports do not hold it.
 */
export function dropExportedEdges(catalog: ParsedCatalog): ParsedCatalog {
  const exported = new Set(catalog.resources.filter((resource) => resource.exported === true).map(nameOf));
  const edges = catalog.edges.filter(({ source, target }) => !exported.has(source) && !exported.has(target));
  return { ...catalog, edges };
}

function nameOf({ type, title }: Pick<ParsedResource, 'type' | 'title'>): string {
  return `${type}[${title}]`;
}
