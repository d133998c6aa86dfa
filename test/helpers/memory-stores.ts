import { isDeepStrictEqual } from 'node:util';
import type { BlobStore, BlobStream, ByteRange } from '../../shared/store/ports/blob-store.ts';
import type { Clock } from '../../shared/store/ports/clock.ts';
import type { DocumentStore, StoredDocument } from '../../shared/store/ports/document-store.ts';
import type { EnvironmentRecord, EnvironmentStore } from '../../shared/store/ports/environment-store.ts';

/** A clock that the test moves. */
export class ManualClock implements Clock {
  time: number;

  constructor(time = Date.UTC(2026, 10, 21)) {
    this.time = time;
  }

  now(): number {
    return this.time;
  }

  async sleep(milliseconds: number): Promise<void> {
    this.time += milliseconds;
  }

  random(): number {
    return 0.5;
  }
}

export class MemoryDocuments implements DocumentStore {
  readonly #documents = new Map<string, StoredDocument>();

  /** A store that begins with what is in this one. */
  copy(): MemoryDocuments {
    const copy = new MemoryDocuments();
    for (const [key, document] of this.#documents) copy.#documents.set(key, document);
    return copy;
  }

  /** Makes it what `copy` gave. */
  restore(copy: MemoryDocuments): void {
    this.#documents.clear();
    for (const [key, document] of copy.#documents) this.#documents.set(key, document);
  }

  async put(collection: string, key: string, document: StoredDocument): Promise<void> {
    this.#documents.set(`${collection} ${key}`, structuredClone(document));
  }

  async count(collection: string, key: string, document: StoredDocument): Promise<void> {
    const before = await this.get(collection, key);
    await this.put(collection, key, { ...document, count: Number(before?.count ?? 0) + 1 });
  }

  async create(collection: string, key: string, document: StoredDocument): Promise<boolean> {
    if (this.#documents.has(`${collection} ${key}`)) return false;
    await this.put(collection, key, document);
    return true;
  }

  async replace(collection: string, key: string, expected: StoredDocument, document: StoredDocument): Promise<boolean> {
    const stored = this.#documents.get(`${collection} ${key}`);
    if (!isDeepStrictEqual(stored, expected)) return false;
    await this.put(collection, key, document);
    return true;
  }

  async get(collection: string, key: string): Promise<StoredDocument | null> {
    return this.#documents.get(`${collection} ${key}`) ?? null;
  }

  async list(collection: string, prefix: string, limit: number, after = '') {
    return [...this.#documents]
      .filter(([key]) => key.startsWith(`${collection} ${prefix}`))
      .map(([key, document]) => ({ key: key.slice(collection.length + 1), document }))
      .filter(({ key }) => key > after)
      .sort((a, b) => (a.key < b.key ? -1 : 1))
      .slice(0, limit);
  }

  async countKeys(collection: string, most: number): Promise<number> {
    return (await this.list(collection, '', most)).length;
  }

  async delete(collection: string, key: string): Promise<void> {
    this.#documents.delete(`${collection} ${key}`);
  }

  async remove(collection: string, key: string, expected: StoredDocument): Promise<boolean> {
    if (!isDeepStrictEqual(this.#documents.get(`${collection} ${key}`), expected)) return false;
    return this.#documents.delete(`${collection} ${key}`);
  }
}

export class MemoryBlobs implements BlobStore {
  readonly blobs = new Map<string, Uint8Array>();
  readonly #putAt = new Map<string, number>();
  readonly #clock: Pick<Clock, 'now'>;

  constructor(clock: Pick<Clock, 'now'> = { now: () => 0 }) {
    this.#clock = clock;
  }

  /** A store that begins with what is in this one. */
  copy(): MemoryBlobs {
    const copy = new MemoryBlobs(this.#clock);
    for (const [key, bytes] of this.blobs) copy.blobs.set(key, bytes);
    for (const [key, at] of this.#putAt) copy.#putAt.set(key, at);
    return copy;
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    this.blobs.set(key, bytes);
    this.#putAt.set(key, this.#clock.now());
  }

  async putIfAbsent(key: string, bytes: Uint8Array): Promise<void> {
    if (!this.blobs.has(key)) await this.put(key, bytes);
  }

  async get(key: string): Promise<Uint8Array | null> {
    return this.blobs.get(key) ?? null;
  }

  async stream(key: string, range?: ByteRange): Promise<BlobStream | null> {
    const bytes = await this.get(key);
    if (bytes === null) return null;
    const part = new Uint8Array(bytes.subarray(range?.start, range?.end));
    return { size: bytes.length, body: new Blob([part]).stream() };
  }

  async has(key: string): Promise<boolean> {
    return this.blobs.has(key);
  }

  async delete(key: string): Promise<void> {
    this.blobs.delete(key);
  }

  async list(prefix: string) {
    const keys = [...this.blobs].filter(([key]) => (prefix.endsWith('/') ? key.startsWith(prefix) : key === prefix));
    return {
      entries: keys.map(([key, bytes]) => ({ key, size: bytes.length, putAt: this.#putAt.get(key) ?? 0 })),
      next: null,
    };
  }
}

export class MemoryEnvironments implements EnvironmentStore {
  readonly #records = new Map<string, EnvironmentRecord>();

  /** Makes it what `list` gave. */
  restore(records: readonly EnvironmentRecord[]): void {
    this.#records.clear();
    for (const record of records) this.#records.set(record.name, record);
  }

  async get(name: string): Promise<EnvironmentRecord | null> {
    return this.#records.get(name) ?? null;
  }

  async list(): Promise<readonly EnvironmentRecord[]> {
    return [...this.#records.values()];
  }

  async replace(record: EnvironmentRecord, expected: number | null): Promise<boolean> {
    if ((this.#records.get(record.name)?.revision ?? null) !== expected) return false;
    this.#records.set(record.name, record);
    return true;
  }

  async settle(name: string, revision: number): Promise<void> {
    const record = this.#records.get(name);
    if (record?.revision === revision) this.#records.set(name, { ...record, settled: revision });
  }

  async delete(name: string): Promise<void> {
    this.#records.delete(name);
  }
}
