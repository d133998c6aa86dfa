import { isJsonObject } from '../../util/json-object.ts';

/** The text in place of a sensitive value. */
export const HIDDEN = '[redacted]';

/**
 * A value of a catalog's JSON with a word in place of each sensitive value within it. Rich data
 * writes one as a hash with the type `Sensitive`.
 */
export function hideSensitiveValues(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hideSensitiveValues);
  if (!isJsonObject(value)) return value;
  if (value.__ptype === 'Sensitive') return HIDDEN;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, hideSensitiveValues(member)]));
}
