import type { Clock } from '../store/ports/clock.ts';
import type { HttpContext } from './endpoint.ts';

/**
 * What is said of one request, a line each. Nothing that a client chose but the path and its
 * environment stands in it: no other parameter, no header, no body, so no fact, no token and no
 * certificate request either.
 */
export interface RequestLogEntry {
  readonly kind: 'request';
  /** ISO 8601, when it was received. */
  readonly time: string;
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly environment: string | null;
  readonly status: number;
  /** Of the body that was sent, compressed as it was; of one that was cut off what was sent. */
  readonly bytes: number;
  readonly durationMs: number;
  /** Of the certificate; null for nobody. */
  readonly certname: string | null;
  /** The rule that decided; null where none did. */
  readonly rule: string | null;
  /**
   * What the handler has to say: for catalogs `current`, `stale`, `failed` …; for what was denied
   * `forbidden`, `revoked`.
   */
  readonly reason: string | null;
  readonly codeId: string | null;
}

export type AccessLog = (entry: RequestLogEntry) => void;

interface Notes {
  rule?: string | null;
  reason?: string;
  codeId?: string | null;
}

const notes = new WeakMap<Request, Notes>();

/** Adds to what is said of this request. */
export function annotateRequest(context: HttpContext, more: Notes): void {
  notes.set(context.req.raw, { ...notes.get(context.req.raw), ...more });
}

/**
 * Tells the log of each request that it is given the answer of, when the last byte of it was read.
 */
export class AccessRecorder {
  readonly #log: AccessLog;
  readonly #clock: Clock;
  readonly #process: string;
  #count = 0;

  constructor(log: AccessLog, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
    this.#process = `${clock.now().toString(36)}${Math.floor(clock.random() * 36 ** 6).toString(36)}`;
  }

  /** The answer to be sent in the place of `response`. */
  record(context: HttpContext, response: Response, began: number): Response {
    this.#count += 1;
    const requestId = `${this.#process}-${this.#count.toString(36)}`;
    const tell = (bytes: number) => this.#log(this.#createEntry(context, response.status, { began, bytes, requestId }));
    const { body } = response;
    const length = Number(response.headers.get('Content-Length') ?? Number.NaN);
    if (body === null || context.req.method === 'HEAD') {
      tell(0);
      return response;
    }
    if (Number.isSafeInteger(length)) {
      tell(length);
      return response;
    }
    return new Response(countBytes(body, tell), response);
  }

  #createEntry(
    context: HttpContext,
    status: number,
    more: { began: number; bytes: number; requestId: string },
  ): RequestLogEntry {
    const { rule = null, reason = null, codeId = null } = notes.get(context.req.raw) ?? {};
    const { pathname, searchParams } = new URL(context.req.url);
    return {
      kind: 'request',
      time: new Date(more.began).toISOString(),
      requestId: more.requestId,
      method: context.req.method,
      path: pathname,
      environment: searchParams.get('environment'),
      status,
      bytes: more.bytes,
      durationMs: this.#clock.now() - more.began,
      certname: context.env?.peer?.certname ?? null,
      rule,
      reason,
      codeId,
    };
  }
}

/** The same stream; `done` learns how many bytes were read of it, once. */
function countBytes(body: ReadableStream<Uint8Array>, done: (bytes: number) => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let bytes = 0;
  return new ReadableStream(
    {
      async pull(controller) {
        const { done: isOver, value } = await reader.read();
        if (value !== undefined) {
          bytes += value.byteLength;
          controller.enqueue(value);
        }
        if (!isOver) return;
        controller.close();
        done(bytes);
      },
      async cancel(reason) {
        done(bytes);
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
