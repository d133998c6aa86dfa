import { describeLostRight } from '../../access/accounts/lost-rights.ts';
import type { TokenReader } from '../../access/tokens/deploy-tokens.ts';
import { FreshnessPolicies, type StoredPolicy } from '../../fleet/policies/freshness-policies.ts';
import type { FreshnessPolicy, PolicyEntry } from '../../fleet/policies/policy-fields.ts';
import type { Clock } from '../../store/ports/clock.ts';
import type { DocumentStore } from '../../store/ports/document-store.ts';

/** A change of a policy shows after this time. */
const KEPT_MS = 2000;
const RUN_PUPPET = { objectType: 'puppet_agent', action: 'run', instance: '*' } as const;

/**
 * All policies, read at once and kept for two seconds, so that a node costs no request. `since`:
 * policies that were set until then count.
 */
export class NotifyPolicies {
  readonly #policies: FreshnessPolicies;
  readonly #usual: FreshnessPolicy;
  readonly #clock: Pick<Clock, 'now'>;
  #read: { readonly at: number; readonly entries: Promise<ReadonlyMap<string, PolicyEntry>> } | null = null;

  readonly #ports: TokenReader;
  readonly #report: (message: string) => void;
  /** Entries that were reported not to count, and why. */
  #lost: ReadonlyMap<string, string> = new Map();

  /** `usual` gives the values that no entry sets; `report` gets a line when one ceases to count. */
  constructor(
    documents: DocumentStore,
    clock: Pick<Clock, 'now'>,
    usual: FreshnessPolicy,
    report: (message: string) => void = () => {},
  ) {
    this.#ports = { documents, clock };
    this.#report = report;
    this.#policies = new FreshnessPolicies(documents, usual);
    this.#usual = usual;
    this.#clock = clock;
  }

  /** Whether any node may be notified. */
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
      const entries = this.#policies.list().then((all) => this.#findPermitted(all));
      this.#read = { at: now, entries };
      // A failure is not kept.
      entries.catch(() => {
        this.#read = null;
      });
    }
    return this.#read.entries;
  }

  /** No node runs by the policy of a user who may not run Puppet any more. */
  async #findPermitted(all: readonly StoredPolicy[]): Promise<ReadonlyMap<string, PolicyEntry>> {
    const lost = new Map<string, string>();
    const entries = new Map<string, PolicyEntry>();
    for (const { key, entry, author } of all) {
      const isOn = entry.notify !== undefined && entry.notify !== 'off';
      const reason = isOn ? await describeLostRight(this.#ports, author, RUN_PUPPET) : null;
      entries.set(key, reason === null ? entry : { ...entry, notify: 'off' });
      if (reason === null) continue;
      lost.set(key, reason);
      if (this.#lost.get(key) !== reason) this.#report(`The policy ${key} lets no node run: ${reason}`);
    }
    this.#lost = lost;
    return entries;
  }
}
