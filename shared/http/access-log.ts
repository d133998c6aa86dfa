import type { MiddlewareHandler } from 'hono';
import type { Clock } from '../store/ports/clock.ts';
import type { Bindings, HttpContext } from './endpoint.ts';

/**
 * A line of the access log. Of the client's input it has only the path and the parameter
 * `environment`: no header or body, and so no fact, token or certificate request.
 */
export interface RequestLogEntry {
  readonly kind: 'request';
  /** When the request was received, ISO 8601. */
  readonly time: string;
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly environment: string | null;
  readonly status: number;
  /**
   * Bytes of the response body, possibly compressed: its Content-Length, or the bytes that were
   * sent until the response ended or was aborted.
   */
  readonly bytes: number;
  readonly durationMs: number;
  /** Certname of the client; null without a certificate. */
  readonly certname: string | null;
  /** The authorization rule that allowed or denied the request; null without one. */
  readonly rule: string | null;
  /**
   * The handler's outcome: for catalogs `current`, `stale`, `failed` …; for denied requests
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

/** Adds fields to this request's log entry. */
export function annotateRequest(context: HttpContext, more: Notes): void {
  notes.set(context.req.raw, { ...notes.get(context.req.raw), ...more });
}

/** Logs requests: at once when the length of the response is known, else when its body ends. */
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

  /**
   * Logs the request; send the returned response in place of `response`. `began`: when the request
   * was received, in milliseconds. `path` replaces a path that may contain a secret in the log.
   */
  record(context: HttpContext, response: Response, began: number, path: string | null = null): Response {
    this.#count += 1;
    const requestId = `${this.#process}-${this.#count.toString(36)}`;
    const log = (bytes: number) =>
      this.#log(this.#createEntry(context, response.status, { began, bytes, requestId, path }));
    const { body } = response;
    const length = Number(response.headers.get('Content-Length') ?? Number.NaN);
    if (body === null || context.req.method === 'HEAD') {
      log(0);
      return response;
    }
    if (Number.isSafeInteger(length)) {
      log(length);
      return response;
    }
    return new Response(countBytes(body, log), response);
  }

  #createEntry(
    context: HttpContext,
    status: number,
    more: { began: number; bytes: number; requestId: string; path: string | null },
  ): RequestLogEntry {
    const { rule = null, reason = null, codeId = null } = notes.get(context.req.raw) ?? {};
    const { pathname, searchParams } = new URL(context.req.url);
    return {
      kind: 'request',
      time: new Date(more.began).toISOString(),
      requestId: more.requestId,
      method: context.req.method,
      path: more.path ?? pathname,
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

/** Returns the same stream; calls `done` with the number of bytes when it ends or is cancelled. */
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

/**
 * Middleware that logs each request. `pathOf` returns a replacement for a path that may contain a
 * secret; null for other paths.
 */
export function recordAccesses(
  log: AccessLog | undefined,
  clock: Clock,
  pathOf: (context: HttpContext) => string | null = () => null,
): MiddlewareHandler<{ Bindings: Bindings }> {
  const recorder = new AccessRecorder(log ?? (() => {}), clock);
  return async (context, next) => {
    const began = clock.now();
    await next();
    const answer = recorder.record(context, context.res, began, pathOf(context));
    if (answer !== context.res) context.res = answer;
  };
}
