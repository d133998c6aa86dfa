import { createHash } from 'node:crypto';
import type { Language } from '../../puppet/levels/language.ts';
import type { ByteRange } from '../../store/ports/blob-store.ts';
import { BoundedCache } from '../../util/bounded-cache.ts';

interface Digest {
  readonly algorithm: string;
  /** Whether only the first bytes are hashed. */
  readonly isLite: boolean;
}

const ALGORITHMS = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'];
const LITE_ALGORITHMS = ['md5', 'sha1', 'sha256'];
const ETAG = 'etag';
/** Checksum types by Puppet's name. */
const DIGESTS = new Map<string, Digest>([
  ...ALGORITHMS.map((algorithm): [string, Digest] => [algorithm, { algorithm, isLite: false }]),
  ...LITE_ALGORITHMS.map((algorithm): [string, Digest] => [`${algorithm}lite`, { algorithm, isLite: true }]),
  // OpenVox: only for sources on HTTP it is another one (etag_file).
  [ETAG, { algorithm: 'md5', isLite: false }],
]);
const OTHERS = new Set(['mtime', 'ctime', 'none']);
/** Number of bytes that `lite` types hash. */
const LITE_BYTES = 512;
/** Size of the checksum cache: the files of a large environment, with two or three types. */
const MOST_REMEMBERED = 100_000;

/** Whether a server of this level knows the checksum type: lib/puppet/util/checksums.rb. */
export function isChecksumType(type: string, { etagChecksums }: Language): boolean {
  return type === ETAG ? etagChecksums : DIGESTS.has(type) || OTHERS.has(type);
}

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
    const kind = DIGESTS.get(type);
    if (!kind) throw new Error(`invariant: ${type} is no kind of checksum`);
    const end = kind.isLite ? Math.min(size, LITE_BYTES) : size;
    const hash = createHash(kind.algorithm);
    for await (const chunk of await this.#read(sha256, { start: 0, end })) hash.update(chunk);
    return hash.digest('hex');
  }
}

/** `2026-11-20 22:12:50 +0000`, Ruby's Time#to_s. */
export function formatTimestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('T', ' ').replace(/\..*$/, ' +0000');
}
