import { AccessRefused } from '../../access/accounts/access-control.ts';
import { isJsonObject } from '../../util/json-object.ts';
import { BODIES } from '../body/body-kinds.ts';
import type { HttpContext } from '../endpoint.ts';
import { isNotJson, readJsonValue } from './request-body.ts';

/** A member of a JSON body. */
interface JsonField<T> {
  /** The expected type, for error messages. */
  readonly schema: string;
  readonly isOptional: boolean;
  readonly accepts: (value: unknown) => value is T;
}

type JsonFields = Readonly<Record<string, JsonField<unknown>>>;
type ReadFields<F extends JsonFields> = { readonly [K in keyof F]: F[K] extends JsonField<infer T> ? T : never };

function field<T>(schema: string, accepts: (value: unknown) => value is T): JsonField<T> {
  return { schema, isOptional: false, accepts };
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isWhole = (value: unknown): value is number => Number.isSafeInteger(value);

/** The kinds of members. */
export const FIELD = {
  text: field('string', isText),
  flag: field('boolean', (value): value is boolean => typeof value === 'boolean'),
  texts: field('array of strings', (value): value is readonly string[] => Array.isArray(value) && value.every(isText)),
  integers: field(
    'array of integers',
    (value): value is readonly number[] => Array.isArray(value) && value.every(isWhole),
  ),
  integer: field('integer', isWhole),
  objects: field(
    'array of objects',
    (value): value is readonly Readonly<Record<string, unknown>>[] =>
      Array.isArray(value) && value.every((one) => typeof one === 'object' && one !== null && !Array.isArray(one)),
  ),
} as const;

/** The member may be absent. */
export function optionalField<T>({ schema, accepts }: JsonField<T>): JsonField<T | undefined> {
  return {
    schema: `${schema}, optional`,
    isOptional: true,
    accepts: (value): value is T | undefined => value === undefined || accepts(value),
  };
}

/** The member may be null. */
export function nullableField<T>({ schema, isOptional, accepts }: JsonField<T>): JsonField<T | null> {
  return {
    schema: `${schema} or null`,
    isOptional,
    accepts: (value): value is T | null => value === null || accepts(value),
  };
}

/** Members that an error must not repeat. */
const SECRETS = new Set(['password', 'token', 'revoke_tokens']);
/** Levels of nesting that an error repeats. */
const MOST_SHOWN = 4;

/**
 * Reads the body of a request, with exactly these members. Rejects with AccessRefused
 * `malformed-request` or `schema-violation`. An empty body is an empty object if no member is
 * required.
 */
export async function readJsonFields<F extends JsonFields>(context: HttpContext, fields: F): Promise<ReadFields<F>> {
  return checkJsonFields(await readRequestObject(context), fields);
}

/**
 * Reads the body of a request as a JSON object; an empty one is an empty object. Rejects with
 * AccessRefused `malformed-request` or `schema-violation`.
 */
export async function readRequestObject(context: HttpContext): Promise<Readonly<Record<string, unknown>>> {
  const parsed = await readJsonValue(context, BODIES.command, true).catch((error: unknown) => {
    if (!isNotJson(error)) throw error;
    const reason = error.json.reason.replace(/, ".*/s, '');
    throw new AccessRefused('malformed-request', 'The body is not JSON', { error: reason });
  });
  if (parsed === undefined) return {};
  if (isJsonObject(parsed)) return parsed;
  throw new AccessRefused('schema-violation', 'The body must be a JSON object');
}

/** Like `readJsonFields`, for a value inside of a body. */
export function checkJsonFields<F extends JsonFields>(value: unknown, fields: F): ReadFields<F> {
  const fault = describeFault(value, fields);
  if (fault === null) return value as ReadFields<F>;
  const schema = Object.fromEntries(Object.entries(fields).map(([name, one]) => [name, one.schema]));
  throw new AccessRefused('schema-violation', fault, { submitted: hideSecrets(value), schema, error: fault });
}

function describeFault(value: unknown, fields: JsonFields): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'It must be a JSON object';
  const members = new Map<string, unknown>(Object.entries(value));
  const unknown = [...members.keys()].filter((name) => !Object.hasOwn(fields, name));
  if (unknown.length > 0) return `Unknown keys: ${unknown.join(', ')}`;
  for (const [name, { schema, isOptional, accepts }] of Object.entries(fields)) {
    if (!members.has(name) && !isOptional) return `The key '${name}' is missing`;
    if (!accepts(members.get(name))) return `The key '${name}' must be: ${schema}`;
  }
  return null;
}

/** Returns the part of a body that an error repeats: no secrets, no deep nesting. */
function hideSecrets(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MOST_SHOWN) return '[nested]';
  if (Array.isArray(value)) return value.map((item) => hideSecrets(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      SECRETS.has(name) ? '[redacted]' : hideSecrets(member, depth + 1),
    ]),
  );
}
