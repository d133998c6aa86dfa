import { BODIES, type BodyKind } from '../body/body-kinds.ts';
import { readBody } from '../body/read-body.ts';
import type { HttpContext, Peer } from '../endpoint.ts';
import { passAnswer, type UpstreamKind, UpstreamServer, type UpstreamSettings } from './upstream-server.ts';

const AUTHORITY: UpstreamKind = {
  name: 'the certificate authority',
  timeoutMs: 20_000,
  connections: 64,
  isRepeatable: false,
};
/** Statuses that proxies and load balancers send when the CA is unavailable. */
const AWAY = new Set([502, 503, 504]);

/**
 * Forwards the CA's routes to another Puppet Server, or to our own front door with the CA's key.
 */
export class UpstreamAuthority {
  readonly settings: UpstreamSettings;
  readonly #server: UpstreamServer;

  constructor(settings: UpstreamSettings) {
    this.settings = settings;
    this.#server = new UpstreamServer(settings, AUTHORITY);
  }

  /**
   * The answer to a client's request, whose body is of this kind; 503 with `Retry-After`
   * when the CA is unavailable. `peer` is null for a client without a certificate.
   */
  async forward(context: HttpContext, peer: Peer | null, kind: BodyKind = BODIES.certnames): Promise<Response> {
    const { method } = context.req;
    const hasBody = method !== 'GET' && method !== 'HEAD';
    const answer = await this.#server.forward(
      context,
      peer,
      hasBody ? await readBody(context, kind, 'keep', null) : null,
    );
    if (AWAY.has(answer.statusCode ?? 0)) {
      answer.resume();
      throw this.#server.unavailable();
    }
    return passAnswer(answer, method);
  }

  /** Fetches the revocation lists; null when unchanged since `since` (an HTTP date). */
  async fetchLists(since: string | null): Promise<{ readonly pem: string; readonly modified: string | null } | null> {
    const headers = { accept: 'text/plain', ...(since === null ? {} : { 'if-modified-since': since }) };
    const path = '/puppet-ca/v1/certificate_revocation_list/ca';
    const answer = await this.#server.ask('GET', path, headers, null);
    const response = passAnswer(answer, 'GET');
    const pem = await response.text();
    if (response.status === 304) return null;
    if (response.status !== 200) throw this.#server.unavailable();
    return { pem, modified: answer.headers['last-modified'] ?? answer.headers.date ?? null };
  }

  close(): void {
    this.#server.close();
  }
}
