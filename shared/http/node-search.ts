import type { TargetQueries } from '../orchestrator/jobs/inventory-queries.ts';
import { OrchestratorError } from '../orchestrator/jobs/orchestrator-error.ts';
import type { Clock } from '../store/ports/clock.ts';
import { BoundedCache } from '../util/bounded-cache.ts';
import { badRequestError, notFoundError, unavailableError } from './exchange/answers.ts';

interface FoundNodes {
  readonly at: number;
  readonly certnames: Promise<ReadonlySet<string>>;
}

/** Lifetime of a cached answer: it serves the pages of a list, and the same query of others. */
const KEPT_MS = 10_000;
/** Answers that are kept; one about 100,000 nodes takes 12 MB. */
const MOST_KEPT = 4;
const LONGEST_QUERY = 8192;
const RETRY_SECONDS = 10;

/** Finds nodes for lists by queries of the inventory; the pages of a list share one answer. */
export class NodeSearch {
  readonly #queries: TargetQueries | null;
  readonly #clock: Clock;
  readonly #kept = new BoundedCache<FoundNodes>(MOST_KEPT);

  /** `queries` is null without an inventory. */
  constructor(queries: TargetQueries | null, clock: Clock) {
    this.#queries = queries;
    this.#clock = clock;
  }

  /** The certnames of a query in PQL. Refuses one that cannot be read or answered. */
  async find(query: string): Promise<ReadonlySet<string>> {
    if (query.length > LONGEST_QUERY) throw badRequestError(`'query' has more than ${LONGEST_QUERY} characters`);
    if (this.#queries === null) {
      throw notFoundError('Nodes are found by queries only with an inventory, which this server lacks');
    }
    const known = this.#kept.get(query);
    if (known !== undefined && this.#clock.now() - known.at < KEPT_MS) return known.certnames;
    const found = { at: this.#clock.now(), certnames: ask(this.#queries, query) };
    this.#kept.set(query, found);
    found.certnames.catch(() => {
      if (this.#kept.peek(query) === found) this.#kept.delete(query);
    });
    return found.certnames;
  }
}

async function ask(queries: TargetQueries, query: string): Promise<ReadonlySet<string>> {
  try {
    return new Set(await queries.find(query));
  } catch (error) {
    if (!(error instanceof OrchestratorError)) throw error;
    if (error.kind.endsWith('/query-error')) throw badRequestError(error.message);
    throw unavailableError(error.message, RETRY_SECONDS);
  }
}
