import type { ExportedResource } from '../puppet/catalog/exported.ts';
import { canonicalJson, sha256 } from '../util/digest.ts';

/** A digest of exported resources, whatever their order. */
export function exportsDigest(resources: readonly ExportedResource[]): string {
  return combinedDigest(resources.map(resourceDigest));
}

export function resourceDigest(resource: ExportedResource): string {
  return sha256(canonicalJson(resource));
}

/** `exportsDigest` of resources of which only the digests are at hand. */
export function combinedDigest(digests: readonly string[]): string {
  return sha256([...digests].sort().join());
}
