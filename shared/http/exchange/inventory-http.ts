import { readBody } from '../body/read-body.ts';
import type { HttpContext } from '../endpoint.ts';
import type { InventoryAnswer, InventoryHttpRequest } from './inventory-exchange.ts';

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
  };
}

/** The HTTP answer. A text would get a content type that the inventory did not give. */
export function sendInventoryAnswer({ status, headers, body }: InventoryAnswer): Response {
  return new Response(typeof body === 'string' ? new TextEncoder().encode(body) : streamOf(body), { status, headers });
}

/** A stream that asks for a piece when its reader wants one, and stops when the reader does. */
function streamOf(pieces: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  const source = {
    async pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      const { value, done } = await iterator.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await iterator.return?.();
    },
  };
  return new ReadableStream(source, { highWaterMark: 0 });
}

/** The same pieces; `end` is called once, when the last was read or its reader stops. */
export function endPiecesWith(pieces: AsyncIterable<string>, end: () => void): AsyncIterable<string> {
  const iterator = pieces[Symbol.asyncIterator]();
  const stop = async (): Promise<IteratorResult<string>> => {
    end();
    await iterator.return?.();
    return { value: undefined, done: true };
  };
  const next = async (): Promise<IteratorResult<string>> => {
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
