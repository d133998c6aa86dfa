import {
  InvalidPayload,
  optionalBoolean,
  optionalInteger,
  optionalText,
  optionalUuid,
  requireList,
  requireMap,
  requireText,
  requireTexts,
  requireWireTime,
} from './payload.ts';
import { isWireMap, type WireMap } from './wire-json.ts';

/** A resource of a catalog, all that queries show of it. */
export interface InventoryResource {
  readonly type: string;
  readonly title: string;
  readonly tags: readonly string[];
  readonly exported: boolean;
  readonly file: string | null;
  readonly line: number | null;
  readonly parameters: WireMap;
}

interface ResourceName {
  readonly type: string;
  readonly title: string;
}

/** A relationship between two resources of a catalog. */
export interface CatalogEdge {
  readonly source: ResourceName;
  readonly target: ResourceName;
  readonly relationship: string;
}

/** A catalog as `replace catalog` brings it, in the terms of version 9. */
export interface CatalogCommand {
  readonly certname: string;
  readonly version: string;
  readonly environment: string | null;
  readonly transactionUuid: string | null;
  readonly catalogUuid: string | null;
  readonly codeId: string | null;
  readonly jobId: string | null;
  readonly producer: string | null;
  readonly producerTime: string;
  readonly resources: readonly InventoryResource[];
  readonly edges: readonly CatalogEdge[];
}

const RELATIONSHIPS = ['contains', 'required-by', 'notifies', 'before', 'subscription-of'];
const TAG = /^(?:(?!\p{Lu})\p{L}|[\p{N}_])(?:(?!\p{Lu})\p{L}|[\p{N}_:.-])*$/u;

/** Checks the payload of `replace catalog`, versions 6 to 9. Throws InvalidPayload. */
export function readCatalog(payload: unknown, version: number): CatalogCommand {
  const map = requireMap(payload, 'a catalog');
  const transactionUuid = optionalUuid(map, 'transaction_uuid');
  const resources = requireList(map, 'resources').map(readResource);
  const names = new Set(resources.map(nameOf));
  if (names.size !== resources.length) throw new InvalidPayload('the catalog has two resources of one name');
  const edges = requireList(map, 'edges').map(readEdge);
  for (const edge of edges) requireEnds(edge, names);
  return {
    certname: requireText(map, 'certname'),
    version: requireText(map, 'version'),
    environment: optionalText(map, 'environment'),
    transactionUuid,
    catalogUuid: version < 8 ? transactionUuid : optionalUuid(map, 'catalog_uuid'),
    codeId: version < 7 ? null : optionalText(map, 'code_id'),
    jobId: version < 9 ? null : optionalText(map, 'job_id'),
    producer: version < 9 ? null : optionalText(map, 'producer'),
    producerTime: requireWireTime(map, 'producer_timestamp'),
    resources,
    edges,
  };
}

const nameOf = ({ type, title }: ResourceName): string => `${type}[${title}]`;

function readResource(value: unknown): InventoryResource {
  const map = requireMap(value, 'a resource');
  const tags = [...new Set(requireTexts(requireList(map, 'tags'), 'tags'))].sort();
  const resource = { type: requireText(map, 'type'), title: requireText(map, 'title') };
  const invalid = tags.find((tag) => !TAG.test(tag));
  if (invalid !== undefined) {
    throw new InvalidPayload(`Resource '${nameOf(resource)}' has an invalid tag '${invalid}'.`);
  }
  const { parameters } = map;
  return {
    ...resource,
    tags,
    exported: optionalBoolean(map, 'exported') ?? false,
    file: optionalText(map, 'file'),
    line: optionalInteger(map, 'line'),
    parameters: isWireMap(parameters) ? parameters : {},
  };
}

function readEdge(value: unknown): CatalogEdge {
  const map = requireMap(value, 'an edge');
  const relationship = requireText(map, 'relationship');
  if (!RELATIONSHIPS.includes(relationship)) {
    throw new InvalidPayload(`an edge has the invalid relationship type '${relationship}'`);
  }
  return { source: readName(map.source), target: readName(map.target), relationship };
}

function readName(value: unknown): ResourceName {
  const map = requireMap(value, 'an end of an edge');
  return { type: requireText(map, 'type'), title: requireText(map, 'title') };
}

function requireEnds({ source, target }: CatalogEdge, names: ReadonlySet<string>): void {
  const missing = [source, target].find((end) => !names.has(nameOf(end)));
  if (missing === undefined) return;
  throw new InvalidPayload(`an edge refers to resource '${nameOf(missing)}', which doesn't exist in the catalog`);
}
