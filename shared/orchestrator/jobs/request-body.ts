import { isJsonObject } from '../../util/json-object.ts';
import { OrchestratorError } from './orchestrator-error.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** Type of a key of a request. */
export type BodyType = 'string' | 'boolean' | 'integer' | 'object' | 'list' | 'strings' | 'any';

const NAMES: Readonly<Record<BodyType, string>> = {
  string: 'a string',
  boolean: 'a boolean',
  integer: 'an integer',
  object: 'an object',
  list: 'a list',
  strings: 'a list of strings',
  any: 'anything',
};

/** Makes the error for a request that is not as documented. */
export function invalidRequest(message: string, details: JsonObject = {}): OrchestratorError {
  return new OrchestratorError('validation-error', message, details);
}

/**
 * Checks the types of a body's keys. A null counts as absent. Throws OrchestratorError for a wrong
 * type and for an unknown key.
 */
export function checkBody(
  body: JsonObject,
  types: Readonly<Record<string, BodyType>>,
  required: readonly string[],
): JsonObject {
  for (const [key, value] of Object.entries(body)) {
    const type = types[key];
    if (type === undefined) throw invalidRequest(`${key} is not a known key`, { [key]: value });
    if (value === null || fits(value, type)) continue;
    throw invalidRequest(`${key} must be ${NAMES[type]}`, { [key]: value });
  }
  for (const key of required) {
    if (body[key] === undefined || body[key] === null) throw invalidRequest(`${key} is required`);
  }
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

function fits(value: unknown, type: BodyType): boolean {
  switch (type) {
    case 'integer':
      return Number.isSafeInteger(value);
    case 'object':
      return isJsonObject(value);
    case 'list':
      return Array.isArray(value);
    case 'strings':
      return isStringList(value);
    case 'any':
      return true;
    default:
      return typeof value === type;
  }
}

function isStringList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

/** A text of a checked body; the default when it is absent. */
export function textOf(body: JsonObject, key: string, otherwise = ''): string {
  const value = body[key];
  return typeof value === 'string' ? value : otherwise;
}

/** Whether a key of a checked body is true. */
export function isSet(body: JsonObject, key: string): boolean {
  return body[key] === true;
}

/** A number of a checked body; null when it is absent. */
export function numberOf(body: JsonObject, key: string): number | null {
  const value = body[key];
  return typeof value === 'number' ? value : null;
}

/** An object of a checked body; empty when it is absent. */
export function objectOf(body: JsonObject, key: string): JsonObject {
  const value = body[key];
  return isJsonObject(value) ? value : {};
}

/** A list of strings of a checked body; empty when it is absent. */
export function stringsOf(body: JsonObject, key: string): readonly string[] {
  const value = body[key];
  return isStringList(value) ? value : [];
}
