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
 * Facts of more characters are compressed in another thread. For a few it takes longer to get
 * there.
 */
const LARGE = 256 * 1024;
const compressLarge = promisify(gzip);
const decompressLarge = promisify(gunzip);

/** A node whose record names its facts, or does not yet. */
export type FactsOwner = Pick<NodeRecord, 'certname' | 'facts'>;

/**
 * Stores facts (gzipped JSON of both hashes) as a blob of their own. They are a node's from the
 * moment that its record has the pointer: until then, and after a fault in between, readers see the
 * facts before. `pruneFacts` deletes what no record names. Facts of any size leave the event loop
 * free.
 */
export async function storeFacts(blobs: BlobStore, said: NodeFacts, at: number): Promise<FactsPointer> {
  const { digest, bytes } = await pack(said);
  const pointer: FactsPointer = { digest, at };
  await blobs.put(nameFactsBlob(pointer), bytes);
  return pointer;
}

/**
 * The time of facts that take the place of others: after theirs, as the inventory keeps the facts
 * with the latest time, and clocks of servers differ.
 */
export function timeFacts(before: Pick<FactsPointer, 'at'> | null, now: number): number {
  return before === null ? now : Math.max(now, before.at + 1);
}

/** Stores what is known of a node that sent no facts yet. Its record has no pointer to it. */
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
  /** As in their `FactsPointer`. */
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
    // `unpack` compared it.
    const digest = owner.facts?.digest ?? (await digestLarge(text));
    return { facts, trusted, checksumTypes, digest };
  }
  throw new Error(`blob ${factsBlobOf(owner)} holds no facts`);
}

/** The text; null when it is not what a pointer says, which is logged. */
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
 * Each time that facts are stored gives another name. Facts that a node has again after a while are
 * thus never those that are deleted just now.
 */
function nameFactsBlob({ digest, at }: FactsPointer): string {
  return `${NAMED_FACTS}${digest.slice(0, 2)}/${at.toString(36)}-${digest}`;
}

/** When the facts of this key were stored, by the clock of the one that stored them; else 0. */
export function readStoringTime(key: string): number {
  const at = key.startsWith(NAMED_FACTS) ? /\/([0-9a-z]+)-[0-9a-f]+$/.exec(key)?.[1] : undefined;
  return at === undefined ? 0 : Number.parseInt(at, 36);
}

function unsentBlob(certname: string): string {
  return `${PREFIXES.facts}${certname}`;
}
