/**
 * Splits `a.b."c.d".1` into its segments. Segments that look like integers become bigints. Null
 * when the quotes don't match or a segment is missing. Follows
 * lib/puppet/pops/lookup/sub_lookup.rb.
 */
export function splitDottedKey(key: string): (string | bigint)[] | null {
  if (!/['".]/.test(key)) return [key];
  const segments = segmentsOf(key);
  const separated = segments.filter((segment) => segment !== '.');
  if (separated.length * 2 !== segments.length + 1 || segments.length === 0) return null;
  return separated.map(valueOfSegment);
}

const SEGMENT = /(\s*"[^"]+"\s*|\s*'[^']+'\s*|[^'".]+)/;

/**
 * Segments and the separators between them, without the empty text at the start; empty when the key
 * does not start with a segment.
 */
function segmentsOf(key: string): string[] {
  const parts = key.split(SEGMENT);
  while (parts.at(-1) === '') parts.pop();
  return parts[0] === '' ? parts.slice(1) : [];
}

function valueOfSegment(segment: string): string | bigint {
  const trimmed = segment.trim();
  if (/^["']/.test(trimmed)) return trimmed.slice(1, -1);
  if (/^[+-]?[0-9]+$/.test(trimmed)) return BigInt(trimmed.replace(/^\+/, ''));
  return /^:[+-]?[0-9]+$/.test(trimmed) ? 0n : trimmed;
}
