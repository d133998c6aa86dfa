import type { BodyKind } from '../body/body-kinds.ts';
import type { BodyRead } from '../body/body-messages.ts';

/** A request to the inventory. The path is as it was sent, its parameters are decoded. */
export interface InventoryHttpRequest {
  readonly method: string;
  readonly path: string;
  readonly parameters: ReadonlyMap<string, string>;
  /** Headers by name in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** The address with which the request was sent, for redirections. */
  readonly origin: string;
  /** Throws BodyRefused. */
  readonly readBody: BodyRead;
  /** Opens a body that is read in pieces, as `openBody` does; absent where it is no stream. */
  readonly openBody?: (kind: BodyKind) => ReadableStream<Uint8Array> | null;
}

/** An answer: a body in one piece, or in pieces as they come. */
export interface InventoryAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | AsyncIterable<string | Uint8Array>;
}

/** The request is refused with a status of its own. */
export class InventoryRefusal extends Error {
  override readonly name = 'InventoryRefusal';
  readonly answer: InventoryAnswer;

  constructor(answer: InventoryAnswer) {
    super(`status ${answer.status}`);
    this.answer = answer;
  }
}

const JSON_HEADERS = { 'Content-Type': 'application/json;charset=utf-8' };

/** An answer of plain text, as PuppetDB gives for errors. */
export function textAnswer(status: number, text: string): InventoryAnswer {
  return { status, headers: { 'Content-Type': 'text/plain;charset=utf-8' }, body: text };
}

/** An answer of JSON, already in text form. */
export function jsonAnswer(
  status: number,
  body: string | AsyncIterable<string>,
  headers: Readonly<Record<string, string>> = {},
): InventoryAnswer {
  return { status, headers: { ...JSON_HEADERS, ...headers }, body };
}

/** 404 for what a path names and the inventory does not have. */
export function notFoundAnswer(kind: string, name: string): InventoryAnswer {
  return jsonAnswer(404, JSON.stringify({ error: `No information is known about ${kind} ${name}` }));
}

/**
 * Refuses what PuppetDB's front refuses: a body that is no JSON (415), and a client that accepts no
 * JSON (406).
 */
export function checkFormats({ method, headers }: InventoryHttpRequest): void {
  const type = headers.get('content-type')?.split(';')[0]?.trim();
  if (method === 'POST' && type !== undefined && type !== 'application/json') {
    throw new InventoryRefusal(textAnswer(415, `content type ${type} not supported`));
  }
  const accepted = headers
    .get('accept')
    ?.split(',')
    .map((one) => one.trim());
  const isAccepted = accepted?.some((one) => ['*/*', 'application/*', 'application/json'].includes(one));
  if (isAccepted === false) throw new InventoryRefusal(textAnswer(406, 'must accept application/json'));
}
