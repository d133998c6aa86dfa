import { crc32 } from 'node:zlib';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { BlobEntry, BlobPage, BlobStore, BlobStream, ByteRange } from '../ports/blob-store.ts';
import { StoreUnavailable } from '../ports/store-errors.ts';
import { callSdk, isError } from './errors.ts';

/** The metadata of an object with the checksum of its key and content; older ones have none. */
const SUM = 'sum';

/**
 * Stores blobs as objects of one S3 bucket. A damaged one counts as absent for this process, and is
 * logged. A range of one is not checked, because that would read all of it.
 */
export class AwsBlobStore implements BlobStore {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #damaged = new Set<string>();

  constructor(client: S3Client, bucket: string) {
    this.#client = client;
    this.#bucket = bucket;
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    const Metadata = { [SUM]: printSum(crc32(bytes, crc32(key))) };
    const command = new PutObjectCommand({ Bucket: this.#bucket, Key: key, Body: bytes, Metadata });
    await this.#guard(() => this.#client.send(command));
    this.#damaged.delete(key);
  }

  async putIfAbsent(key: string, bytes: Uint8Array): Promise<void> {
    if (!(await this.has(key))) await this.put(key, bytes);
  }

  async get(key: string): Promise<Uint8Array | null> {
    return this.#guard(async () => {
      const object = await this.#getObject(key);
      if (!object?.Body) return null;
      const bytes = await object.Body.transformToByteArray();
      const sum = object.Metadata?.[SUM];
      if (sum === undefined || sum === printSum(crc32(bytes, crc32(key)))) return bytes;
      this.#noteDamage(key);
      return null;
    });
  }

  /** A whole blob's stream fails in place of ending when its content is damaged. */
  async stream(key: string, range?: ByteRange): Promise<BlobStream | null> {
    return this.#guard(async () => {
      const object = await this.#getObject(key, range && `bytes=${range.start}-${range.end - 1}`);
      if (!object?.Body) return null;
      const size = Number(object.ContentRange?.split('/')[1] ?? object.ContentLength ?? 0);
      const sum = range === undefined ? object.Metadata?.[SUM] : undefined;
      return { size, body: this.#checkStream(key, sum, object.Body.transformToWebStream()) };
    });
  }

  async #getObject(key: string, range?: string) {
    try {
      return await this.#client.send(new GetObjectCommand({ Bucket: this.#bucket, Key: key, Range: range }));
    } catch (error) {
      if (isError(error, 'NoSuchKey')) return null;
      throw error;
    }
  }

  #checkStream(
    key: string,
    expected: string | undefined,
    source: ReadableStream,
  ): ReadableStream<Uint8Array<ArrayBuffer>> {
    const reader = source.getReader();
    let sum = crc32(key);
    const readNext = async () => {
      const next = await reader.read();
      if (!next.done) sum = crc32(next.value, sum);
      else if (expected !== undefined && expected !== printSum(sum)) {
        this.#noteDamage(key);
        throw new StoreUnavailable(`blob ${key} is damaged`);
      }
      return next;
    };
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>) => {
      const { done, value } = await this.#guard(readNext);
      if (done) controller.close();
      else controller.enqueue(value);
    };
    return new ReadableStream({ pull, cancel: (reason) => reader.cancel(reason) }, { highWaterMark: 0 });
  }

  #noteDamage(key: string): void {
    this.#damaged.add(key);
    console.warn(`Blob ${key} is damaged and counts as missing: its checksum is that of other content`);
  }

  async has(key: string): Promise<boolean> {
    if (this.#damaged.has(key)) return false;
    return this.#guard(async () => {
      try {
        await this.#client.send(new HeadObjectCommand({ Bucket: this.#bucket, Key: key }));
        return true;
      } catch (error) {
        if (isError(error, 'NotFound', 'NoSuchKey')) return false;
        throw error;
      }
    });
  }

  async delete(key: string): Promise<void> {
    await this.#guard(() => this.#client.send(new DeleteObjectCommand({ Bucket: this.#bucket, Key: key })));
  }

  async list(prefix: string, after?: string): Promise<BlobPage> {
    const command = new ListObjectsV2Command({ Bucket: this.#bucket, Prefix: prefix, ContinuationToken: after });
    const { Contents = [], NextContinuationToken: next } = await this.#guard(() => this.#client.send(command));
    const entries = Contents.flatMap(({ Key: key, Size: size = 0, LastModified: at }): readonly BlobEntry[] => {
      const isAsked = key !== undefined && (prefix.endsWith('/') || key === prefix);
      return isAsked ? [{ key, size, putAt: at?.getTime() ?? 0 }] : [];
    });
    return { entries, next: next ?? null };
  }

  #guard<T>(call: () => Promise<T>): Promise<T> {
    return callSdk(`bucket ${this.#bucket}`, call);
  }
}

function printSum(sum: number): string {
  return sum.toString(16).padStart(8, '0');
}
