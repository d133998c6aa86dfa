import { readTime, writeTime } from '../query/timestamps.ts';
import { cleanText, isWireMap, type WireMap } from './wire-json.ts';

/** A command's payload is not what its version asks for; it is never stored. */
export class InvalidPayload extends Error {
  override readonly name = 'InvalidPayload';
}

/** The object at the top of a payload. */
export function requireMap(value: unknown, what: string): WireMap {
  if (isWireMap(value)) return value;
  throw new InvalidPayload(`${what} must be a map`);
}

/** The list of a member. */
export function requireList(map: WireMap, key: string): readonly unknown[] {
  const value = map[key];
  if (Array.isArray(value)) return value;
  throw new InvalidPayload(`'${key}' must be an array`);
}

/** The text of a member. */
export function requireText(map: WireMap, key: string): string {
  const text = optionalText(map, key);
  if (text === null) throw new InvalidPayload(`'${key}' must be a string`);
  return text;
}

/** The text of a member; null where it is null or missing. */
export function optionalText(map: WireMap, key: string): string | null {
  const value = map[key] ?? null;
  if (value === null) return null;
  if (typeof value === 'string') return cleanText(value);
  throw new InvalidPayload(`'${key}' must be a string or null`);
}

/** The whole number of a member; null where it is null or missing. */
export function optionalInteger(map: WireMap, key: string): number | null {
  const value = map[key] ?? null;
  if (value === null || Number.isSafeInteger(value)) return value as number | null;
  throw new InvalidPayload(`'${key}' must be a whole number or null`);
}

/** The boolean of a member; null where it is null or missing. */
export function optionalBoolean(map: WireMap, key: string): boolean | null {
  const value = map[key] ?? null;
  if (value === null || typeof value === 'boolean') return value;
  throw new InvalidPayload(`'${key}' must be a boolean or null`);
}

const UUID = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;

/** The uuid of a member; null where it is null or missing. */
export function optionalUuid(map: WireMap, key: string): string | null {
  const value = optionalText(map, key);
  if (value === null || UUID.test(value)) return value;
  throw new InvalidPayload(`'${key}' must be a uuid or null`);
}

/** The time of a member, as PostgreSQL reads it. */
export function requireWireTime(map: WireMap, key: string): string {
  const value = map[key];
  const time = typeof value === 'string' || typeof value === 'number' ? readTime(value) : null;
  if (time === null) throw new InvalidPayload(`'${key}' must be a time`);
  return writeTime(time);
}

/** The texts of a list. */
export function requireTexts(values: readonly unknown[], what: string): readonly string[] {
  return values.map((value) => {
    if (typeof value === 'string') return cleanText(value);
    throw new InvalidPayload(`${what} must be an array of strings`);
  });
}
