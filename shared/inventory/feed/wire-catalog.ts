import type { ExportedResource } from '../../puppet/catalog/exported.ts';
import { hideSensitiveValues } from '../../puppet/catalog/hide-sensitive.ts';
import { isWireMap, type WireMap } from '../commands/wire-json.ts';

/** A reference to a resource: `File[/etc/motd]`. */
const REFERENCE = /^([^[]*)\[(.*)\]$/s;
/** Metaparameters that make edges, and the side on which the other resource stands. */
const RELATIONSHIPS: readonly (readonly [parameter: string, name: string, isSource: boolean])[] = [
  ['before', 'before', false],
  ['require', 'required-by', true],
  ['notify', 'notifies', false],
  ['subscribe', 'subscription-of', true],
];

interface ResourceName {
  readonly type: string;
  readonly title: string;
}

/** Fields of `replace catalog` that a catalog does not hold. */
interface CatalogOrigin {
  readonly certname: string;
  readonly environment: string;
  readonly producer: string;
  /** When it was compiled, in ISO 8601. */
  readonly time: string;
}

/**
 * A catalog as agents get it, with what the node exports for others, in the form of `replace
 * catalog` 9. Sensitive parameters are left out, and sensitive values within others hidden;
 * relationship metaparameters become edges. Puppet:
 * PuppetDB's terminus, `munge_catalog`
 */
export function toWireCatalog(
  catalog: WireMap,
  origin: CatalogOrigin,
  exported: readonly ExportedResource[] = [],
): WireMap {
  const own = listOf(catalog.resources).filter(isWireMap).map(toWireResource);
  const present = new Set(own.map(keyOf));
  const resources = [...own, ...exported.filter((one) => !present.has(keyOf(one))).map(toExportedResource)];
  const names = nameResources(resources);
  const contained = listOf(catalog.edges).filter(isWireMap).map(toContainment);
  const edges = [...contained, ...resources.flatMap((resource) => relationshipsOf(resource, names))];
  return {
    certname: origin.certname,
    version: String(catalog.version),
    environment: origin.environment,
    transaction_uuid: null,
    catalog_uuid: catalog.catalog_uuid ?? null,
    code_id: catalog.code_id ?? null,
    job_id: null,
    producer: origin.producer,
    producer_timestamp: origin.time,
    resources,
    edges: edges.filter(({ source, target }) => names.has(keyOf(source)) && names.has(keyOf(target))),
  };
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const keyOf = ({ type, title }: ResourceName): string => `${type}[${title}]`;

interface WireResource extends ResourceName {
  readonly tags: readonly string[];
  readonly exported: boolean;
  readonly file: unknown;
  readonly line: unknown;
  readonly parameters: WireMap;
}

function toWireResource(resource: WireMap): WireResource {
  const secret = listOf(resource.sensitive_parameters).map(String);
  const parameters = isWireMap(resource.parameters) ? resource.parameters : {};
  return {
    type: String(resource.type),
    title: String(resource.title),
    tags: listOf(resource.tags).map((tag) => String(tag).toLowerCase()),
    exported: resource.exported === true,
    file: resource.file ?? null,
    line: resource.line ?? null,
    parameters: Object.fromEntries(
      Object.entries(parameters).flatMap(([name, value]) =>
        secret.includes(name) ? [] : [[name, hideSensitiveValues(value)]],
      ),
    ),
  };
}

/** An exported resource that the node's own catalog does not have. */
function toExportedResource({ type, title, tags, parameters }: ExportedResource): WireResource {
  const shown = Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, hideSensitiveValues(value)]),
  );
  return { type, title, tags, exported: true, file: null, line: null, parameters: shown };
}

/** The resource that a reference means: by title, path without a slash at its end, or alias. */
function nameResources(resources: readonly WireResource[]): ReadonlyMap<string, ResourceName> {
  const aliases = resources.flatMap((one) =>
    [one.parameters.alias].flat().map((alias) => [keyOf({ type: one.type, title: String(alias) }), one] as const),
  );
  const paths = resources.map((one) => [keyOf(withoutSlash(one)), one] as const);
  return new Map([...paths, ...aliases, ...resources.map((one) => [keyOf(one), one] as const)]);
}

interface WireEdge {
  readonly source: ResourceName;
  readonly target: ResourceName;
  readonly relationship: string;
}

function toContainment({ source, target }: WireMap): WireEdge {
  return { source: readReference(source), target: readReference(target), relationship: 'contains' };
}

/** The edges of a resource's metaparameters. An exported resource is not in the catalog's graph. */
function relationshipsOf(resource: WireResource, names: ReadonlyMap<string, ResourceName>): readonly WireEdge[] {
  if (resource.exported) return [];
  const own = { type: resource.type, title: resource.title };
  return RELATIONSHIPS.flatMap(([parameter, relationship, isSource]) =>
    [resource.parameters[parameter] ?? []].flat(5).flatMap((reference) => {
      const found = names.get(keyOf(withoutSlash(readReference(reference))));
      if (found === undefined) return [];
      const other = { type: found.type, title: found.title };
      return [{ source: isSource ? other : own, target: isSource ? own : other, relationship }];
    }),
  );
}

function readReference(reference: unknown): ResourceName {
  const [, type = '', title = ''] = REFERENCE.exec(String(reference)) ?? [];
  return { type, title };
}

/** Puppet: relationships to a file may have another number of slashes at its end than its title. */
function withoutSlash({ type, title }: ResourceName): ResourceName {
  return { type, title: type === 'File' && title.length > 1 ? title.replace(/\/+$/, '') : title };
}
