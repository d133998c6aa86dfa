import { printJson } from '../serialization/json.ts';
import { toRichData } from '../serialization/to-data.ts';
import { PuppetHash } from '../types/puppet-hash.ts';
import type { Value } from '../types/values.ts';
import type { Catalog } from './catalog.ts';
import type { CatalogResource } from './resource.ts';

/**
 * The catalog as an agent gets it, less `version`, `catalog_uuid`, `catalog_format`, `code_id`: rich-data JSON.
 * Virtual resources and edges from or to them are left out. `reference` writes values that refer to resources.
 * Puppet: Catalog#to_data_hash, Resource#to_data_hash
 */
export function printCatalog(catalog: Catalog, reference: (value: Value) => string | null): string {
  const real = catalog.resources.filter((resource) => !resource.virtual);
  return printJson(
    hash({
      tags: [...catalog.tags],
      name: catalog.name,
      environment: catalog.environment,
      resources: real.map((resource) => resourceData(resource, reference)),
      edges: real.flatMap((target) => edgesTo(catalog, target)),
      classes: catalog.classes,
    }),
  );
}

function hash(entries: Readonly<Record<string, Value>>): PuppetHash {
  return PuppetHash.of(Object.entries(entries));
}

function edgesTo(catalog: Catalog, target: CatalogResource): PuppetHash[] {
  return catalog
    .sourcesOf(target)
    .filter((source) => !source.virtual)
    .map((source) => hash({ source: source.reference, target: target.reference }));
}

function resourceData(resource: CatalogResource, reference: (value: Value) => string | null): PuppetHash {
  const data = hash({ type: resource.type, title: resource.title, tags: [...resource.tags] });
  if (resource.file !== undefined) data.set('file', resource.file);
  if (resource.line !== undefined) data.set('line', BigInt(resource.line));
  data.set('exported', resource.exported).set('kind', resource.kind);
  const parameters = parameterData(resource, reference);
  if (parameters.size > 0) data.set('parameters', parameters);
  if (resource.sensitiveParameters.length > 0) data.set('sensitive_parameters', resource.sensitiveParameters);
  return data;
}

/** The parameters of a resource as rich data. */
export function parameterData(resource: CatalogResource, reference: (value: Value) => string | null): PuppetHash {
  const data = new PuppetHash();
  for (const [name, value] of resource.catalogParameters()) {
    data.set(name, toRichData(withReferences(value, reference)));
  }
  return data;
}

function withReferences(value: Value, reference: (value: Value) => string | null): Value {
  if (Array.isArray(value)) return listWithReferences(value, reference);
  if (!(value instanceof PuppetHash)) return reference(value) ?? value;
  const entries = [...value.entries()];
  return PuppetHash.of(
    entries.map(([key, item]) => [withReferences(key, reference), withReferences(item, reference)] as const),
  );
}

// Puppet: a list with a reference anywhere in its lists becomes one flat list (Puppet::Resource's copy constructor).
function listWithReferences(list: readonly Value[], reference: (value: Value) => string | null): Value {
  const flat = flatten(list);
  const items = flat.some((item) => reference(item) !== null) ? flat : list;
  return items.map((item) => withReferences(item, reference));
}

function flatten(value: Value): readonly Value[] {
  return Array.isArray(value) ? value.flatMap((item: Value) => flatten(item)) : [value];
}
