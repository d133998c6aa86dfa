import { BodyRefused } from './body-refused.ts';

/** Jetty's default (maxFormKeys). */
const MOST_PARAMETERS = 1000;
/**
 * `URLSearchParams` takes four times as long for a long value as `decodeURIComponent`: 150 ms for
 * 14 MB.
 */
const LONG_VALUE = 64 * 1024;

/**
 * Reads a form: the first value of each name. The values of `encodedTwice` are decoded once more,
 * and null where they cannot be.
 */
export function readForm(body: Uint8Array, encodedTwice: readonly string[]): ReadonlyMap<string, string | null> {
  const text = new TextDecoder().decode(body);
  const parts = text.split('&', MOST_PARAMETERS + 1);
  if (parts.length > MOST_PARAMETERS) {
    throw new BodyRefused('malformed', `The form has more than ${MOST_PARAMETERS} parameters`);
  }
  const form = new Map<string, string | null>();
  for (const part of parts) {
    const long = part.length > LONG_VALUE ? readLong(part) : null;
    for (const [name, value] of long === null ? new URLSearchParams(part) : [long]) {
      if (!form.has(name)) form.set(name, encodedTwice.includes(name) ? decodeForm(value) : value);
    }
  }
  return form;
}

/** Null for a part that only the slow way reads: one with an invalid encoding. */
function readLong(part: string): readonly [string, string] | null {
  const at = part.indexOf('=');
  const [name, value] = at < 0 ? [null, null] : [decodeForm(part.slice(0, at)), decodeForm(part.slice(at + 1))];
  return name === null || value === null ? null : [name, value];
}

/** Decodes a part of a form; null for one with an invalid encoding. */
export function decodeForm(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
}
