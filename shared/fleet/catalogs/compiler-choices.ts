import type { Clock } from '../../store/ports/clock.ts';
import type { DocumentStore } from '../../store/ports/document-store.ts';
import { cacheFor } from '../../util/cache-for.ts';
import { FreshnessPolicies } from '../policies/freshness-policies.ts';
import { DEFAULT_POLICY, type FreshnessPolicy } from '../policies/policy-fields.ts';

type Compiler = FreshnessPolicy['compiler'];

/**
 * The policies `compiler`: whose catalogs nodes get. All policies are read at once and kept for
 * `keptMs`, because each request of a node asks: a changed policy counts after this time.
 */
export class CompilerChoices {
  readonly #read: () => Promise<ReadonlyMap<string, Compiler>>;

  constructor(documents: DocumentStore, clock: Pick<Clock, 'now'>, keptMs: number) {
    const policies = new FreshnessPolicies(documents);
    this.#read = cacheFor(keptMs, clock, () => readCompilers(policies));
  }

  /** `environment`: the one that the node requests. */
  async choose(certname: string, environment: string): Promise<Compiler> {
    const found = await this.#read();
    const keys = [`nodes/${certname}`, `environments/${environment}`, 'default'];
    const chosen = keys.map((key) => found.get(key)).find((compiler) => compiler !== undefined);
    return chosen ?? DEFAULT_POLICY.compiler;
  }
}

async function readCompilers(policies: FreshnessPolicies): Promise<ReadonlyMap<string, Compiler>> {
  const entries = await policies.list();
  return new Map(entries.flatMap(({ key, entry }) => (entry.compiler ? [[key, entry.compiler] as const] : [])));
}
