import type { Clock } from '../../store/ports/clock.ts';
import type { DocumentStore } from '../../store/ports/document-store.ts';
import { DEFAULT_POLICY, FreshnessPolicies, type FreshnessPolicy } from './freshness.ts';

type Compiler = FreshnessPolicy['compiler'];

/** A changed policy counts after this time at the latest. */
const KEPT_MS = 5000;

interface KeptChoices {
  readonly found: Promise<ReadonlyMap<string, Compiler>>;
  readonly until: number;
}

/**
 * Whose catalogs nodes get, by the policies `compiler`. All of them are read at once, and kept for
 * a moment, because each request of a node asks.
 */
export class CompilerChoices {
  readonly #policies: FreshnessPolicies;
  readonly #clock: Pick<Clock, 'now'>;
  #kept: KeptChoices | null = null;

  constructor(documents: DocumentStore, clock: Pick<Clock, 'now'>) {
    this.#policies = new FreshnessPolicies(documents);
    this.#clock = clock;
  }

  /** `environment`: the one that the node requests. */
  async choose(certname: string, environment: string): Promise<Compiler> {
    const found = await this.#read();
    const keys = [`nodes/${certname}`, `environments/${environment}`, 'default'];
    const chosen = keys.map((key) => found.get(key)).find((compiler) => compiler !== undefined);
    return chosen ?? DEFAULT_POLICY.compiler;
  }

  #read(): KeptChoices['found'] {
    const now = this.#clock.now();
    if (this.#kept === null || now >= this.#kept.until) {
      const kept = { found: this.#readNow(), until: now + KEPT_MS };
      kept.found.catch(() => {
        if (this.#kept === kept) this.#kept = null;
      });
      this.#kept = kept;
    }
    return this.#kept.found;
  }

  async #readNow(): Promise<ReadonlyMap<string, Compiler>> {
    const entries = await this.#policies.list();
    return new Map(entries.flatMap(({ key, entry }) => (entry.compiler ? [[key, entry.compiler] as const] : [])));
  }
}
