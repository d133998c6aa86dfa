import type { ExportedResource } from '../puppet/catalog/exported.ts';
import { canonicalJson, digestSha256 } from '../util/digest.ts';

/** A digest of exported resources, whatever their order. */
export function exportsDigest(resources: readonly ExportedResource[]): string {
  return combineDigests(resources.map(resourceDigest));
}

export function resourceDigest(resource: ExportedResource): string {
  return digestSha256(canonicalJson(resource));
}

/** `exportsDigest` of resources of which only the digests are at hand. */
export function combineDigests(digests: readonly string[]): string {
  return digestSha256([...digests].sort().join());
}
