import { FreshnessPolicies, type FreshnessPolicy, type PolicyEntry } from '../../fleet/catalogs/freshness.ts';
import type { Clock } from '../../store/ports/clock.ts';
import type { DocumentStore } from '../../store/ports/document-store.ts';

/** A change of a policy shows after this time. */
const KEPT_MS = 2000;

/**
 * All policies, read at once and kept for two seconds, so that a node costs no request. `since`:
 * policies that were set until then count.
 */
export class NotifyPolicies {
  readonly #policies: FreshnessPolicies;
  readonly #usual: FreshnessPolicy;
  readonly #clock: Pick<Clock, 'now'>;
  #read: { readonly at: number; readonly entries: Promise<ReadonlyMap<string, PolicyEntry>> } | null = null;

  /** `usual` gives the values that no entry sets. */
  constructor(documents: DocumentStore, clock: Pick<Clock, 'now'>, usual: FreshnessPolicy) {
    this.#policies = new FreshnessPolicies(documents, usual);
    this.#usual = usual;
    this.#clock = clock;
  }

  /** Whether any node may be told. */
  async isOnAnywhere(since = 0): Promise<boolean> {
    const entries = [...(await this.#list(since)).values()];
    return [this.#usual, ...entries].some(({ notify = 'off' }) => notify !== 'off');
  }

  /** The policy in force; null for a node names its environment's. */
  async resolve(certname: string | null, environment: string, since = 0): Promise<FreshnessPolicy> {
    const entries = await this.#list(since);
    const own = certname === null ? undefined : entries.get(`nodes/${certname}`);
    return { ...this.#usual, ...entries.get('default'), ...entries.get(`environments/${environment}`), ...own };
  }

  async #list(since: number): Promise<ReadonlyMap<string, PolicyEntry>> {
    const now = this.#clock.now();
    if (this.#read === null || now - this.#read.at >= KEPT_MS || this.#read.at < Math.min(since, now)) {
      const entries = this.#policies.list().then((all) => new Map(all.map(({ key, entry }) => [key, entry])));
      this.#read = { at: now, entries };
      // A failure is not kept.
      entries.catch(() => {
        this.#read = null;
      });
    }
    return this.#read.entries;
  }
}
