import { canonicalJson, digestSha256 } from '../../util/digest.ts';
import { createMask } from '../failures/fold-message.ts';
import type { CatalogChange } from './list-catalog-changes.ts';

/** Nodes whose catalogs differ by the same causes. */
export interface ChangedNodes {
  /** The compiled ones, at most 50. */
  readonly nodes: readonly string[];
  /** Number of nodes that they stand for. */
  readonly count: number;
  /**
   * At most 200, each with the shortest values of any of the nodes. `<certname>` and `<hostname>`
   * stand for the names of the nodes where there are several.
   */
  readonly differences: readonly CatalogChange[];
}

const MOST_NODES_SHOWN = 50;
const MOST_DIFFERENCES = 200;
/** Further causes are counted alone. */
const MOST_CAUSES = 20_000;

interface Cause {
  /** The change, with the names of the node masked. */
  readonly masked: string;
  readonly nodes: string[];
  count: number;
  weight: number;
  /** Equal for causes that the same nodes have; the order of the nodes does not matter. */
  members: bigint;
  example: CatalogChange;
  size: number;
}

/**
 * Groups what changes in the catalogs of nodes by cause: the same parameter of the same resource,
 * whatever its values. Causes that the same nodes have form one group. Takes one node at a time;
 * its memory grows with the causes and not with the nodes.
 */
export class ChangeGroups {
  readonly #causes = new Map<string, Cause>();
  #omitted = 0;

  /** Changes that had no room. */
  get omitted(): number {
    return this.#omitted;
  }

  /** `weight`: how many nodes it stands for. */
  add(certname: string, changes: readonly CatalogChange[], weight = 1): void {
    const mask = createMask(certname);
    const member = BigInt(`0x${digestSha256(certname).slice(0, 24)}`);
    const seen = new Set<string>();
    for (const change of changes) {
      const masked = mask(change.resource);
      const key = canonicalJson([change.kind, masked, change.parameter ?? null]);
      const cause = this.#causes.get(key) ?? this.#create(key, masked, change);
      if (cause === null) continue;
      keepShortest(cause, change);
      if (seen.has(key)) continue;
      seen.add(key);
      cause.count += 1;
      cause.weight += weight;
      cause.members ^= member;
      if (cause.nodes.length < MOST_NODES_SHOWN) cause.nodes.push(certname);
    }
  }

  /** The groups so far, the largest first. */
  list(): readonly ChangedNodes[] {
    const alike = Map.groupBy(this.#causes.values(), ({ members, count }) => `${members} ${count}`);
    return [...alike.values()]
      .flatMap((causes) => {
        const [first] = causes;
        return first === undefined ? [] : [{ first, causes }];
      })
      .sort((a, b) => b.first.weight - a.first.weight)
      .map(({ first, causes }) => ({
        nodes: first.nodes,
        count: Math.round(first.weight),
        differences: causes.slice(0, MOST_DIFFERENCES).map(showCause),
      }));
  }

  #create(key: string, masked: string, example: CatalogChange): Cause | null {
    if (this.#causes.size >= MOST_CAUSES) {
      this.#omitted += 1;
      return null;
    }
    const cause = { masked, nodes: [], count: 0, weight: 0, members: 0n, example, size: sizeOf(example) };
    this.#causes.set(key, cause);
    return cause;
  }
}

function keepShortest(cause: Cause, change: CatalogChange): void {
  const size = sizeOf(change);
  if (size >= cause.size) return;
  cause.example = change;
  cause.size = size;
}

function showCause({ count, masked, example }: Cause): CatalogChange {
  return count > 1 ? { ...example, resource: masked } : example;
}

function sizeOf({ resource, from = '', to = '' }: CatalogChange): number {
  return resource.length + from.length + to.length;
}
