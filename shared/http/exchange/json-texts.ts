import { parseJson, parseJsonInSteps } from '../../puppet/serialization/json.ts';
import type { Value } from '../../puppet/types/values/values.ts';
import { runInSteps } from '../../util/in-steps.ts';
import type { Semaphore } from '../../util/semaphore.ts';
import { MOST_FACTS } from '../services.ts';

/** Texts of more characters are handled in steps, one at a time. */
export const LONG_TEXT = 64 * 1024;

/** Characters of an invalid text quoted in an error. */
const SHOWN = 60;

/** Does some work on a long text in a turn of the event loop of its own. */
export async function inOwnTurn<T>(longTexts: Semaphore, work: () => T): Promise<T> {
  const leave = await longTexts.acquire();
  try {
    await new Promise((resolve) => setImmediate(resolve));
    return work();
  } finally {
    leave();
  }
}

/**
 * Parses JSON as Ruby does; a long text in steps, which leaves the event loop free, and only with
 * as many values as facts may have. Throws SyntaxError and TooManyValues.
 */
export async function parseJsonText(text: string, longTexts: Semaphore): Promise<Value> {
  if (text.length <= LONG_TEXT) return parseJson(text);
  const leave = await longTexts.acquire();
  try {
    return await runInSteps(parseJsonInSteps(text, MOST_FACTS));
  } finally {
    leave();
  }
}

/**
 * Puppet's message for a text that is not JSON. `error` is that of the reader; for a short text the
 * error of `JSON.parse` tells the place.
 */
export function describeInvalidJson(text: string, error: unknown): string {
  const part = text.length > LONG_TEXT ? partOfError(error) : findUnexpectedPart(text);
  return `Could not intern from json: unexpected token at '${part ?? text.slice(0, SHOWN)}'`;
}

/** A text that is not JSON from the first place on that cannot be read. */
export class InvalidJson extends Error {
  constructor(rest: string) {
    super(`unexpected token at '${rest.slice(0, SHOWN)}'`);
    this.name = 'InvalidJson';
  }
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
