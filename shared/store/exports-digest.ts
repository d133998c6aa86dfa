import type { ExportedResource } from '../puppet/catalog/exported.ts';
import { canonicalJson, digestSha256 } from '../util/digest.ts';

/** A digest of exported resources, independent of their order. */
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
