import { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';
import type { HttpContext, Peer } from './endpoint.ts';
import { unavailableError } from './exchange/answers.ts';
import { readBody } from './exchange/request-body.ts';
import { BODY_LIMITS } from './services.ts';

/** A Puppet Server with the CA, and our credentials for it. All PEM. */
export interface UpstreamSettings {
  /** `https://ca.example.com:8140` */
  readonly url: string;
  /** Our certificate, issued by that CA; we also serve agents with it. */
  readonly certificate: string;
  readonly key: string;
  /** The certificates of that CA. */
  readonly trusted: string;
  /** Time-out for the start of an answer, and for each pause within it. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 20_000;
const RETRY_AFTER_SECONDS = 30;
const CONNECTIONS = 64;
/** Client headers that are forwarded; identity headers are our own. */
const PASSED = ['accept', 'content-type', 'if-modified-since', 'user-agent', 'x-authentication', 'x-puppet-version'];
const RETURNED = ['content-type', 'content-length', 'last-modified', 'retry-after', 'x-puppet-version'];
/** Statuses that proxies and load balancers send when the CA is unavailable. */
const AWAY = new Set([502, 503, 504]);

/**
 * Forwards the CA's routes to another Puppet Server, or to our own front door with the CA's key. It
 * asserts the client's identity like Puppet Server's own proxy: mutual TLS with our certificate,
 * and `X-Client-Verify`, `X-Client-DN`, `X-Client-Cert`. That server must trust us
 * (`allow-header-cert-info` in its auth.conf), and no one else who can reach it.
 */
export class UpstreamAuthority {
  readonly settings: UpstreamSettings;
  readonly #agent: Agent;

  constructor(settings: UpstreamSettings) {
    this.settings = settings;
    const { certificate: cert, key, trusted: ca } = settings;
    this.#agent = new Agent({ cert, key, ca, keepAlive: true, maxSockets: CONNECTIONS });
  }

  /**
   * The answer to a client's request, whose body has at most `limit` bytes; 503 with `Retry-After`
   * when the CA is unavailable. `peer` is null for a client without a certificate.
   */
  async forward(context: HttpContext, peer: Peer | null, limit: number = BODY_LIMITS.certnames): Promise<Response> {
    const { method, url } = context.req;
    const { pathname, search } = new URL(url);
    const hasBody = method !== 'GET' && method !== 'HEAD';
    const body = hasBody ? await readBody(context, limit) : null;
    const passed = PASSED.flatMap((name) => {
      const value = context.req.header(name);
      return value === undefined ? [] : [[name, value] as const];
    });
    const headers = { ...Object.fromEntries(passed), ...identityOf(peer) };
    const answer = await this.#ask(method, pathname + search, headers, body);
    if (AWAY.has(answer.statusCode ?? 0)) {
      answer.resume();
      throw unavailableAuthority();
    }
    return responseOf(answer, method);
  }

  /** Fetches the revocation lists; null when unchanged since `since` (an HTTP date). */
  async fetchLists(since: string | null): Promise<{ readonly pem: string; readonly modified: string | null } | null> {
    const headers = { accept: 'text/plain', ...(since === null ? {} : { 'if-modified-since': since }) };
    const path = '/puppet-ca/v1/certificate_revocation_list/ca';
    const answer = await this.#ask('GET', path, headers, null);
    const response = responseOf(answer, 'GET');
    const pem = await response.text();
    if (response.status === 304) return null;
    if (response.status !== 200) throw unavailableAuthority();
    return { pem, modified: answer.headers['last-modified'] ?? answer.headers.date ?? null };
  }

  close(): void {
    this.#agent.destroy();
  }

  /**
   * Sends a request. It is retried once if it had no effect or is idempotent, because a keep-alive
   * connection may have just closed.
   */
  async #ask(method: string, path: string, headers: Headers, body: Uint8Array | null): Promise<IncomingMessage> {
    try {
      return await this.#askOnce(method, path, headers, body);
    } catch (error) {
      if (body !== null && !isRefused(error)) throw unavailableAuthority(error);
    }
    try {
      return await this.#askOnce(method, path, headers, body);
    } catch (error) {
      throw unavailableAuthority(error);
    }
  }

  #askOnce(method: string, path: string, headers: Headers, body: Uint8Array | null): Promise<IncomingMessage> {
    const timeout = this.settings.timeoutMs ?? TIMEOUT_MS;
    return new Promise((resolve, reject) => {
      const length = body === null ? {} : { 'content-length': String(body.byteLength) };
      const options = { method, agent: this.#agent, timeout, headers: { ...headers, ...length } };
      const outgoing = httpsRequest(new URL(path, this.settings.url), options, resolve);
      outgoing.on('timeout', () => outgoing.destroy(new Error('the certificate authority did not answer in time')));
      outgoing.on('error', reject);
      outgoing.end(body ?? undefined);
    });
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

function responseOf(answer: IncomingMessage, method: string): Response {
  const status = answer.statusCode ?? 502;
  const headers = RETURNED.flatMap((name): [string, string][] => {
    const value = answer.headers[name];
    return typeof value === 'string' ? [[name, value]] : [];
  });
  const isEmpty = method === 'HEAD' || status === 204 || status === 304;
  if (isEmpty) answer.resume();
  const body = isEmpty ? null : Readable.toWeb(answer);
  return new Response(body as ReadableStream<Uint8Array> | null, { status, headers });
}

function isRefused(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
}

function unavailableAuthority(cause?: unknown) {
  const refusal = unavailableError('the certificate authority does not answer', RETRY_AFTER_SECONDS);
  refusal.cause = cause;
  return refusal;
}
