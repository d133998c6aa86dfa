import { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { HttpClient } from '../../util/http-client.ts';
import { lookupOwn, readOwnUrl } from '../../util/url-guard.ts';
import type { HttpContext, Peer } from '../endpoint.ts';
import { Refusal, unavailableError } from '../exchange/answers.ts';

/** A Puppet Server, and our credentials for it. All PEM. */
export interface UpstreamSettings {
  /** `https://ca.example.com:8140` */
  readonly url: string;
  /** Our certificate, which that server trusts to speak for clients. */
  readonly certificate: string;
  readonly key: string;
  /** The certificates of its CA. */
  readonly trusted: string;
  /** Time-out for the start of an answer, and for each pause within it. */
  readonly timeoutMs?: number;
}

/** Description of an upstream server. */
export interface UpstreamKind {
  /** For messages: `the certificate authority`. */
  readonly name: string;
  readonly timeoutMs: number;
  /** Most requests at a time. */
  readonly connections: number;
  /**
   * Whether a request with a body may be sent again when a kept connection broke: it has the same
   * effect twice.
   */
  readonly isRepeatable: boolean;
}

const RETRY_AFTER_SECONDS = 30;
/** Client headers that are forwarded; identity headers are our own. */
const PASSED = ['accept', 'content-type', 'if-modified-since', 'user-agent', 'x-authentication', 'x-puppet-version'];
const RETURNED = ['content-type', 'content-length', 'last-modified', 'retry-after', 'x-puppet-version'];

/**
 * Forwards requests to another Puppet Server. It asserts the client's identity like Puppet Server's
 * own proxy: mutual TLS with our certificate, and `X-Client-Verify`, `X-Client-DN`,
 * `X-Client-Cert`. That server must trust us (`allow-header-cert-info` in its auth.conf), and no
 * one else who can reach it.
 */
export class UpstreamServer {
  readonly settings: UpstreamSettings;
  readonly #kind: UpstreamKind;
  readonly #client: HttpClient;

  constructor(settings: UpstreamSettings, kind: UpstreamKind) {
    readOwnUrl(settings.url, 'upstream');
    this.settings = settings;
    this.#kind = kind;
    const { url, certificate: cert, key, trusted: ca, timeoutMs = kind.timeoutMs } = settings;
    const pool = { keepAlive: true, maxSockets: kind.connections, lookup: lookupOwn };
    this.#client = new HttpClient(url, { timeoutMs, cert, key, ca, ...pool });
  }

  /**
   * The answer to a client's request with this body. `peer` is null for a client without a
   * certificate. Throws the refusal of `unavailable` when there is none.
   */
  async forward(context: HttpContext, peer: Peer | null, body: Uint8Array | null): Promise<IncomingMessage> {
    const { method, url } = context.req;
    const { pathname, search } = new URL(url);
    const passed = PASSED.flatMap((name) => {
      const value = context.req.header(name);
      return value === undefined ? [] : [[name, value] as const];
    });
    const headers = { ...Object.fromEntries(passed), ...identityOf(peer) };
    return this.ask(method, pathname + search, headers, body);
  }

  /**
   * Sends a request. It is retried once if it had no effect or is idempotent, because a keep-alive
   * connection may have just closed.
   */
  async ask(method: string, path: string, headers: Headers, body: Uint8Array | null): Promise<IncomingMessage> {
    const target = new URL(path, this.settings.url);
    try {
      return await this.#client.send(method, target, headers, body);
    } catch (error) {
      if (!this.#isRetried(error, body)) throw this.unavailable(error);
    }
    try {
      return await this.#client.send(method, target, headers, body);
    } catch (error) {
      throw this.unavailable(error);
    }
  }

  /** 503 with `Retry-After`. */
  unavailable(cause?: unknown) {
    const refusal = unavailableError(`${this.#kind.name} does not answer`, RETRY_AFTER_SECONDS);
    refusal.cause = cause;
    return refusal;
  }

  close(): void {
    this.#client.close();
  }

  #isRetried(error: unknown, body: Uint8Array | null): boolean {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (body === null || code === 'ECONNREFUSED') return true;
    return this.#kind.isRepeatable && (code === 'ECONNRESET' || code === 'EPIPE');
  }
}

type Headers = Readonly<Record<string, string>>;

/** Identity headers as trapperkeeper-authorization reads them with `allow-header-cert-info`. */
function identityOf(peer: Peer | null): Headers {
  if (peer === null) return { 'X-Client-Verify': 'NONE' };
  const pem = new X509Certificate(peer.certificate).toString();
  return {
    'X-Client-Verify': 'SUCCESS',
    'X-Client-DN': `CN=${peer.certname}`,
    'X-Client-Cert': encodeURIComponent(pem),
  };
}

/** Passes an answer on, as it comes. */
export function passAnswer(answer: IncomingMessage, method: string): Response {
  const status = answer.statusCode ?? 502;
  const isEmpty = method === 'HEAD' || status === 204 || status === 304;
  if (isEmpty) answer.resume();
  const body = isEmpty ? null : Readable.toWeb(answer);
  return new Response(body as ReadableStream<Uint8Array> | null, { status, headers: listReturnedHeaders(answer) });
}

/** Bounds of an answer that is read as a whole. */
const MOST_ANSWER_BYTES = 64 * 1024 * 1024;
const LONGEST_ANSWER_MS = 180_000;

/**
 * Reads the body of an answer. Throws 503 with `Retry-After` when it ends early, when it is larger
 * than 64 MB, and when it takes more than three minutes.
 */
export async function readUpstreamAnswer(
  answer: Readable,
  { most = MOST_ANSWER_BYTES, longestMs = LONGEST_ANSWER_MS } = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const refuse = (reason: string) => unavailableError(`the upstream's answer ${reason}`, RETRY_AFTER_SECONDS);
  const tooLate = refuse(`took longer than ${longestMs / 1000} seconds`);
  const timer = setTimeout(() => answer.destroy(tooLate), longestMs);
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const piece of answer) {
      size += piece.byteLength;
      if (size > most) throw refuse(`has more than ${most} bytes`);
      pieces.push(piece);
    }
    return Uint8Array.from(Buffer.concat(pieces, size));
  } catch (error) {
    throw error instanceof Refusal ? error : refuse('ended early');
  } finally {
    clearTimeout(timer);
  }
}

/** The headers of an answer that clients get. */
export function listReturnedHeaders({ headers }: IncomingMessage): [string, string][] {
  return RETURNED.flatMap((name): [string, string][] => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value]] : [];
  });
}
