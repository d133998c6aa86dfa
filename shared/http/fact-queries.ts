import {
  askForValues,
  type FactDistribution,
  joinFactPath,
  readDistribution,
  splitFactPath,
} from '../fleet/facts/fact-distribution.ts';
import type { RowQueries } from '../orchestrator/jobs/inventory-queries.ts';
import type { Clock } from '../store/ports/clock.ts';
import { BoundedCache } from '../util/bounded-cache.ts';
import { isJsonObject } from '../util/json-object.ts';
import { quotePattern } from '../util/literal-pattern.ts';
import { askInventory } from './ask-inventory.ts';
import { badRequestError } from './exchange/answers.ts';

interface KeptDistribution {
  readonly at: number;
  readonly found: Promise<FactDistribution>;
}

/** A distribution reads the facts of all nodes: all who look share one for a minute. */
const KEPT_MS = 60_000;
const MOST_KEPT = 32;
const MOST_PATHS = 100;
/** Rows that are read for them: the elements of an array have a path each. */
const MOST_ROWS = 1000;
const LONGEST_PATH = 500;

/** Answers about facts over all nodes, by queries of the inventory. */
export class FactQueries {
  readonly #rows: RowQueries | null;
  readonly #clock: Clock;
  readonly #kept = new BoundedCache<KeptDistribution>(MOST_KEPT);

  /** `rows` is null without an inventory. */
  constructor(rows: RowQueries | null, clock: Clock) {
    this.#rows = rows;
    this.#clock = clock;
  }

  /** The values of a fact, as it was at most a minute ago. Refuses a path that is none. */
  async distribute(path: string): Promise<FactDistribution & { readonly at: number }> {
    const names = splitFactPath(path);
    if (path.length > LONGEST_PATH || names.length === 0 || joinFactPath(names) !== path) {
      throw badRequestError(`'path' must be a path such as os.release.major, not '${path.slice(0, LONGEST_PATH)}'`);
    }
    const known = this.#kept.get(path);
    const now = this.#clock.now();
    const kept =
      known !== undefined && now - known.at < KEPT_MS
        ? known
        : { at: now, found: this.#ask(askForValues(names)).then((rows) => readDistribution(names, rows)) };
    if (kept !== known) {
      this.#kept.set(path, kept);
      kept.found.catch(() => {
        if (this.#kept.peek(path) === kept) this.#kept.delete(path);
      });
    }
    return { at: kept.at, ...(await kept.found) };
  }

  /** The paths that contain a text, in their order, at most 100; an array counts as one value. */
  async listPaths(search: string): Promise<{ readonly paths: readonly string[]; readonly hasMore: boolean }> {
    if (search.length > LONGEST_PATH) throw badRequestError(`'search' has more than ${LONGEST_PATH} characters`);
    const pattern = search.toLowerCase().split('.').map(quotePattern).join('#~');
    const rows = await this.#ask(
      JSON.stringify([
        'from',
        'fact_paths',
        ['extract', ['path'], ['~', 'path', `(?i)${pattern}`]],
        ['order_by', ['path']],
        ['limit', MOST_ROWS],
      ]),
    );
    const found = [...new Set(rows.flatMap(readPath))];
    const hasMore = rows.length === MOST_ROWS || found.length > MOST_PATHS;
    return { paths: found.slice(0, MOST_PATHS), hasMore };
  }

  #ask(query: string): Promise<readonly unknown[]> {
    return askInventory(this.#rows, query, 'Facts of all nodes are known');
  }
}

/** The path up to the first index, as `interfaces.eth0.bindings`. */
function readPath(row: unknown): readonly string[] {
  const parts: unknown = isJsonObject(row) ? row.path : null;
  if (!Array.isArray(parts)) return [];
  const index = parts.findIndex((part) => typeof part === 'number');
  const names = (index < 0 ? parts : parts.slice(0, index)).map(String);
  return names.some((name) => name.includes('"')) ? [] : [joinFactPath(names)];
}
