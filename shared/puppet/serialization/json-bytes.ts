import { isUtf8 } from 'node:buffer';

/** The error of Ruby's JSON (2.6) for the first byte that is not valid UTF-8. */
export function jsonProblem(bytes: Uint8Array): string {
  for (let index = 0; index < bytes.length; ) {
    const leading = bytes[index] ?? 0;
    const width =
      leading < 0xc0 ? 1 : leading < 0xe0 ? 2 : leading < 0xf0 ? 3 : leading < 0xf8 ? 4 : leading < 0xfc ? 5 : 6;
    if (index + width > bytes.length) return 'partial character in source, but hit end';
    if (width > 4 || !isUtf8(bytes.subarray(index, index + width))) return MALFORMED;
    index += width;
  }
  return MALFORMED;
}

const MALFORMED = 'source sequence is illegal/malformed utf-8';
