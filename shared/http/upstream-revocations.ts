import { crlsInPem } from '../access/ca/crl.ts';
import { normalize } from '../access/ca/revocation-list.ts';
import { type StoredUpstreamLists, UpstreamListStore, type UpstreamLists } from '../access/ca/upstream-lists.ts';
import type { Clock } from '../store/ports/clock.ts';
import type { DocumentStore } from '../store/ports/document-store.ts';
import type { RequestLog } from './services.ts';
import type { UpstreamAuthority } from './upstream-authority.ts';

interface Lists extends UpstreamLists {
  readonly byIssuer: ReadonlyMap<string, { readonly serials: ReadonlySet<string>; readonly endsAt: number }>;
}

const CHECK_MS = 60_000;
/** Lists that were not confirmed for so long are told of, and the CA's health is an error. */
const STALE_MS = 15 * 60_000;

/**
 * The revocation lists of an upstream CA, looked for once a minute while clients come, and without
 * any by `poll`. They are kept in the store: while the CA is away its last lists hold, until they
 * end by themselves. A certificate of a CA without a list counts as revoked.
 */
export class UpstreamRevocations {
  readonly #upstream: UpstreamAuthority;
  readonly #store: UpstreamListStore;
  readonly #clock: Clock;
  readonly #log: RequestLog;
  #lists: Lists | null = null;
  /** What the store had when it was read or written last. */
  #kept: StoredUpstreamLists | null = null;
  #triedAt = Number.NEGATIVE_INFINITY;
  #toldAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | null = null;

  constructor(upstream: UpstreamAuthority, documents: DocumentStore, clock: Clock, log: RequestLog) {
    this.#upstream = upstream;
    this.#store = new UpstreamListStore(documents);
    this.#clock = clock;
    this.#log = log;
  }

  /** Throws a Refusal (503) while no list was ever seen. */
  async isRevoked(issuer: string, serial: string): Promise<boolean> {
    const lists = await this.#getCurrent();
    const list = lists.byIssuer.get(issuer);
    return list === undefined || list.endsAt < this.#clock.now() || list.serials.has(normalize(serial));
  }

  /** Throws when the lists have not been confirmed for too long. */
  async check(): Promise<void> {
    const { checkedAt } = await this.#getCurrent();
    const age = this.#clock.now() - checkedAt;
    if (age > STALE_MS) throw new Error(`the revocation lists are ${Math.round(age / 60_000)} minutes old`);
  }

  /**
   * Looks for lists once a minute until `signal` aborts, so that a revocation counts for the first
   * client after a quiet hour. `told` gets the time since they were last confirmed, in
   * milliseconds; while there are none, since this began.
   */
  async poll(signal: AbortSignal, told: (ageMs: number) => void): Promise<void> {
    const startedAt = this.#clock.now();
    while (!signal.aborted) {
      if (this.#clock.now() - this.#triedAt >= CHECK_MS) {
        await this.#lookOnce().catch((error: unknown) => this.#reportFault(error));
      }
      told(this.#clock.now() - (this.#lists?.checkedAt ?? startedAt));
      await this.#clock.sleep(CHECK_MS, signal);
    }
  }

  /** However many want it at a time. */
  #lookOnce(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async #getCurrent(): Promise<Lists> {
    this.#lists ??= await this.#readStored();
    if (this.#clock.now() - this.#triedAt >= CHECK_MS) {
      const looking = this.#lookOnce();
      const isStale = this.#lists === null || this.#clock.now() - this.#lists.checkedAt > 5 * CHECK_MS;
      // Lists that are young enough serve while newer ones are on their way.
      if (isStale) await looking.catch((error: unknown) => this.#reportFault(error));
      else looking.catch((error: unknown) => this.#reportFault(error));
    }
    if (this.#lists === null) await this.#look();
    if (this.#lists === null) throw new Error('invariant: lists were fetched, and are not there');
    return this.#lists;
  }

  async #look(): Promise<void> {
    const now = this.#clock.now();
    this.#triedAt = now;
    this.#lists ??= await this.#readStored();
    const fetched = await this.#upstream.fetchLists(this.#lists?.modified ?? null);
    if (fetched === null && this.#lists !== null) this.#lists = { ...this.#lists, checkedAt: now };
    if (fetched !== null) this.#lists = parseLists({ ...fetched, checkedAt: now });
    if (this.#lists === null) return;
    const { pem, modified, checkedAt } = this.#lists;
    this.#kept = await this.#store.write({ pem, modified, checkedAt }, this.#kept);
    if (this.#kept.pem !== pem) this.#lists = parseLists(this.#kept);
  }

  async #readStored(): Promise<Lists | null> {
    this.#kept = await this.#store.read();
    return this.#kept && parseLists(this.#kept);
  }

  /** Once a quarter of an hour: an alarm counts such lines. */
  #reportFault(error: unknown): void {
    const now = this.#clock.now();
    if (this.#lists === null || now - this.#lists.checkedAt < STALE_MS || now - this.#toldAt < STALE_MS) return;
    this.#toldAt = now;
    this.#log.logError('The revocation lists of the upstream certificate authority are stale', error);
  }
}

function parseLists({ pem, modified, checkedAt }: UpstreamLists): Lists {
  const byIssuer = new Map(
    crlsInPem(pem).map(({ issuer, entries, nextUpdate }) => {
      const serials = new Set(entries.map(({ serial }) => normalize(serial)));
      return [issuer, { serials, endsAt: nextUpdate?.getTime() ?? Number.POSITIVE_INFINITY }] as const;
    }),
  );
  return { pem, modified, checkedAt, byIssuer };
}
