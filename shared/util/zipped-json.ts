import { gunzipSync } from 'node:zlib';

const OPENING_BRACE = 0x7b;

/**
 * Reads JSON, gzipped or plain. Null for damaged bytes: gzip has a checksum
 * of the content, and plain JSON that is cut short is none.
 */
export function readZippedJson(bytes: Uint8Array): unknown {
  try {
    const text = bytes[0] === OPENING_BRACE ? Buffer.from(bytes) : gunzipSync(bytes);
    return JSON.parse(text.toString('utf8'));
  } catch (error) {
    const isDamaged = error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
    if (isDamaged || error instanceof SyntaxError) return null;
    throw error;
  }
}
