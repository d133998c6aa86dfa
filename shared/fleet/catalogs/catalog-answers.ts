import type { CatalogPointer, NodeRecord } from '../../store/ports/node-record.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { environmentInForce } from '../nodes/classification.ts';
import { retryAfterSeconds } from '../policies/freshness-policies.ts';
import type { FreshnessPolicy } from '../policies/policy-fields.ts';
import { loadCatalog } from './catalog-blob.ts';
import type { CatalogAnswer, CheckIn } from './catalog-service.ts';

/** Shed clients get a Retry-After spread over this multiple of the normal range. */
export const SHED_FACTOR = 3;

/** A check-in without its facts, for a held request. */
export type FactlessCheckIn = Omit<CheckIn, 'facts'>;

/** Answers check-ins from the stored catalogs. */
export class CatalogAnswers {
  readonly #ports: Pick<Stores, 'blobs' | 'clock'>;

  constructor(ports: Pick<Stores, 'blobs' | 'clock'>) {
    this.#ports = ports;
  }

  /** The result of the last commit; null when its catalog is missing from the blob store. */
  async answer(node: NodeRecord, checkIn: FactlessCheckIn): Promise<CatalogAnswer | null> {
    if (node.failure) return { status: 'failed', message: node.failure.message };
    return node.catalog && this.#loadCatalog(node.catalog, checkIn, 'current');
  }

  /** The last good catalog, if it was compiled in the node's environment. */
  async answerStale(node: NodeRecord, checkIn: FactlessCheckIn): Promise<CatalogAnswer | null> {
    const environment = environmentInForce(node, checkIn.environment);
    if (node.inputs?.environment !== environment || !node.catalog) return null;
    return this.#loadCatalog(node.catalog, checkIn, 'stale');
  }

  /** Load shedding: answers with an older catalog, or with a longer Retry-After. */
  async shedLoad(node: NodeRecord, checkIn: FactlessCheckIn, policy: FreshnessPolicy): Promise<CatalogAnswer> {
    const stale = policy.afterHold === 'stale' ? await this.answerStale(node, checkIn) : null;
    return stale ?? this.answerRetryLater(policy, SHED_FACTOR);
  }

  /** Status 503 with a time from the policy's range, which `factor` widens. */
  answerRetryLater(policy: FreshnessPolicy, factor = 1): CatalogAnswer {
    return { status: 'unavailable', retryAfterSeconds: retryAfterSeconds(policy, this.#ports.clock, factor) };
  }

  async #loadCatalog(
    pointer: CatalogPointer,
    { checksumType }: FactlessCheckIn,
    status: 'current' | 'stale',
  ): Promise<CatalogAnswer | null> {
    const { codeId } = pointer;
    const hash = (checksumType && pointer.static?.[checksumType]) || pointer.hash;
    const catalog = await loadCatalog(this.#ports.blobs, hash);
    return catalog && { status, catalog, hash, codeId };
  }
}
