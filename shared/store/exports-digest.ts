import type { ExportedResource } from '../catalog/exported.ts';
import { canonicalJson, sha256 } from '../util/digest.ts';

/** A digest of exported resources, whatever their order. */
export function exportsDigest(resources: readonly ExportedResource[]): string {
  return sha256(resources.map(canonicalJson).sort().join('\n'));
}
