import type { IncomingMessage } from 'node:http';
import { CompilerChoices } from '../../fleet/catalogs/compiler-choices.ts';
import type { Clock } from '../../store/ports/clock.ts';
import type { DocumentStore } from '../../store/ports/document-store.ts';
import { Semaphore } from '../../util/semaphore.ts';
import type { Endpoint, HttpContext, Peer } from '../endpoint.ts';
import { unavailableError } from '../exchange/answers.ts';
import { passAnswer, type UpstreamKind, UpstreamServer, type UpstreamSettings } from './upstream-server.ts';

/** Address of the existing Puppet Server; credentials are read when they are first needed. */
export interface CompilerUpstream {
  /** `https://HOST:8140` */
  readonly url: string;
  readonly readCredentials: () => Promise<Omit<UpstreamSettings, 'url'>>;
  /** Most catalogs that it compiles for us at a time; 32 by default. */
  readonly catalogsAtOnce?: number;
}

const COMPILER: UpstreamKind = {
  name: 'the upstream compiler',
  timeoutMs: 180_000,
  connections: 128,
  // A catalog that is asked for twice is compiled twice.
  isRepeatable: true,
};
const CATALOGS_AT_ONCE = 32;
const RETRY_AFTER_SECONDS = 300;
const MOST_WAITING = 1000;
/** A request that waited longer for its turn is sent away. */
const LONGEST_WAIT_MS = 60_000;
/** Lifetime of cached policies: longer without an upstream that could answer. */
const POLICIES_MS = 5000;
const POLICIES_UNUSED_MS = 60_000;

/**
 * Passes requests of nodes on to the existing Puppet Server, where the policy `compiler` says so.
 */
export class UpstreamCompiler {
  readonly #choices: CompilerChoices;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #upstream: CompilerUpstream | null;
  readonly #places: Semaphore;
  #server: Promise<UpstreamServer> | null = null;
  #waiting = 0;

  /** `upstream` is null where there is none. */
  constructor(documents: DocumentStore, clock: Pick<Clock, 'now'>, upstream: CompilerUpstream | null) {
    this.#choices = new CompilerChoices(documents, clock, upstream === null ? POLICIES_UNUSED_MS : POLICIES_MS);
    this.#clock = clock;
    this.#upstream = upstream;
    this.#places = new Semaphore(upstream?.catalogsAtOnce ?? CATALOGS_AT_ONCE);
  }

  /** Whose catalogs the node gets. */
  choose(certname: string, environment: string) {
    return this.#choices.choose(certname, environment);
  }

  /**
   * The answer to a request that belongs to a catalog of the upstream: for its files, for example.
   * Null when the node's catalogs are ours.
   */
  async answerInstead(endpoint: Endpoint, context: HttpContext): Promise<Response | null> {
    const { peer } = context.env;
    if (endpoint.isOfCatalog !== true || peer === null) return null;
    const chosen = await this.choose(peer.certname, context.req.query('environment') ?? '');
    if (chosen === 'understudy') return null;
    const server = await this.#open();
    return passAnswer(await server.forward(context, peer, null), context.req.method);
  }

  /**
   * The upstream's answer to a request for a catalog. Requests above the limit wait in their order.
   * Throws 503 with `Retry-After` when too many wait, and when the upstream does not answer.
   */
  async askForCatalog(context: HttpContext, peer: Peer, body: Uint8Array | null): Promise<IncomingMessage> {
    const server = await this.#open();
    const leave = await this.#enter(server, context.req.raw.signal);
    try {
      const answer = await server.forward(context, peer, body);
      answer.once('close', leave);
      return answer;
    } catch (error) {
      leave();
      throw error;
    }
  }

  async #enter(server: UpstreamServer, signal: AbortSignal): Promise<() => void> {
    const free = this.#places.tryAcquire();
    if (free !== null) return free;
    if (this.#waiting >= MOST_WAITING) throw server.unavailable();
    const since = this.#clock.now();
    this.#waiting += 1;
    const leave = await this.#places.acquire().finally(() => {
      this.#waiting -= 1;
    });
    if (!signal.aborted && this.#clock.now() - since <= LONGEST_WAIT_MS) return leave;
    leave();
    throw server.unavailable();
  }

  async #open(): Promise<UpstreamServer> {
    const upstream = this.#upstream;
    if (upstream === null) {
      const message = "the node's policy names an upstream compiler, and this server has none";
      throw unavailableError(message, RETRY_AFTER_SECONDS);
    }
    if (this.#server === null) {
      const opened = upstream
        .readCredentials()
        .then((credentials) => new UpstreamServer({ url: upstream.url, ...credentials }, COMPILER));
      opened.catch(() => {
        this.#server = null;
      });
      this.#server = opened;
    }
    return this.#server;
  }
}
