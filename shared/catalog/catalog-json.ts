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
  const members = [
    `"tags":${texts(catalog.tags)}`,
    `"name":${text(catalog.name)}`,
    `"environment":${text(catalog.environment)}`,
    `"resources":[${real.map((resource) => resourceText(resource, reference)).join(',')}]`,
    `"edges":[${real.flatMap((target) => edgesTo(catalog, target)).join(',')}]`,
    `"classes":${texts(catalog.classes)}`,
  ];
  return `{${members.join(',')}}`;
}

function text(value: string): string {
  return JSON.stringify(value);
}

function texts(values: Iterable<string>): string {
  return `[${Array.from(values, text).join(',')}]`;
}

function edgesTo(catalog: Catalog, target: CatalogResource): string[] {
  return catalog
    .sourcesOf(target)
    .filter((source) => !source.virtual)
    .map((source) => `{"source":${text(source.reference)},"target":${text(target.reference)}}`);
}

function resourceText(resource: CatalogResource, reference: (value: Value) => string | null): string {
  const { type, title, tags, file, line, exported, kind, sensitiveParameters } = resource;
  const members = [`"type":${text(type)}`, `"title":${text(title)}`, `"tags":${texts(tags)}`];
  if (file !== undefined) members.push(`"file":${text(file)}`);
  if (line !== undefined) members.push(`"line":${line}`);
  members.push(`"exported":${exported}`, `"kind":${text(kind)}`);
  const parameters = parameterData(resource, reference);
  if (parameters.size > 0) members.push(`"parameters":${printJson(parameters)}`);
  if (sensitiveParameters.length > 0) members.push(`"sensitive_parameters":${texts(sensitiveParameters)}`);
  return `{${members.join(',')}}`;
}

/** The parameters of a resource as rich data. */
export function parameterData(resource: CatalogResource, reference: (value: Value) => string | null): PuppetHash {
  const data = new PuppetHash();
  for (const [name, value] of resource.catalogParameters()) {
    data.set(name, typeof value === 'string' ? value : toRichData(withReferences(value, reference)));
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
