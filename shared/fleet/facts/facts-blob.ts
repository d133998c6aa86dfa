import { promisify } from 'node:util';
import { gunzip, gunzipSync, gzip, gzipSync } from 'node:zlib';
import { PREFIXES } from '../../config/deployment.ts';
import { parseJsonInSteps, printJsonInSteps } from '../../puppet/serialization/json.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import { warnOfDamage } from '../../store/damaged-blob.ts';
import type { BlobStore } from '../../store/ports/blob-store.ts';
import type { FactsPointer, NodeRecord } from '../../store/ports/node-record.ts';
import { digestLarge } from '../../util/digest.ts';
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
 * Number of characters above which facts are compressed in another thread. For fewer, the way there
 * takes longer than the work.
 */
const LARGE = 256 * 1024;
const compressLarge = promisify(gzip);
const decompressLarge = promisify(gunzip);

/** A node, and the pointer to its facts; null before it sent any. */
export type FactsOwner = Pick<NodeRecord, 'certname' | 'facts'>;

/**
 * Stores facts (gzipped JSON of both hashes) as a blob of their own, without blocking the event
 * loop. They come into force when the caller writes the pointer to the node's record; until then
 * readers see the facts before. `pruneFacts` deletes blobs that no record names.
 */
export async function storeFacts(blobs: BlobStore, said: NodeFacts, at: number): Promise<FactsPointer> {
  const { digest, bytes } = await pack(said);
  const pointer: FactsPointer = { digest, at };
  await blobs.put(nameFactsBlob(pointer), bytes);
  return pointer;
}

/**
 * Returns the time of facts that replace others. It is later than theirs, though clocks of servers
 * differ: the inventory keeps the facts with the latest time.
 */
export function timeFacts(before: Pick<FactsPointer, 'at'> | null, now: number): number {
  return before === null ? now : Math.max(now, before.at + 1);
}

/** Stores the trusted facts of a node that sent no facts yet. Its record has no pointer to them. */
export async function storeTrustedFacts(blobs: BlobStore, certname: string, said: NodeFacts): Promise<void> {
  await blobs.put(unsentBlob(certname), (await pack(said)).bytes);
}

async function pack({ facts, trusted, checksumTypes = [USUAL_CHECKSUM_TYPE] }: NodeFacts) {
  const all = PuppetHash.of([
    ['facts', facts],
    ['trusted', trusted],
    ['checksum_types', checksumTypes],
  ]);
  const text = await runInSteps(printJsonInSteps(all));
  return { digest: await digestLarge(text), bytes: text.length > LARGE ? await compressLarge(text) : gzipSync(text) };
}

/** Facts as they are stored. */
export interface StoredFacts extends NodeFacts {
  /** The digest in their `FactsPointer`. */
  readonly digest: string;
}

/**
 * The facts that the record names; without a pointer, what was known before the node sent any. Null
 * for none, and for a damaged blob.
 */
export async function loadFacts(blobs: BlobStore, owner: FactsOwner): Promise<StoredFacts | null> {
  const bytes = await blobs.get(factsBlobOf(owner));
  if (!bytes) return null;
  const text = await unpack(bytes, owner);
  if (text === null) return null;
  const stored = await runInSteps(parseJsonInSteps(text));
  const facts = stored instanceof PuppetHash ? stored.get('facts') : null;
  const trusted = stored instanceof PuppetHash ? stored.get('trusted') : null;
  const types = stored instanceof PuppetHash ? stored.get('checksum_types') : null;
  const checksumTypes = Array.isArray(types) ? types.map(String) : [USUAL_CHECKSUM_TYPE];
  if (facts instanceof PuppetHash && trusted instanceof PuppetHash) {
    // `unpack` compared the text with the pointer's digest.
    const digest = owner.facts?.digest ?? (await digestLarge(text));
    return { facts, trusted, checksumTypes, digest };
  }
  throw new Error(`blob ${factsBlobOf(owner)} holds no facts`);
}

/** Returns the text; null when it is not what a pointer says, which is logged. */
async function unpack(bytes: Uint8Array, owner: FactsOwner): Promise<string | null> {
  const { facts } = owner;
  const unzip = async () => (bytes.length > LARGE / 8 ? await decompressLarge(bytes) : gunzipSync(bytes));
  if (!facts) return (await unzip()).toString('utf8');
  const unzipped = await unzip().catch(() => null);
  if (unzipped !== null && (await digestLarge(unzipped)) === facts.digest) return unzipped.toString('utf8');
  warnOfDamage(factsBlobOf(owner));
  return null;
}

/** The facts of `loadFacts` as they are stored: gzipped JSON; null for none or a damaged blob. */
export async function readFactsBlob(blobs: BlobStore, owner: FactsOwner): Promise<Uint8Array | null> {
  const bytes = await blobs.get(factsBlobOf(owner));
  return bytes !== null && (await unpack(bytes, owner)) !== null ? bytes : null;
}

/** Deletes the node's facts. */
export async function deleteFacts(blobs: BlobStore, { certname, facts }: FactsOwner): Promise<void> {
  await blobs.delete(unsentBlob(certname));
  if (facts) await blobs.delete(nameFactsBlob(facts));
}

/** The key of the blob that `loadFacts` reads. */
export function factsBlobOf({ certname, facts }: FactsOwner): string {
  return facts ? nameFactsBlob(facts) : unsentBlob(certname);
}

/** Keys of facts that records name by digest begin so: no certname has an `@`. */
export const NAMED_FACTS = `${PREFIXES.facts}@`;

/**
 * The name has the time too: when a node sends facts that it had before, they get another blob than
 * the old one, which pruning may be deleting.
 */
function nameFactsBlob({ digest, at }: FactsPointer): string {
  return `${NAMED_FACTS}${digest.slice(0, 2)}/${at.toString(36)}-${digest}`;
}

/** Returns when the facts of this key were stored, by their writer's clock; 0 for other keys. */
export function readStoringTime(key: string): number {
  const at = key.startsWith(NAMED_FACTS) ? /\/([0-9a-z]+)-[0-9a-f]+$/.exec(key)?.[1] : undefined;
  return at === undefined ? 0 : Number.parseInt(at, 36);
}

function unsentBlob(certname: string): string {
  return `${PREFIXES.facts}${certname}`;
}
