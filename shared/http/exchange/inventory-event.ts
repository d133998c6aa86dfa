import { openBody, readBody, readHeldBody } from '../body/read-body.ts';
import type { HttpContext } from '../endpoint.ts';
import type { InventoryAnswer, InventoryHttpRequest } from './inventory-exchange.ts';

/** The part of an event of an HTTP API that this module reads. */
interface InventoryEvent {
  readonly rawPath: string;
  readonly rawQueryString: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body?: string | undefined;
  readonly isBase64Encoded: boolean;
  readonly requestContext: { readonly domainName: string; readonly http: { readonly method: string } };
}

/** An answer for an HTTP API. */
interface CollectedAnswer {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** The request of an event of API Gateway. */
export function readInventoryEvent(event: InventoryEvent): InventoryHttpRequest {
  const { rawPath, rawQueryString, headers, body = '', isBase64Encoded, requestContext } = event;
  return {
    method: requestContext.http.method,
    path: rawPath,
    parameters: new Map(new URLSearchParams(rawQueryString)),
    headers: new Map(Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
    origin: `https://${requestContext.domainName}`,
    readBody: readHeldBody(Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'), headers['content-encoding']),
  };
}

/** The whole answer; 413 when it has more bytes than a function may give. */
export async function collectInventoryAnswer(
  { status, headers, body }: InventoryAnswer,
  mostBytes: number,
): Promise<CollectedAnswer> {
  const pieces: string[] = [];
  let size = 0;
  for await (const piece of typeof body === 'string' ? [body] : body) {
    size += Buffer.byteLength(piece);
    if (size > mostBytes) return tooLarge(mostBytes);
    pieces.push(typeof piece === 'string' ? piece : Buffer.from(piece).toString('utf8'));
  }
  return { statusCode: status, headers: { ...headers }, body: pieces.join('') };
}

function tooLarge(mostBytes: number): CollectedAnswer {
  const body = `The answer has more than ${mostBytes} bytes; ask for less with limit and offset, or a projection`;
  return { statusCode: 413, headers: { 'Content-Type': 'text/plain;charset=utf-8' }, body };
}

/** The request to the inventory in an HTTP request. */
export function toInventoryRequest(context: HttpContext, scheme: 'http' | 'https'): InventoryHttpRequest {
  const { req } = context;
  const { raw } = req;
  const { pathname, searchParams } = new URL(raw.url);
  return {
    method: raw.method,
    path: pathname,
    parameters: new Map(searchParams),
    headers: new Map(raw.headers),
    origin: `${scheme}://${req.header('Host') ?? 'localhost'}`,
    readBody: (kind, name, argument) => readBody(context, kind, name, argument),
    openBody: (kind) => openBody(context, kind),
  };
}

/** The HTTP answer. A text would get a content type that the inventory did not give. */
export function sendInventoryAnswer({ status, headers, body }: InventoryAnswer): Response {
  return new Response(typeof body === 'string' ? new TextEncoder().encode(body) : streamOf(body), { status, headers });
}

/** A stream that asks for a piece when its reader wants one, and stops when the reader does. */
function streamOf(pieces: AsyncIterable<string | Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  const source = {
    async pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      const { value, done } = await iterator.next();
      if (done === true) controller.close();
      else controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value);
    },
    async cancel() {
      await iterator.return?.();
    },
  };
  return new ReadableStream(source, { highWaterMark: 0 });
}

/** The same pieces; `end` is called once, when the last was read or its reader stops. */
export function endPiecesWith<T>(pieces: AsyncIterable<T>, end: () => void): AsyncIterable<T> {
  const iterator = pieces[Symbol.asyncIterator]();
  const stop = async (): Promise<IteratorResult<T>> => {
    end();
    await iterator.return?.();
    return { value: undefined, done: true };
  };
  const next = async (): Promise<IteratorResult<T>> => {
    const result = await iterator.next().catch((error: unknown) => {
      end();
      throw error;
    });
    if (result.done === true) end();
    return result;
  };
  // Unlike a generator's own, `return` ends pieces of which none was read.
  return { [Symbol.asyncIterator]: () => ({ next, return: stop }) };
}
