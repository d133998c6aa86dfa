import { readHeldBody } from '../body/read-body.ts';
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
    pieces.push(piece);
  }
  return { statusCode: status, headers: { ...headers }, body: pieces.join('') };
}

function tooLarge(mostBytes: number): CollectedAnswer {
  const body = `The answer has more than ${mostBytes} bytes; ask for less with limit and offset, or a projection`;
  return { statusCode: 413, headers: { 'Content-Type': 'text/plain;charset=utf-8' }, body };
}
