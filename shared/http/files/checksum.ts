import { createHash } from 'node:crypto';
import { digestOf } from '../../fleet/facts/checksum-types.ts';
import type { ByteRange } from '../../store/ports/blob-store.ts';
import { BoundedCache } from '../../util/bounded-cache.ts';

/** Size of the checksum cache: the files of a large environment, with two or three types. */
const MOST_REMEMBERED = 100_000;

/** A file identified by its digest. */
export interface DigestedFile {
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
}

/**
 * Computes checksums of deployed files. Each is computed once: content with a digest is immutable.
 */
export class Checksums {
  readonly #read: (sha256: string, range: ByteRange) => Promise<ReadableStream<Uint8Array>>;
  readonly #known = new BoundedCache<string>(MOST_REMEMBERED);

  constructor(read: (sha256: string, range: ByteRange) => Promise<ReadableStream<Uint8Array>>) {
    this.#read = read;
  }

  /**
   * The checksum in the form `{sha256}ab12…`. Only types other than `sha256` and times read the
   * bytes, once.
   */
  async compute(type: string, file: DigestedFile, changedAt: number): Promise<string> {
    if (type === 'none') return '{none}';
    if (type === 'mtime' || type === 'ctime') return `{${type}}${formatTimestamp(changedAt)}`;
    return `{${type}}${type === 'sha256' ? file.sha256 : await this.#digest(type, file)}`;
  }

  async #digest(type: string, file: DigestedFile): Promise<string> {
    const name = `${type} ${file.sha256}`;
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const digest = await this.#take(type, file);
    this.#known.set(name, digest);
    return digest;
  }

  async #take(type: string, { sha256, size }: DigestedFile): Promise<string> {
    const digest = digestOf(type);
    if (!digest) throw new Error(`invariant: ${type} is no digest`);
    const hash = createHash(digest.algorithm);
    const range = { start: 0, end: Math.min(size, digest.bytes) };
    for await (const chunk of await this.#read(sha256, range)) hash.update(chunk);
    return hash.digest('hex');
  }
}

/** `2026-11-20 22:12:50 +0000`, Ruby's Time#to_s. */
export function formatTimestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('T', ' ').replace(/\..*$/, ' +0000');
}
