import type { ExportedResource } from '../puppet/catalog/exported.ts';
import { matchesFilter } from '../puppet/compiler/export-filter.ts';
import type { ExportQuery } from '../puppet/compiler/exported-collection.ts';
import { canonicalJson, digestSha256 } from '../util/digest.ts';

/** A digest of all that a node exports, independent of order. It covers tags and parameters. */
export function digestExports(resources: readonly ExportedResource[]): string {
  return combineDigests(resources.map(digestStored));
}

/** Computes `digestExports` from the `digestStored` of each resource. */
export function combineDigests(digests: readonly string[]): string {
  return digestSha256([...digests].sort().join());
}

/** A digest of everything that is stored of an exported resource. */
export function digestStored(resource: ExportedResource): string {
  return digestSha256(canonicalJson(resource));
}

/**
 * A digest of what a collecting node's catalog gets of an exported resource. It covers neither the
 * exporter's name nor the tags that collectors match.
 */
function resourceDigest({ type, title, returnedTags = [], parameters }: ExportedResource): string {
  return digestSha256(canonicalJson([type, title, returnedTags, parameters]));
}

/**
 * The sum of the resources' digests, mod 2^256. Sums of disjoint sets can be added and subtracted,
 * so that one stored sum serves all nodes that share a query: each subtracts its own exports. Equal
 * sums of different sets do not occur by accident. A node that wants them needs control of very
 * many exports, and gains only that a collector is compiled later.
 */
export function sumResources(resources: readonly ExportedResource[]): bigint {
  return addSums(resources.map(numberOf));
}

const SUM_BITS = 256;

/** The sum, mod 2^256. */
export function addSums(sums: readonly bigint[]): bigint {
  return BigInt.asUintN(
    SUM_BITS,
    sums.reduce((sum, one) => sum + one, 0n),
  );
}

/** `left - right`, mod 2^256. */
export function subtractSums(left: bigint, right: bigint): bigint {
  return BigInt.asUintN(SUM_BITS, left - right);
}

/** The digest of what these queries find among the exports of other nodes. */
export function digestCollected(queries: readonly ExportQuery[], resources: readonly ExportedResource[]): string {
  const byType = Map.groupBy(resources, ({ type }) => type);
  return combineSums(
    listQueries(queries).map(({ type, query }): QuerySum => {
      const found = (byType.get(type) ?? []).filter((resource) => matchesFilter(resource, query));
      return [{ type, query }, sumResources(found)];
    }),
  );
}

export type QuerySum = readonly [query: ExportQuery, sum: bigint];

/** Computes `digestCollected` from the sum of each query. */
export function combineSums(sums: readonly QuerySum[]): string {
  return digestSha256(
    sums
      .map(([query, sum]) => `${queryText(query)} ${sum.toString(16)}`)
      .sort()
      .join('\n'),
  );
}

/** The queries without repetitions. */
export function listQueries(queries: readonly ExportQuery[]): readonly ExportQuery[] {
  return [...new Map(queries.map((one) => [queryText(one), one])).values()];
}

/** A text that equal queries share. */
export function queryText({ type, query }: ExportQuery): string {
  return canonicalJson([type, query]);
}

/** Computed once for each object: compiles of a process share the objects they collect. */
const NUMBERS = new WeakMap<ExportedResource, bigint>();

function numberOf(resource: ExportedResource): bigint {
  const known = NUMBERS.get(resource);
  if (known !== undefined) return known;
  const number = BigInt(`0x${resourceDigest(resource)}`);
  NUMBERS.set(resource, number);
  return number;
}
