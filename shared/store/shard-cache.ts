import type { ExportedResource } from '../puppet/catalog/exported.ts';

interface CachedShard {
  readonly version: string;
  readonly resources: readonly ExportedResource[];
  /** Bytes of their JSON; objects take about three times as much memory. */
  readonly bytes: number;
}

const MOST_BYTES = 32 * 1024 * 1024;
/** Bytes of an entry without resources. */
const LEAST_BYTES = 500;

/** An LRU cache of the exports in a shard, bounded by the bytes of their JSON. */
export class ShardCache {
  static readonly MOST_BYTES_A_SHARD = MOST_BYTES / 16;
  readonly #entries = new Map<string, CachedShard>();
  #bytes = 0;

  /** Returns the exports that were read in this version of the shard; null when unknown. */
  get(id: string, version: string): readonly ExportedResource[] | null {
    const entry = this.#entries.get(id);
    if (entry?.version !== version) return null;
    this.#entries.delete(id);
    this.#entries.set(id, entry);
    return entry.resources;
  }

  set(id: string, entry: CachedShard): void {
    this.#drop(id);
    this.#entries.set(id, entry);
    this.#bytes += entry.bytes + LEAST_BYTES;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= MOST_BYTES) break;
      this.#drop(oldest);
    }
  }

  #drop(id: string): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    this.#bytes -= entry.bytes + LEAST_BYTES;
    this.#entries.delete(id);
  }
}
