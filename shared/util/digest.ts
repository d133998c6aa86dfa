import { hash, webcrypto } from 'node:crypto';

/** Returns the sha256 of bytes or of UTF-8 text, in lower-case hexadecimal. */
export function digestSha256(data: Uint8Array | string): string {
  return hash('sha256', data, 'hex');
}

/** More bytes or characters are digested in another thread. Few take longer to get there. */
const LARGE = 256 * 1024;

/** Does the same for data of any size: it leaves the event loop free. */
export async function digestLarge(data: Uint8Array<ArrayBuffer> | string): Promise<string> {
  if (data.length <= LARGE) return digestSha256(data);
  const bytes = typeof data === 'string' ? Buffer.from(data) : data;
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes)).toString('hex');
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
