import type { CollectorRecord, ExportedResource } from '../puppet/catalog/exported.ts';
import { matchesFilter } from '../puppet/compiler/export-filter.ts';
import { canonicalJson, digestSha256 } from '../util/digest.ts';

/**
 * A digest of what a catalog gets of each collector's resources, independent of their order. It
 * covers neither the exporters' names nor the tags that collectors match.
 */
export function collectedDigest(
  collectors: readonly Pick<CollectorRecord, 'type' | 'query'>[],
  resources: readonly ExportedResource[],
): string {
  const found = collectors.map(({ type, query }) => {
    const matching = resources.filter((resource) => resource.type === type && matchesFilter(resource, query));
    return `${canonicalJson([type, query])} ${combineDigests(matching.map(collectedResourceDigest))}`;
  });
  return combineDigests(found);
}

function collectedResourceDigest({ type, title, returnedTags = [], parameters }: ExportedResource): string {
  return digestSha256(canonicalJson([type, title, returnedTags, parameters]));
}

/** A digest of exported resources as they are stored, independent of their order. */
export function exportsDigest(resources: readonly ExportedResource[]): string {
  return combineDigests(resources.map(resourceDigest));
}

/** Computes the SHA-256 of a resource's canonical JSON, in lower-case hexadecimal. */
export function resourceDigest(resource: ExportedResource): string {
  return digestSha256(canonicalJson(resource));
}

/** Computes `exportsDigest` from the digests of the resources. */
export function combineDigests(digests: readonly string[]): string {
  return digestSha256([...digests].sort().join());
}
