import type { Snapshot } from '../../puppet/environment/snapshot.ts';
import { warnOfDamage } from '../../store/damaged-blob.ts';
import type { BlobCache, BlobStore } from '../../store/ports/blob-store.ts';
import { inParallel } from '../../util/in-parallel.ts';
import type { ContentCache } from './content-cache.ts';
import { packBlob, readPack } from './pack-file.ts';
import type { ContentPack } from './snapshot-manifest.ts';
import { readContent } from './stored-content.ts';

const FILES_AT_ONCE = 32;
const PACKS_AT_ONCE = 8;
/** Contents of a pack that are fetched one by one, for instance after a deploy of one change. */
const FEW = 1;

/** Fetches contents into memory, in packs where that takes fewer requests. */
export class ContentLoader {
  readonly #blobs: BlobStore;
  readonly #contents: ContentCache;
  readonly #kept: BlobCache | null;
  #missingPacks = 0;

  /** `kept` keeps packs for later processes on this machine; null for none. */
  constructor(blobs: BlobStore, contents: ContentCache, kept: BlobCache | null) {
    this.#blobs = blobs;
    this.#contents = contents;
    this.#kept = kept;
  }

  /** Returns the number of packs that were missing or damaged since the last call. */
  takeMissingPacks(): number {
    const count = this.#missingPacks;
    this.#missingPacks = 0;
    return count;
  }

  /**
   * Fetches the wanted contents that are not in memory, all at once. When more than a few of them
   * are in a usual pack, all its contents are kept. Files replace a missing or damaged pack. Throws
   * StoreUnavailable when a file is missing or damaged.
   */
  async load(wanted: Iterable<string>, packs: readonly ContentPack[], { files }: Snapshot): Promise<void> {
    const missing = new Set([...wanted].filter((sha256) => !this.#contents.has(sha256)));
    if (missing.size === 0) return;
    const useful = packs.filter(({ paths }) => countDistinct(paths, files, missing) > FEW);
    await inParallel(PACKS_AT_ONCE, useful, (pack) => this.#loadPack(pack, missing));
    const remaining = [...missing].filter((sha256) => !this.#contents.has(sha256));
    await inParallel(FILES_AT_ONCE, remaining, (sha256) => this.#loadFile(sha256));
  }

  async #loadPack({ id, isUsual }: ContentPack, wanted: ReadonlySet<string>): Promise<void> {
    const contents = (await this.#readKeptPack(id)) ?? (await this.#fetchPack(id));
    for (const [sha256, content] of contents ?? []) {
      if (isUsual || wanted.has(sha256)) this.#contents.add(sha256, content);
    }
  }

  async #readKeptPack(id: string): Promise<ReadonlyMap<string, Uint8Array> | null> {
    const bytes = await this.#kept?.get(id);
    return bytes ? readPack(bytes, id) : null;
  }

  async #fetchPack(id: string): Promise<ReadonlyMap<string, Uint8Array> | null> {
    const bytes = await this.#blobs.get(packBlob(id));
    const contents = bytes && (await readPack(bytes, id));
    if (contents) {
      await this.#kept?.put(id, bytes);
      return contents;
    }
    this.#missingPacks += 1;
    if (bytes) warnOfDamage(packBlob(id));
    else console.warn(`Blob ${packBlob(id)} is missing: its files are read one by one`);
    return null;
  }

  async #loadFile(sha256: string): Promise<void> {
    this.#contents.add(sha256, await readContent(this.#blobs, sha256));
  }
}

function countDistinct(paths: readonly string[], files: Snapshot['files'], missing: ReadonlySet<string>): number {
  const found = new Set<string>();
  for (const path of paths) {
    const sha256 = files[path]?.sha256;
    if (sha256 !== undefined && missing.has(sha256)) found.add(sha256);
  }
  return found.size;
}
