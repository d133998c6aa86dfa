import { listingsBlob } from '../../fleet/snapshots/snapshot-blobs.ts';
import type { Snapshot } from '../../puppet/environment/snapshot.ts';
import type { BlobStore, ByteRange } from '../../store/ports/blob-store.ts';
import type { EnvironmentRecord, EnvironmentStore } from '../../store/ports/environment-store.ts';
import { StoreUnavailable } from '../../store/ports/store-errors.ts';
import { Checksums, type DigestedFile } from './checksum.ts';
import { readListings } from './prepared-listings.ts';
import { ServedEnvironment } from './served-environment.ts';
import { SharedCache } from './shared-cache.ts';

/** How many snapshots are held at a time; the older ones are read again when they are asked for. */
const KEPT_SNAPSHOTS = 8;
/** Bytes of listings, compressed. */
const KEPT_LISTINGS = 32 * 1024 * 1024;

/** A listing as it goes out. */
export interface Listing {
  readonly gzipped: Uint8Array<ArrayBuffer>;
}

export interface OpenedEnvironment {
  readonly files: ServedEnvironment;
  readonly deployedAt: number;
}

/**
 * Serves the files of deployed snapshots. A snapshot is opened once; so is a listing made once for
 * all agents that ask for it, because every agent asks for the same few.
 */
export class FileServer {
  readonly checksums: Checksums;
  readonly #blobs: BlobStore;
  readonly #environments: EnvironmentStore;
  readonly #opened = new SharedCache<ServedEnvironment>(KEPT_SNAPSHOTS);
  readonly #prepared = new SharedCache<ReadonlyMap<string, string>>(KEPT_SNAPSHOTS);
  readonly #listings = new SharedCache<Listing>(KEPT_LISTINGS, ({ gzipped }) => gzipped.length);

  constructor(environments: EnvironmentStore, blobs: BlobStore) {
    this.#environments = environments;
    this.#blobs = blobs;
    this.checksums = new Checksums((sha256, range) => this.openContent(sha256, range));
  }

  /** The files in force of an environment; null when there is no such environment. */
  async open(environment: string): Promise<OpenedEnvironment | null> {
    const record = await this.#environments.get(environment);
    if (record === null) return null;
    const { codeId, deployedAt } = record;
    return { files: await this.#opened.get(codeId, () => this.#load(codeId)), deployedAt };
  }

  /**
   * The files of a snapshot, whether it is in force or was once; null when there is no such
   * snapshot.
   */
  async openSnapshot(codeId: string): Promise<ServedEnvironment | null> {
    if (!(await this.#blobs.has(`snapshots/${codeId}`))) return null;
    return this.#opened.get(codeId, () => this.#load(codeId));
  }

  /**
   * What is in force of an environment, without opening it; null when there is no such environment.
   */
  inForce(environment: string): Promise<EnvironmentRecord | null> {
    return this.#environments.get(environment);
  }

  /**
   * A listing of the snapshot that was prepared when it was deployed, by its name; null when that
   * was not.
   */
  async findPrepared(codeId: string, name: string): Promise<string | null> {
    const listings = await this.#prepared.get(codeId, async () =>
      readListings(await this.#blobs.get(listingsBlob(codeId))),
    );
    return listings.get(name) ?? null;
  }

  /** The listing of this name, made by `make` unless it is kept. */
  async getListing(name: string, make: () => Promise<Listing>): Promise<Listing> {
    return this.#listings.get(name, make);
  }

  /**
   * A part of a deployed file. Throws StoreUnavailable when its blob is not there: what a snapshot
   * names must be.
   */
  async openContent(sha256: string, range: ByteRange): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    const blob = await this.#blobs.stream(`files/${sha256}`, range);
    if (blob === null) throw new StoreUnavailable(`blob files/${sha256} is not there`);
    return blob.body;
  }

  /** A deployed file as text; for the small ones that describe something. */
  async readText({ sha256, size }: DigestedFile): Promise<string> {
    return new Response(await this.openContent(sha256, { start: 0, end: size })).text();
  }

  async #load(codeId: string): Promise<ServedEnvironment> {
    const bytes = await this.#blobs.get(`snapshots/${codeId}`);
    if (bytes === null) throw new StoreUnavailable(`blob snapshots/${codeId} is not there`);
    return ServedEnvironment.open(readSnapshot(bytes), codeId, this.#blobs);
  }
}

function readSnapshot(bytes: Uint8Array): Snapshot {
  return JSON.parse(new TextDecoder().decode(bytes));
}
