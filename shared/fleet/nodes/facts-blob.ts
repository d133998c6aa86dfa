import { promisify } from 'node:util';
import { gunzip, gunzipSync, gzip, gzipSync } from 'node:zlib';
import { parseJsonInSteps, printJsonInSteps } from '../../puppet/serialization/json.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import type { BlobStore } from '../../store/ports/blob-store.ts';
import type { FactsPointer } from '../../store/ports/node-record.ts';
import { digestSha256 } from '../../util/digest.ts';
import { runInSteps } from '../../util/in-steps.ts';
import { USUAL_CHECKSUM_TYPE } from './checksum-types.ts';

/** A node's facts from a check-in, and the trusted facts of its certificate. */
export interface NodeFacts {
  readonly facts: PuppetHash;
  readonly trusted: PuppetHash;
  /** Checksum types of its agent's static catalogs; absent: `sha256`. */
  readonly checksumTypes?: readonly string[];
}

/**
 * Facts of more characters are compressed in another thread. For a few it takes longer to get
 * there.
 */
const LARGE = 256 * 1024;
const compressLarge = promisify(gzip);
const decompressLarge = promisify(gunzip);

/**
 * Creates or replaces `facts/<certname>` (gzipped JSON of both hashes). Facts of any size leave the
 * event loop free.
 */
export async function storeFacts(
  blobs: BlobStore,
  certname: string,
  { facts, trusted, checksumTypes = [USUAL_CHECKSUM_TYPE] }: NodeFacts,
  at: number,
): Promise<FactsPointer> {
  const all = PuppetHash.of([
    ['facts', facts],
    ['trusted', trusted],
    ['checksum_types', checksumTypes],
  ]);
  const text = await runInSteps(printJsonInSteps(all));
  await blobs.put(keyOf(certname), text.length > LARGE ? await compressLarge(text) : gzipSync(text));
  return { digest: digestSha256(text), at };
}

/** Facts as they are stored. */
export interface StoredFacts extends NodeFacts {
  /** As in their `FactsPointer`. */
  readonly digest: string;
}

/** The facts stored last; null for none. */
export async function loadFacts(blobs: BlobStore, certname: string): Promise<StoredFacts | null> {
  const bytes = await blobs.get(keyOf(certname));
  if (!bytes) return null;
  const unzipped = bytes.length > LARGE / 8 ? await decompressLarge(bytes) : gunzipSync(bytes);
  const text = unzipped.toString('utf8');
  const stored = await runInSteps(parseJsonInSteps(text));
  const facts = stored instanceof PuppetHash ? stored.get('facts') : null;
  const trusted = stored instanceof PuppetHash ? stored.get('trusted') : null;
  const types = stored instanceof PuppetHash ? stored.get('checksum_types') : null;
  const checksumTypes = Array.isArray(types) ? types.map(String) : [USUAL_CHECKSUM_TYPE];
  if (facts instanceof PuppetHash && trusted instanceof PuppetHash) {
    return { facts, trusted, checksumTypes, digest: digestSha256(text) };
  }
  throw new Error(`blob ${keyOf(certname)} holds no facts`);
}

/** The facts stored last as they are: gzipped JSON; null for none. */
export function readFactsBlob(blobs: BlobStore, certname: string): Promise<Uint8Array | null> {
  return blobs.get(keyOf(certname));
}

/** Deletes the node's facts. */
export function deleteFacts(blobs: BlobStore, certname: string): Promise<void> {
  return blobs.delete(keyOf(certname));
}

function keyOf(certname: string): string {
  return `facts/${certname}`;
}
