import { expect } from 'vitest';
import type { ConsoleDoor } from './console-door.ts';
import { OpenApi } from './openapi.ts';

const described = new OpenApi();

/** A user who is logged in: the door, and the value of the cookie. */
export interface LoggedIn {
  readonly door: ConsoleDoor;
  readonly cookie: string;
}

/**
 * Asks for the operation `id` at the console's door. Fails unless the answer is as
 * `docs/openapi.yaml` describes it. Returns the status and the JSON of the answer.
 */
export async function askAsDescribed(
  { door, cookie }: LoggedIn,
  id: string,
  path: string,
  body?: unknown,
): Promise<readonly [number, unknown]> {
  const operation = described.operations.find((one) => one.id === id);
  if (operation === undefined) throw new Error(`no operation ${id}`);
  const answer = await door.ask(path, { method: operation.method, cookie, ...(body === undefined ? {} : { body }) });
  const text = await answer.text();
  const expected = described.responses(operation).get(String(answer.status));
  if (expected === undefined) throw new Error(`status ${answer.status} is not described: ${text}`);
  expect(described.faultsOfAnswer(expected, answer.headers.get('Content-Type'), text)).toEqual([]);
  return [answer.status, JSON.parse(text)];
}
