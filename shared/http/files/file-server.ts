import { listingsBlob } from '../../fleet/snapshots/snapshot-blobs.ts';
import { loadSnapshot } from '../../fleet/snapshots/snapshot-cache.ts';
import { contentBlob, markDamaged } from '../../fleet/snapshots/stored-content.ts';
import type { BlobStore, ByteRange } from '../../store/ports/blob-store.ts';
import { type CodeInForce, codeInForce, type EnvironmentStore } from '../../store/ports/environment-store.ts';
import { compress } from '../exchange/content-encoding.ts';
import { checkContent } from './checked-content.ts';
import { Checksums, type DigestedFile } from './checksum.ts';
import { readListings } from './prepared-listings.ts';
import { ServedEnvironment } from './served-environment.ts';
import { SharedCache } from './shared-cache.ts';

/** Size of the snapshot cache; evicted snapshots are read again on demand. */
const KEPT_SNAPSHOTS = 8;
/** Size of the listing cache in bytes. */
const KEPT_LISTINGS = 32 * 1024 * 1024;
/** Larger listings are decompressed for each client without gzip. */
const KEPT_PLAIN = 64 * 1024;

/** A listing ready to be sent. */
export interface Listing {
  readonly gzipped: Uint8Array<ArrayBuffer>;
  /** The same, not compressed; null for a large one. */
  readonly plain: Uint8Array<ArrayBuffer> | null;
}

export interface OpenedEnvironment {
  readonly files: ServedEnvironment;
  readonly deployedAt: number;
}

/**
 * Serves the files of deployed snapshots. Snapshots and listings are cached, because all agents
 * request the same few.
 */
export class FileServer {
  readonly checksums: Checksums;
  readonly #blobs: BlobStore;
  readonly #environments: EnvironmentStore;
  readonly #opened = new SharedCache<ServedEnvironment>(KEPT_SNAPSHOTS);
  readonly #prepared = new SharedCache<ReadonlyMap<string, string>>(KEPT_SNAPSHOTS);
  readonly #listings = new SharedCache<Listing>(
    KEPT_LISTINGS,
    ({ gzipped, plain }) => gzipped.length + (plain?.length ?? 0),
  );

  constructor(environments: EnvironmentStore, blobs: BlobStore) {
    this.#environments = environments;
    this.#blobs = blobs;
    this.checksums = new Checksums((sha256, range) => this.openContent(sha256, range));
  }

  /**
   * The environment's files in force for a node (null: for those without a stage); null when the
   * environment does not exist.
   */
  async open(environment: string, certname: string | null = null): Promise<OpenedEnvironment | null> {
    const inForce = await this.inForce(environment, certname);
    if (inForce === null) return null;
    const { codeId, deployedAt } = inForce;
    return { files: await this.#opened.get(codeId, () => this.#load(codeId)), deployedAt };
  }

  /** The files of a current or earlier snapshot; null when it does not exist. */
  async openSnapshot(codeId: string): Promise<ServedEnvironment | null> {
    if (!(await this.#blobs.has(`snapshots/${codeId}`))) return null;
    return this.#opened.get(codeId, () => this.#load(codeId));
  }

  /** The code in force for a node, without opening it; null when the environment does not exist. */
  async inForce(environment: string, certname: string | null): Promise<CodeInForce | null> {
    const record = await this.#environments.get(environment);
    return record && codeInForce(record, certname);
  }

  /** A listing that the deploy precomputed, by name; null without one. */
  async findPrepared(codeId: string, name: string): Promise<string | null> {
    const listings = await this.#prepared.get(codeId, async () =>
      readListings(await this.#blobs.get(listingsBlob(codeId))),
    );
    return listings.get(name) ?? null;
  }

  /** The cached listing of this name; `print` makes its JSON on a miss. */
  async getListing(name: string, print: () => Promise<string>): Promise<Listing> {
    return this.#listings.get(name, async () => {
      const plain = new TextEncoder().encode(await print());
      const gzipped = new Uint8Array(await compress(plain));
      return { gzipped, plain: plain.length <= KEPT_PLAIN ? plain : null };
    });
  }

  /**
   * Opens a range of a deployed file. Throws StoreUnavailable when its blob is missing or too
   * short: every file of a snapshot has one. The whole file's stream fails instead of ending when
   * the content is not that of the digest.
   */
  async openContent(sha256: string, range: ByteRange): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    const blob = await this.#blobs.stream(contentBlob(sha256), range);
    if (blob === null) throw await markDamaged(this.#blobs, sha256, true);
    if (blob.size < range.end) {
      await blob.body.cancel();
      throw await markDamaged(this.#blobs, sha256, false);
    }
    if (range.start > 0 || range.end < blob.size) return blob.body;
    return checkContent(blob.body, sha256, () => markDamaged(this.#blobs, sha256, false));
  }

  /** Reads a small deployed file as text. */
  async readText({ sha256, size }: DigestedFile): Promise<string> {
    return new Response(await this.openContent(sha256, { start: 0, end: size })).text();
  }

  async #load(codeId: string): Promise<ServedEnvironment> {
    return ServedEnvironment.open(await loadSnapshot(this.#blobs, codeId), codeId, this.#blobs);
  }
}
