import { extname } from 'node:path/posix';
import { ParseCache } from '../../puppet/compiler/manifest-parser.ts';
import type { PreparedResourceTypes } from '../../puppet/compiler/resource-types/prepared-resource-types.ts';
import type { MemoryTree } from '../../puppet/environment/memory-tree.ts';
import type { Snapshot } from '../../puppet/environment/snapshot.ts';
import { snapshotTree } from '../../puppet/environment/snapshot-environment.ts';
import { MachineryFault } from '../../puppet/errors/machinery-fault.ts';
import { HieraCache } from '../../puppet/hiera/hiera-cache.ts';
import type { BlobStore } from '../../store/ports/blob-store.ts';
import { StoreUnavailable } from '../../store/ports/store-errors.ts';
import { inParallel } from '../../util/in-parallel.ts';
import { readPreparedTypes } from './prepare-types.ts';
import { snapshotBlob, typesBlob } from './snapshot-blobs.ts';

export interface OpenSnapshot {
  readonly snapshot: Snapshot;
  readonly codeId: string;
  readonly tree: MemoryTree;
  /** Resource types that Ruby described during the deploy. */
  readonly types: PreparedResourceTypes;
}

/**
 * A compile needs a file that is not in memory: the file is fetched and the compile restarts. It is
 * a MachineryFault, so that no one translates it to a user error.
 */
export class ContentMissing extends MachineryFault {
  readonly sha256: string;

  constructor(sha256: string) {
    super(`content ${sha256} is not loaded`);
    this.name = 'ContentMissing';
    this.sha256 = sha256;
  }
}

/**
 * Extensions of files that nearly every compile reads: loaded with the environment. Other files are
 * loaded on demand.
 */
const LOADED_EXTENSIONS = new Set(['.pp', '.yaml', '.yml', '.json', '.epp', '.erb', '.conf', '.eyaml', '.hocon']);
const RUBY_FUNCTION = /\/lib\/puppet\/(parser\/)?functions\/.*\.rb$/;
const LOADED_BYTES = 1024 * 1024;
const FETCHES_AT_ONCE = 32;

/** An LRU cache of snapshots, with file contents in memory. Snapshots share equal contents. */
export class SnapshotCache {
  /**
   * Parsed manifests and data files of all snapshots: a file that a deploy did not change is not
   * parsed again.
   */
  readonly parsed = { manifests: new ParseCache(), data: new HieraCache() } as const;
  readonly #blobs: BlobStore;
  readonly #most: number;
  readonly #open = new Map<string, Promise<OpenSnapshot>>();
  readonly #contents = new Map<string, Uint8Array>();

  /** Holds up to `most` snapshots. */
  constructor(blobs: BlobStore, most = 4) {
    this.#blobs = blobs;
    this.#most = most;
  }

  /** Opens the snapshot `codeId`. Throws StoreUnavailable when its blob is missing. */
  async open(codeId: string): Promise<OpenSnapshot> {
    const known = this.#open.get(codeId);
    this.#open.delete(codeId);
    const opened = known ?? this.#load(codeId);
    this.#open.set(codeId, opened);
    try {
      const snapshot = await opened;
      await this.#forgetOldest();
      return snapshot;
    } catch (error) {
      this.#open.delete(codeId);
      throw error;
    }
  }

  /** Fetches the content that a `ContentMissing` names. */
  async fetch(sha256: string): Promise<void> {
    if (this.#contents.has(sha256)) return;
    const bytes = await this.#blobs.get(`files/${sha256}`);
    if (!bytes) throw new StoreUnavailable(`blob files/${sha256} is missing`);
    this.#contents.set(sha256, bytes);
  }

  /** Fetches missing contents of these snapshot paths in parallel. */
  async prefetch({ snapshot }: OpenSnapshot, paths: Iterable<string>): Promise<void> {
    const wanted = new Set<string>();
    for (const path of paths) {
      const file = snapshot.files[path];
      if (file && file.size <= LOADED_BYTES && !this.#contents.has(file.sha256)) wanted.add(file.sha256);
    }
    await inParallel(FETCHES_AT_ONCE, wanted, (sha256) => this.fetch(sha256));
  }

  async #load(codeId: string): Promise<OpenSnapshot> {
    const snapshot = await loadSnapshot(this.#blobs, codeId);
    const wanted = new Set<string>();
    for (const [path, { sha256, size }] of Object.entries(snapshot.files)) {
      const isUsual = LOADED_EXTENSIONS.has(extname(path)) || RUBY_FUNCTION.test(path);
      if (isUsual && size <= LOADED_BYTES) wanted.add(sha256);
    }
    await inParallel(FETCHES_AT_ONCE, wanted, (sha256) => this.fetch(sha256));
    const types = readPreparedTypes(await this.#blobs.get(typesBlob(codeId)));
    return { snapshot, codeId, tree: snapshotTree(snapshot, (sha256) => this.#readContent(sha256)), types };
  }

  #readContent(sha256: string): Uint8Array {
    const bytes = this.#contents.get(sha256);
    if (!bytes) throw new ContentMissing(sha256);
    return bytes;
  }

  async #forgetOldest(): Promise<void> {
    if (this.#open.size <= this.#most) return;
    for (const codeId of [...this.#open.keys()].slice(0, -this.#most)) this.#open.delete(codeId);
    const used = new Set<string>();
    for (const opened of this.#open.values()) {
      for (const { sha256 } of Object.values((await opened).snapshot.files)) used.add(sha256);
    }
    for (const sha256 of this.#contents.keys()) if (!used.has(sha256)) this.#contents.delete(sha256);
  }
}

/** Reads the manifest of a snapshot. Throws StoreUnavailable when its blob is missing. */
export async function loadSnapshot(blobs: BlobStore, codeId: string): Promise<Snapshot> {
  const bytes = await blobs.get(snapshotBlob(codeId));
  if (!bytes) throw new StoreUnavailable(`blob snapshots/${codeId} is missing`);
  const snapshot: unknown = JSON.parse(new TextDecoder().decode(bytes));
  if (!isSnapshot(snapshot)) throw new Error(`blob snapshots/${codeId} is not a snapshot`);
  return snapshot;
}

function isSnapshot(value: unknown): value is Snapshot {
  return typeof value === 'object' && value !== null && 'environment' in value && 'files' in value;
}
