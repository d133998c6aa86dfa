import type { ByteRange } from '../../store/ports/blob-store.ts';

/**
 * Parses a `Range` header for `size` bytes. Null means the whole: without a header, for an invalid
 * one, and for several ranges, which a server may answer in full (RFC 9110, 14.2). `unsatisfiable`
 * when the range is outside.
 */
export function readByteRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | null {
  const [, first = '', last = ''] = /^\s*bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(header ?? '') ?? [];
  if (first === '' && last === '') return null;
  if (first === '') return lastBytes(Number(last), size);
  const start = Number(first);
  if (last !== '' && Number(last) < start) return null;
  if (start >= size) return 'unsatisfiable';
  return { start, end: last === '' ? size : Math.min(Number(last) + 1, size) };
}

function lastBytes(count: number, size: number): ByteRange | 'unsatisfiable' {
  if (count === 0 || size === 0) return 'unsatisfiable';
  return { start: Math.max(0, size - count), end: size };
}
