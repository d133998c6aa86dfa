import { hash } from 'node:crypto';

/** Returns the sha256 of bytes or of UTF-8 text, in lower-case hexadecimal. */
export function digestSha256(data: Uint8Array | string): string {
  return hash('sha256', data, 'hex');
}

/** Prints plain data as JSON with sorted keys and no white space: equal data give equal text. */
export function canonicalJson(data: unknown): string {
  if (Array.isArray(data)) return `[${data.map(canonicalJson).join(',')}]`;
  if (typeof data !== 'object' || data === null) return JSON.stringify(data) ?? 'null';
  const members = Object.entries(data)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, value]) => `${JSON.stringify(key)}:${canonicalJson(value)}`).join(',')}}`;
}
