import { gunzipSync } from 'node:zlib';
import { BodyRefused, tooLargeBody } from './body-refused.ts';

/** JSON of catalogs and facts shrinks to a tenth, rarely to a fiftieth; zeros to a thousandth. */
const MOST_RATIO = 200;
/** A small body may shrink to less. */
const SMALL_BYTES = 1024 ** 2;

/** Decompresses a body of at most `limit` bytes. Throws BodyRefused. */
export function unzipBody(bytes: Uint8Array, limit: number): Buffer {
  const most = Math.min(limit, Math.max(SMALL_BYTES, MOST_RATIO * bytes.length));
  try {
    return gunzipSync(bytes, { maxOutputLength: most });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    if (code !== 'ERR_BUFFER_TOO_LARGE') {
      throw new BodyRefused('damaged', `The request body cannot be decompressed: ${code}`);
    }
    if (most === limit) throw tooLargeBody(limit);
    throw new BodyRefused('too-large', `The request body decompresses to more than ${MOST_RATIO} times its size`);
  }
}
