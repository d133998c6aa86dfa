import { parseJson, parseJsonInSteps } from '../../puppet/serialization/json.ts';
import type { Value } from '../../puppet/types/values/values.ts';
import type { FairQueue } from '../../util/fair-queue.ts';
import { runInSteps } from '../../util/in-steps.ts';
import { isJsonObject } from '../../util/json-object.ts';
import { BODIES, type BodyKind, BodyRefused, type JsonFault } from '../body/body-kinds.ts';
import { LONG_TEXT } from '../body/check-facts.ts';
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

/** Characters of an invalid text quoted in an error. */
const SHOWN = 60;

/**
 * Parses JSON as Ruby does; a long text in steps, which leaves the event loop free, and only with
 * as many values as facts may have. Long texts of clients take turns. Throws SyntaxError and
 * TooManyValues.
 */
export async function parseJsonText(text: string, longTexts: FairQueue, client: string): Promise<Value> {
  if (text.length <= LONG_TEXT) return parseJson(text);
  const leave = await longTexts.enter(client);
  try {
    return await runInSteps(parseJsonInSteps(text, BODIES.facts.values));
  } finally {
    leave();
  }
}

/**
 * Puppet's message for a text that is not JSON. `error` is that of the reader; for a short text the
 * error of `JSON.parse` has the place.
 */
export function describeInvalidJson(text: string, error: unknown): string {
  const part = text.length > LONG_TEXT ? partOfError(error) : findUnexpectedPart(text);
  return describeUnexpected(part ?? text.slice(0, SHOWN));
}

/** Puppet's message for a text of which `rest` cannot be read. */
export function describeUnexpected(rest: string): string {
  return `Could not intern from json: unexpected token at '${rest}'`;
}

function partOfError(error: unknown): string | undefined {
  return error instanceof Error ? /unexpected token at '([\s\S]{0,60})/.exec(error.message)?.[1] : undefined;
}

// Ruby's parser quotes the rest from the invalid token on.
function findUnexpectedPart(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const position = /at position (\d+)/.exec(String(error))?.[1];
    return text.slice(Number(position ?? 0)).slice(0, SHOWN);
  }
}
