import { gunzipSync, gzipSync } from 'node:zlib';
import { parseJson, printJson } from '../../puppet/serialization/json.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import type { BlobStore } from '../../store/ports/blob-store.ts';
import type { FactsPointer } from '../../store/ports/node-record.ts';
import { digestSha256 } from '../../util/digest.ts';
import { USUAL_CHECKSUM_TYPE } from './checksum-types.ts';

/** What a node said of itself at a check-in, and what its certificate says. */
export interface NodeFacts {
  readonly facts: PuppetHash;
  readonly trusted: PuppetHash;
  /**
   * Types of checksums that its agent wants static catalogs with; `sha256` where nothing was said.
   */
  readonly checksumTypes?: readonly string[];
}

/** Writes `facts/<certname>` (gzipped JSON of both hashes), over what was there. */
export async function storeFacts(
  blobs: BlobStore,
  certname: string,
  { facts, trusted, checksumTypes = [USUAL_CHECKSUM_TYPE] }: NodeFacts,
  at: number,
): Promise<FactsPointer> {
  const text = printJson(
    PuppetHash.of([
      ['facts', facts],
      ['trusted', trusted],
      ['checksum_types', checksumTypes],
    ]),
  );
  await blobs.put(keyOf(certname), gzipSync(text));
  return { digest: digestSha256(text), at };
}

/** The facts stored last; null when there are none. */
export async function loadFacts(blobs: BlobStore, certname: string): Promise<NodeFacts | null> {
  const bytes = await blobs.get(keyOf(certname));
  if (!bytes) return null;
  const stored = parseJson(gunzipSync(bytes).toString('utf8'));
  const facts = stored instanceof PuppetHash ? stored.get('facts') : null;
  const trusted = stored instanceof PuppetHash ? stored.get('trusted') : null;
  const types = stored instanceof PuppetHash ? stored.get('checksum_types') : null;
  const checksumTypes = Array.isArray(types) ? types.map(String) : [USUAL_CHECKSUM_TYPE];
  if (facts instanceof PuppetHash && trusted instanceof PuppetHash) return { facts, trusted, checksumTypes };
  throw new Error(`blob ${keyOf(certname)} holds no facts`);
}

/** Takes the node's facts away. */
export function deleteFacts(blobs: BlobStore, certname: string): Promise<void> {
  return blobs.delete(keyOf(certname));
}

function keyOf(certname: string): string {
  return `facts/${certname}`;
}
