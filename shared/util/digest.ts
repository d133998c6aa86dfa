import { createHash, hash, webcrypto } from 'node:crypto';
import { runInSteps, type WorkSteps } from './in-steps.ts';

/** Returns the sha256 of bytes or of UTF-8 text, in lower-case hexadecimal. */
export function digestSha256(data: Uint8Array | string): string {
  return hash('sha256', data, 'hex');
}

/** More bytes are digested in another thread, more characters in steps. */
const LARGE = 256 * 1024;
const CHARACTERS_IN_STEP = 64 * 1024;

/** Does the same for data of any size: it leaves the event loop free. */
export async function digestLarge(data: Uint8Array<ArrayBuffer> | string): Promise<string> {
  if (data.length <= LARGE) return digestSha256(data);
  if (typeof data === 'string') return runInSteps(digestInSteps(data));
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', data)).toString('hex');
}

/** A copy of all bytes for another thread would take longer than their digest. */
function* digestInSteps(text: string): WorkSteps<string> {
  const digest = createHash('sha256');
  for (let at = 0; at < text.length; yield) {
    const end = at + CHARACTERS_IN_STEP;
    // The halves of a surrogate pair stay together.
    const next = (text.codePointAt(end - 1) ?? 0) > 0xffff ? end + 1 : end;
    digest.update(text.slice(at, next));
    at = next;
  }
  return digest.digest('hex');
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
