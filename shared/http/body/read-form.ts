import { BodyRefused } from './body-kinds.ts';
import { checkFacts } from './check-facts.ts';

/** Jetty's default (maxFormKeys). */
const MOST_PARAMETERS = 1000;
/**
 * `URLSearchParams` takes four times as long for a long value as `decodeURIComponent`: 150 ms for
 * 14 MB.
 */
const LONG_VALUE = 64 * 1024;

/** A form has printable characters of ASCII, and no blanks. */
const UNENCODED = /[^!-~]/;

/** The form of a catalog request by name. */
export type CatalogForm = ReadonlyMap<string, string | null>;

/** The parameter that is URL-encoded once more than the form itself. */
const FACTS = 'facts';

/**
 * Reads the form of a catalog request: the first value of each name. The facts are decoded once
 * more, null where they cannot be, and checked: see `checkFacts`. Throws BodyRefused.
 */
export function readForm(body: Uint8Array): CatalogForm {
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1');
  if (UNENCODED.test(text)) throw new BodyRefused('malformed', 'The form is not URL-encoded');
  const parts = text.split('&', MOST_PARAMETERS + 1);
  if (parts.length > MOST_PARAMETERS) {
    throw new BodyRefused('malformed', `The form has more than ${MOST_PARAMETERS} parameters`);
  }
  const form = new Map<string, string | null>();
  for (const part of parts) {
    const long = part.length > LONG_VALUE ? readLong(part) : null;
    for (const [name, value] of long === null ? new URLSearchParams(part) : [long]) {
      if (!form.has(name)) form.set(name, name === FACTS ? readFacts(value) : value);
    }
  }
  return form;
}

function readFacts(encoded: string): string | null {
  const text = decodeForm(encoded);
  return text === null ? null : checkFacts(text);
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
