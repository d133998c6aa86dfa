import { isJsonObject } from '../../util/json-object.ts';
import { BODIES, type BodyKind } from '../body/body-kinds.ts';
import { BodyRefused, type JsonFault } from '../body/body-refused.ts';
import { readBody } from '../body/read-body.ts';
import type { HttpContext } from '../endpoint.ts';
import { createUnsupportedMediaTypeError, jsonRefusal } from './answers.ts';

/** Reads the body as text; what is not UTF-8 is replaced. */
export function readTextBody(context: HttpContext, kind: BodyKind): Promise<string> {
  return readBody(context, kind, 'decode', null);
}

/** Reads the body as JSON; undefined for an empty one that may be. Throws BodyRefused. */
export async function readJsonValue(context: HttpContext, kind: BodyKind, mayBeEmpty = false): Promise<unknown> {
  const { depth, values } = kind;
  const text = await readBody(context, kind, 'checkJson', { depth, values, mayBeEmpty });
  return text === '' ? undefined : JSON.parse(text);
}

/** Whether a body was refused because it is not JSON. */
export function isNotJson(error: unknown): error is BodyRefused & { readonly json: JsonFault } {
  return error instanceof BodyRefused && error.json !== null;
}

/** Reads the body as a JSON object; refuses anything else with `kind`. */
export async function readJsonObject(context: HttpContext, kind: string): Promise<Readonly<Record<string, unknown>>> {
  const parsed = await readJsonValue(context, BODIES.command).catch((error: unknown) => {
    throw isNotJson(error) ? jsonRefusal(400, kind, `The body is not JSON: ${error.json.reason}`) : error;
  });
  if (isJsonObject(parsed)) return parsed;
  throw jsonRefusal(400, kind, 'The body must be a JSON object');
}

/** Refuses (415) a body with another Content-Type than these; a missing one is accepted. */
export function demandFormat(context: HttpContext, formats: readonly string[]): void {
  const type = context.req.header('Content-Type');
  if (type === undefined) return;
  if (!formats.includes(type.split(';')[0]?.trim().toLowerCase() ?? '')) throw createUnsupportedMediaTypeError(type);
}
