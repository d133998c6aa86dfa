import { gunzipSync, gzipSync } from 'node:zlib';
import type { Snapshot } from '../../puppet/environment/snapshot.ts';
import { HieraCache } from '../../puppet/hiera/hiera-cache.ts';
import type { BlobStore } from '../../store/ports/blob-store.ts';
import type { DependencySet, Observations, Part } from '../../store/ports/dependency-index.ts';
import { StoreUnavailable } from '../../store/ports/store-errors.ts';
import { BoundedCache } from '../../util/bounded-cache.ts';
import { digestSha256 } from '../../util/digest.ts';
import { inParallel } from '../../util/in-parallel.ts';
import { snapshotBlob } from '../snapshots/snapshot-blobs.ts';
import { loadSnapshot } from '../snapshots/snapshot-cache.ts';
import { digestStates } from './part-states.ts';
import { type ReadableFiles, snapshotFiles } from './readable-files.ts';

const FORMAT = 1;
const DELETES_AT_ONCE = 8;
const SET_BYTES = 64 * 1024 * 1024;
/** States have a fixed size: this many take about 16 MB. */
const MOST_STATES = 50_000;
const MOST_CODES = 3;

/** The parts of a dependency set. */
type SetParts = DependencySet['parts'];

/**
 * A worker's memory of dependency sets, bounded by bytes, and of the states of their parts. Nodes
 * of a role share both.
 */
export class DependencyCache {
  readonly #blobs: BlobStore;
  readonly #sets = new BoundedCache<SetParts>(SET_BYTES, weightOf);
  readonly #states = new BoundedCache<string>(MOST_STATES);
  readonly #codes = new BoundedCache<ReadableFiles>(MOST_CODES);

  readonly #data: HieraCache;

  /** `data` has the parsed data files of the worker. */
  constructor(blobs: BlobStore, data: HieraCache = new HieraCache()) {
    this.#blobs = blobs;
    this.#data = data;
  }

  /** The parts of a set; null when its blob is missing. */
  async load(id: string): Promise<SetParts | null> {
    const known = this.#sets.get(id);
    if (known) return known;
    const parts = await loadSetParts(this.#blobs, id);
    if (parts) this.#sets.set(id, parts);
    return parts;
  }

  /** Stores a set's blob. A set in memory costs no request. */
  async store({ id, parts }: DependencySet): Promise<void> {
    if (this.#sets.get(id)) return;
    await this.#blobs.putIfAbsent(blobOfSet(id), gzipSync(JSON.stringify({ format: FORMAT, parts })));
    this.#sets.set(id, parts);
  }

  /** Digest of the states of all that a compile looked at. */
  async digest(parts: SetParts, own: Observations, files: ReadableFiles): Promise<string> {
    const states: string[] = [];
    for (const part of parts) states.push(await this.digestPart(part, files));
    states.push(await files.read((present) => digestStates(own, present)));
    return digestSha256(states.join('\n'));
  }

  /** The files of an earlier snapshot; null when it was pruned. */
  async openCode(codeId: string | null): Promise<ReadableFiles | null> {
    if (codeId === null) return snapshotFiles(null, null, this.#blobs, this.#data);
    const known = this.#codes.get(codeId);
    if (known) return known;
    const snapshot = await loadIfThere(this.#blobs, codeId);
    const files = snapshot && snapshotFiles(codeId, snapshot, this.#blobs, this.#data);
    if (files) this.#codes.set(codeId, files);
    return files;
  }

  /** Digest of the states of a part. */
  async digestPart({ id, observations }: Part, files: ReadableFiles): Promise<string> {
    const key = `${files.codeId} ${id}`;
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    const digest = await files.read((present) => digestStates(observations, present));
    this.#states.set(key, digest);
    return digest;
  }
}

/**
 * Deletes the blobs of sets that no node has any more. A worker that still has one in memory may
 * register it again without its blob: then others find it lost, compile once, and store it.
 */
export async function deleteSets(blobs: BlobStore, ids: readonly string[]): Promise<void> {
  await inParallel(DELETES_AT_ONCE, ids, (id) => blobs.delete(blobOfSet(id)));
}

/** Reads the parts of a set; null when its blob is missing. */
export async function loadSetParts(blobs: BlobStore, id: string): Promise<SetParts | null> {
  const bytes = await blobs.get(blobOfSet(id));
  if (!bytes) return null;
  const blob: unknown = JSON.parse(gunzipSync(bytes).toString('utf8'));
  if (isSet(blob)) return blob.parts;
  throw new Error(`blob ${blobOfSet(id)} is no dependency set`);
}

async function loadIfThere(blobs: BlobStore, codeId: string): Promise<Snapshot | null> {
  try {
    return await loadSnapshot(blobs, codeId);
  } catch (error) {
    if (error instanceof StoreUnavailable && !(await blobs.has(snapshotBlob(codeId)))) return null;
    throw error;
  }
}

function isSet(blob: unknown): blob is { parts: SetParts } {
  return typeof blob === 'object' && blob !== null && 'format' in blob && blob.format === FORMAT && 'parts' in blob;
}

function blobOfSet(id: string): string {
  return `dependencies/${id}`;
}

/** Roughly the bytes of the parts in memory. */
function weightOf(parts: SetParts): number {
  const sizeOf = (paths: readonly string[]) => paths.reduce((sum, path) => sum + path.length + 32, 0);
  return parts.reduce((sum, { observations: { contents, kinds, keys } }) => {
    const ofKeys = Object.entries(keys).reduce((all, [path, names]) => all + path.length + sizeOf(names), 0);
    return sum + 256 + sizeOf(contents) + sizeOf(kinds) + ofKeys;
  }, 0);
}
