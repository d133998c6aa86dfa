import { createHash } from 'node:crypto';
import { serverError } from '../answers.ts';

/** What a checksum is taken of. */
export interface ChecksumSource {
  readonly sha256: string;
  /** When it was deployed, in milliseconds. */
  readonly changedAt: number;
  bytes(): Promise<Uint8Array>;
}

/** The bytes that the `lite` kinds look at. */
const LITE_BYTES = 512;
const DIGESTS = /^(md5|sha1|sha224|sha256|sha384|sha512)(lite)?$/;

/**
 * `{sha256}ab12…` and the like, as lib/puppet/util/checksums.rb. Only kinds other than `sha256` need the bytes.
 * Refuses a kind that Puppet does not know.
 */
export async function checksum(kind: string, source: ChecksumSource): Promise<string> {
  return `{${kind}}${await checksumValue(kind, source)}`;
}

async function checksumValue(kind: string, source: ChecksumSource): Promise<string> {
  if (kind === 'sha256') return source.sha256;
  if (kind === 'none') return '';
  if (kind === 'mtime' || kind === 'ctime') return timestamp(source.changedAt);
  const [, algorithm, lite] = DIGESTS.exec(kind) ?? [];
  if (algorithm === undefined) throw serverError(`Unsupported checksum type ${kind}`);
  const bytes = await source.bytes();
  return createHash(algorithm)
    .update(lite === undefined ? bytes : bytes.subarray(0, LITE_BYTES))
    .digest('hex');
}

/** `2026-11-20 22:12:50 +0000`, Ruby's Time#to_s. */
export function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('T', ' ').replace(/\..*$/, ' +0000');
}
