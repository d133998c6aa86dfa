import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { BlobEntry, BlobPage, BlobStore, BlobStream, ByteRange } from '../ports/blob-store.ts';
import { callSdk, isError } from './errors.ts';

/** Stores blobs as objects of one S3 bucket. */
export class AwsBlobStore implements BlobStore {
  readonly #client: S3Client;
  readonly #bucket: string;

  constructor(client: S3Client, bucket: string) {
    this.#client = client;
    this.#bucket = bucket;
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    const command = new PutObjectCommand({ Bucket: this.#bucket, Key: key, Body: bytes });
    await this.#guard(() => this.#client.send(command));
  }

  async putIfAbsent(key: string, bytes: Uint8Array): Promise<void> {
    if (!(await this.has(key))) await this.put(key, bytes);
  }

  async get(key: string): Promise<Uint8Array | null> {
    return this.#guard(async () => {
      const object = await this.#getObject(key);
      return object?.Body ? await object.Body.transformToByteArray() : null;
    });
  }

  async stream(key: string, range?: ByteRange): Promise<BlobStream | null> {
    return this.#guard(async () => {
      const object = await this.#getObject(key, range && `bytes=${range.start}-${range.end - 1}`);
      if (!object?.Body) return null;
      const size = Number(object.ContentRange?.split('/')[1] ?? object.ContentLength ?? 0);
      return { size, body: this.#translateErrors(object.Body.transformToWebStream()) };
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

  #translateErrors(source: ReadableStream): ReadableStream<Uint8Array<ArrayBuffer>> {
    const reader = source.getReader();
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>) => {
      const { done, value } = await this.#guard(() => reader.read());
      if (done) controller.close();
      else controller.enqueue(value);
    };
    return new ReadableStream({ pull, cancel: (reason) => reader.cancel(reason) }, { highWaterMark: 0 });
  }

  async has(key: string): Promise<boolean> {
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
