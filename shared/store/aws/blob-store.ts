import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { BlobStore } from '../ports.ts';
import { guarded, isError } from './errors.ts';

/** Blobs as objects of one bucket. */
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
      try {
        const { Body } = await this.#client.send(new GetObjectCommand({ Bucket: this.#bucket, Key: key }));
        return Body ? await Body.transformToByteArray() : null;
      } catch (error) {
        if (isError(error, 'NoSuchKey')) return null;
        throw error;
      }
    });
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

  #guard<T>(call: () => Promise<T>): Promise<T> {
    return guarded(`bucket ${this.#bucket}`, call);
  }
}
