import { dirname } from 'node:path/posix';
import { ParseCache } from '../../puppet/compiler/manifest-parser.ts';
import type { PreparedResourceTypes } from '../../puppet/compiler/resource-types/prepared-resource-types.ts';
import type { MemoryTree } from '../../puppet/environment/memory-tree.ts';
import type { Snapshot } from '../../puppet/environment/snapshot.ts';
import { snapshotTree } from '../../puppet/environment/snapshot-environment.ts';
import { MachineryFault } from '../../puppet/errors/machinery-fault.ts';
import { HieraCache } from '../../puppet/hiera/hiera-cache.ts';
import type { BlobCache, BlobStore } from '../../store/ports/blob-store.ts';
import { ContentCache } from './content-cache.ts';
import { ContentLoader } from './content-loader.ts';
import { LOADED_BYTES, moduleOf } from './pack-plan.ts';
import { readPreparedTypes } from './prepare-types.ts';
import { typesBlob } from './snapshot-blobs.ts';
import { type ContentPack, loadManifest } from './snapshot-manifest.ts';

export interface OpenSnapshot {
  readonly snapshot: Snapshot;
  readonly codeId: string;
  readonly tree: MemoryTree;
  /** Contents that are fetched together. */
  readonly packs: readonly ContentPack[];
  /** Resource types that Ruby described during the deploy. */
  readonly types: PreparedResourceTypes;
}

/**
 * A compile needs a file that is not in memory: the file is fetched with others of its module or
 * folder, and the compile restarts. It is a MachineryFault, so that no one translates it to a user
 * error.
 */
export class ContentMissing extends MachineryFault {
  readonly sha256: string;

  constructor(sha256: string) {
    super(`content ${sha256} is not loaded`);
    this.name = 'ContentMissing';
    this.sha256 = sha256;
  }
}

export interface SnapshotCacheOptions {
  /** The bound of the cache in bytes. The snapshot in use may exceed it. */
  readonly bytes?: number;
  /** Keeps packs for later processes on this machine; absent: none. */
  readonly kept?: BlobCache | undefined;
}

const DEFAULT_BYTES = 192 * 1024 * 1024;
/** Memory that a file of a snapshot takes besides its content: its path, digest and tree entry. */
const BYTES_A_FILE = 600;
/** Files of a module that are fetched together with a missing one. */
const MOST_NEIGHBOURS = 256;

/**
 * An LRU cache of snapshots with the contents of their files in memory, bounded by bytes. Snapshots
 * share equal contents, which count once.
 */
export class SnapshotCache {
  /**
   * Parsed manifests and data files of all snapshots: a file that a deploy did not change is not
   * parsed again.
   */
  readonly parsed = { manifests: new ParseCache(), data: new HieraCache() } as const;
  readonly #blobs: BlobStore;
  readonly #limit: number;
  readonly #contents = new ContentCache();
  readonly #loader: ContentLoader;
  readonly #neighbours = new WeakMap<Snapshot, Neighbours>();
  readonly #loading = new Map<string, Promise<OpenSnapshot>>();
  /** The least recently used first. */
  readonly #opened = new Map<string, OpenSnapshot>();

  constructor(blobs: BlobStore, { bytes = DEFAULT_BYTES, kept }: SnapshotCacheOptions = {}) {
    this.#blobs = blobs;
    this.#limit = bytes;
    this.#loader = new ContentLoader(blobs, this.#contents, kept ?? null);
  }

  /** Packs that were missing or damaged since the last call; their files were fetched instead. */
  takeMissingPacks(): number {
    return this.#loader.takeMissingPacks();
  }

  /** Bytes in memory, by estimate. */
  get bytes(): number {
    let files = 0;
    for (const { snapshot } of this.#opened.values()) files += Object.keys(snapshot.files).length;
    return this.#contents.bytes + files * BYTES_A_FILE;
  }

  /** Opens the snapshot `codeId`. Throws StoreUnavailable when a blob of it is missing. */
  async open(codeId: string): Promise<OpenSnapshot> {
    const opened = this.#opened.get(codeId) ?? (await this.#loadOnce(codeId));
    this.#opened.delete(codeId);
    this.#opened.set(codeId, opened);
    this.#evict();
    return opened;
  }

  /**
   * Fetches the content that a `ContentMissing` names. Other contents of the same module or folder
   * are fetched with it, so that a compile does not restart for each of its files.
   */
  async fetch(open: OpenSnapshot, sha256: string): Promise<void> {
    const { placesOf, contentsOf } = this.#neighboursIn(open);
    const wanted = new Set([sha256]);
    for (const place of placesOf.get(sha256) ?? []) {
      for (const one of contentsOf.get(place) ?? []) {
        if (wanted.size >= MOST_NEIGHBOURS) break;
        wanted.add(one);
      }
    }
    await this.#loader.load(wanted, open.packs, open.snapshot);
  }

  /** Made at the first need: a compile for which all is prefetched has none. */
  #neighboursIn({ snapshot, packs }: OpenSnapshot): Neighbours {
    const neighbours = this.#neighbours.get(snapshot) ?? listNeighbours(snapshot, packs);
    this.#neighbours.set(snapshot, neighbours);
    return neighbours;
  }

  /** Fetches missing contents of these snapshot paths, in packs or in parallel. */
  async prefetch({ snapshot, packs }: OpenSnapshot, paths: Iterable<string>): Promise<void> {
    const wanted = new Set<string>();
    for (const path of paths) {
      const file = snapshot.files[path];
      if (file && file.size <= LOADED_BYTES) wanted.add(file.sha256);
    }
    await this.#loader.load(wanted, packs, snapshot);
  }

  /** Concurrent callers share one load. */
  #loadOnce(codeId: string): Promise<OpenSnapshot> {
    const loading = this.#loading.get(codeId) ?? this.#load(codeId).finally(() => this.#loading.delete(codeId));
    this.#loading.set(codeId, loading);
    return loading;
  }

  async #load(codeId: string): Promise<OpenSnapshot> {
    const [{ snapshot, packs }, types] = await Promise.all([
      loadManifest(this.#blobs, codeId),
      this.#blobs.get(typesBlob(codeId)),
    ]);
    const usual = packs.filter((pack) => pack.isUsual);
    const paths = usual.flatMap((pack) => pack.paths);
    await this.#loader.load(new Set(paths.flatMap((path) => snapshot.files[path]?.sha256 ?? [])), usual, snapshot);
    const tree = snapshotTree(snapshot, (sha256) => this.readContent(sha256));
    return { snapshot, codeId, tree, packs, types: readPreparedTypes(types) };
  }

  /** Content in memory. Throws ContentMissing. */
  readContent(sha256: string): Uint8Array {
    const bytes = this.#contents.get(sha256);
    if (!bytes) throw new ContentMissing(sha256);
    return bytes;
  }

  /** Evicts the least recently used snapshots; the last one stays. */
  #evict(): void {
    for (const codeId of this.#opened.keys()) {
      if (this.#opened.size === 1 || this.bytes <= this.#limit) return;
      this.#opened.delete(codeId);
      const used = new Set<string>();
      for (const { snapshot } of this.#opened.values()) {
        for (const { sha256 } of Object.values(snapshot.files)) used.add(sha256);
      }
      this.#contents.retain(used);
    }
  }
}

/** Index of contents that are fetched together with a missing file of a snapshot. */
interface Neighbours {
  /** The places of a content's files, by its digest. */
  readonly placesOf: ReadonlyMap<string, ReadonlySet<string>>;
  /** Digests of the contents that are fetched together, by place. */
  readonly contentsOf: ReadonlyMap<string, readonly string[]>;
}

function listNeighbours({ files }: Snapshot, packs: readonly ContentPack[]): Neighbours {
  const packed = new Set(packs.flatMap(({ paths }) => paths));
  const placesOf = new Map<string, Set<string>>();
  const contentsOf = new Map<string, string[]>();
  for (const [path, { sha256, size }] of Object.entries(files)) {
    const place = placeOf(path);
    const places = placesOf.get(sha256);
    if (places) places.add(place);
    else placesOf.set(sha256, new Set([place]));
    // A module's file that is in no pack is none that compiles usually read.
    const isRead = packs.length === 0 || packed.has(path) || moduleOf(path) === '';
    if (size > LOADED_BYTES || !isRead) continue;
    const contents = contentsOf.get(place);
    if (contents) contents.push(sha256);
    else contentsOf.set(place, [sha256]);
  }
  return { placesOf, contentsOf };
}

/** A file's folder in its module, for instance `lib`; without a module, its own folder. */
function placeOf(path: string): string {
  const module = moduleOf(path);
  if (module === '') return dirname(path);
  return path.slice(0, path.indexOf('/', module.length + 1));
}

/** Reads the manifest of a snapshot. Throws StoreUnavailable when it is missing or damaged. */
export async function loadSnapshot(blobs: BlobStore, codeId: string): Promise<Snapshot> {
  return (await loadManifest(blobs, codeId)).snapshot;
}
