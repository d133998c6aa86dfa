import { randomBytes } from 'node:crypto';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { BODIES, type BodyKind, BodyRefused } from '../../../../shared/http/body/body-kinds.ts';
import { openBody, readBody, readHeldBody } from '../../../../shared/http/body/read-body.ts';
import type { Bindings } from '../../../../shared/http/endpoint.ts';

const KIND: BodyKind = { bytes: 4 * 1024 ** 2, depth: 10, values: 1000, isZipped: true };
const MB = 1024 ** 2;

/** Reads a body as the server does; the text, or why it is refused. */
async function read(
  body: Uint8Array | ReadableStream<Uint8Array>,
  headers: Readonly<Record<string, string>> = {},
  kind: BodyKind = KIND,
): Promise<string> {
  const app = new Hono<{ Bindings: Bindings }>();
  const { depth, values } = kind;
  app.post('/', async (context) =>
    context.text(await readBody(context, kind, 'checkJson', { depth, values, mayBeEmpty: false })),
  );
  app.onError((error, context) =>
    context.text(error instanceof BodyRefused ? `${error.status} ${error.message}` : String(error)),
  );
  const init: RequestInit & { duplex: 'half' } = {
    method: 'POST',
    body: body as Uint8Array<ArrayBuffer>,
    headers,
    duplex: 'half',
  };
  return (await app.request('/', init, { peer: null, client: 'a' })).text();
}

const json = (bytes: number) => Buffer.from(JSON.stringify('x'.repeat(bytes - 2)));
const random = (bytes: number) => Buffer.from(JSON.stringify(randomBytes(Math.floor(0.7 * bytes)).toString('base64')));
const GZIP = { 'Content-Encoding': 'gzip' };

describe('a body', () => {
  it.each([10, 64 * 1024, 64 * 1024 + 1, MB, MB + 1, 3 * MB])('of %d bytes is read', async (bytes) => {
    expect((await read(json(bytes))) === json(bytes).toString()).toBe(true);
  });

  it.each([100, 100_000, 2 * MB])('of %d bytes is decompressed', async (bytes) => {
    const text = random(bytes);
    expect((await read(gzipSync(text), GZIP)) === text.toString()).toBe(true);
  });

  it.each<[string, Uint8Array, Readonly<Record<string, string>>, string]>([
    [
      'too large, as announced',
      json(10),
      { 'Content-Length': '5000000' },
      '413 The request body has more than 4194304 bytes',
    ],
    ['too large', json(4 * MB + 1), {}, '413 The request body has more than 4194304 bytes'],
    ['too large when decompressed', gzipSync(random(5 * MB)), GZIP, '413 The request body has more than 4194304 bytes'],
    [
      'of zeros, compressed',
      gzipSync(Buffer.alloc(3 * MB)),
      GZIP,
      '413 The request body decompresses to more than 200 times its size',
    ],
    [
      'half of a compressed one',
      gzipSync(random(1000)).subarray(0, 50),
      GZIP,
      '400 The request body cannot be decompressed: Z_BUF_ERROR',
    ],
    ['not compressed though it says so', json(100), GZIP, '400 The request body cannot be decompressed: Z_DATA_ERROR'],
    [
      'with brotli',
      brotliCompressSync(json(100)),
      { 'Content-Encoding': 'br' },
      "415 Client sent a body with the Content-Encoding 'br'; gzip and identity are supported",
    ],
    [
      'with two encodings',
      deflateSync(gzipSync(json(100))),
      { 'Content-Encoding': 'gzip, deflate' },
      "415 Client sent a body with the Content-Encoding 'gzip, deflate'; gzip and identity are supported",
    ],
    [
      'deep',
      Buffer.from(`${'['.repeat(11)}${']'.repeat(11)}`),
      {},
      '400 The request body is not JSON: it is nested more deeply than 10 levels',
    ],
    ['wide', Buffer.from(`[${'1,'.repeat(1000)}1]`), {}, '413 The request body has more than 1000 values'],
    ['wide and large', Buffer.from(`[${'1,'.repeat(MB)}1]`), {}, '413 The request body has more than 1000 values'],
    ['not UTF-8', Buffer.from('"\xe9"', 'latin1'), {}, '400 The request body is not UTF-8'],
    ['of zeros', Buffer.alloc(2 * MB), {}, "400 The request body is not JSON: unexpected token at '\0\0\0"],
    ['of more zeros than are taken', Buffer.alloc(4 * MB + 1), {}, '413 The request body has more than 4194304 bytes'],
    ['empty', Buffer.alloc(0), {}, '400 The request body is not JSON: Unexpected end of JSON input'],
  ])('that is %s is refused', async (_, body, headers, message) => {
    expect((await read(body, headers)).slice(0, message.length)).toBe(message);
  });

  it('with a byte order mark is read without it', async () => {
    expect(await read(Buffer.from('\ufeff{"a":1}'))).toBe('{"a":1}');
  });

  it('that ends early is refused', async () => {
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new Uint8Array(2 * MB));
        controller.error(new Error('the client left'));
      },
    });
    expect(await read(stream)).toBe('400 The request body ended early: the client left');
  });

  it('is not compressed where its kind is not', async () => {
    const { isZipped: _, ...plain } = KIND;
    expect(await read(gzipSync(json(10)), GZIP, plain)).toBe(
      "415 Client sent a body with the Content-Encoding 'gzip'; only identity is supported",
    );
  });

  it('that is there as a whole has the same bounds', async () => {
    const readText = readHeldBody(gzipSync(Buffer.alloc(3 * MB)), 'gzip');
    await expect(readText(KIND, 'decode', null)).rejects.toThrow('more than 200 times its size');
    await expect(readHeldBody(json(5 * MB), undefined)(KIND, 'decode', null)).rejects.toThrow(
      'more than 4194304 bytes',
    );
  });
});

it('bounds a body that is taken piece by piece', async () => {
  const app = new Hono<{ Bindings: Bindings }>();
  app.put('/', async (context) => {
    let size = 0;
    try {
      for await (const piece of openBody(context, { ...BODIES.code, bytes: MB }) ?? []) size += piece.byteLength;
      return context.text(`${size} bytes`);
    } catch (error) {
      return context.text(String(error));
    }
  });
  const send = async (body: Uint8Array) =>
    (await app.request('/', { method: 'PUT', body: body as Uint8Array<ArrayBuffer> })).text();
  expect(await send(new Uint8Array(MB))).toBe('1048576 bytes');
  expect(await send(new Uint8Array(MB + 1))).toBe('BodyRefused: The request body has more than 1048576 bytes');
});
