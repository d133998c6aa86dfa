import type { NodeRecord } from '../../store/ports/node-record.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { inParallel } from '../../util/in-parallel.ts';

/** Nodes that a deploy touches and that depend on equal parts of the code: a role. */
interface AlikeNodes {
  readonly size: number;
  /** The nodes that stand for the group. */
  readonly sample: readonly NodeRecord[];
}

/** The chosen nodes, and what they were chosen from. */
export interface ChosenNodes {
  readonly groups: readonly AlikeNodes[];
  /** Groups of which no node was chosen: there are more groups than nodes may be compiled. */
  readonly groupsLeftOut: number;
}

const READS_AT_ONCE = 16;
/** Bound on the nodes that are looked at: a larger number is sampled evenly. */
const MOST_READ = 10_000;

/** Bounds of the choice. */
export interface NodeBounds {
  readonly nodes: number;
  /** The most of one group; absent: any number. */
  readonly nodesAGroup?: number;
}

/**
 * Chooses at most `nodes` of the nodes: all of them, or a sample of each group of equal dependency
 * parts, of large groups more. Nodes that fail now are groups of their own.
 */
export async function chooseNodes(
  certnames: readonly string[],
  { nodes: most, nodesAGroup = most }: NodeBounds,
  { nodes }: Pick<Stores, 'nodes'>,
): Promise<ChosenNodes> {
  const read = spread(certnames, MOST_READ);
  const found = (await inParallel(READS_AT_ONCE, read, (certname) => nodes.get(certname))).flatMap((one) => one ?? []);
  const members = [...Map.groupBy(found, keyOf).values()].sort((a, b) => b.length - a.length);
  const shown = members.slice(0, most);
  const shares = shareOut(
    shown.map((group) => Math.min(group.length, nodesAGroup)),
    most,
  );
  const scale = read.length === 0 ? 1 : certnames.length / read.length;
  return {
    groups: shown.map((group, index) => ({
      size: Math.round(group.length * scale),
      sample: spread(group, shares[index] ?? 1),
    })),
    groupsLeftOut: members.length - shown.length,
  };
}

function keyOf({ inputs, failure }: NodeRecord): string {
  return `${inputs?.dependencies.set ?? ''} ${failure === null}`;
}

/** Gives each group one, then the rest to those of which the smallest share is chosen. */
export function shareOut(sizes: readonly number[], most: number): readonly number[] {
  const shares = sizes.map(() => 1);
  let left = most - sizes.length;
  while (left > 0) {
    let next = -1;
    for (const [index, size] of sizes.entries()) {
      const share = (shares[index] ?? 0) / size;
      if (share < 1 && (next < 0 || share < (shares[next] ?? 0) / (sizes[next] ?? 1))) next = index;
    }
    if (next < 0) break;
    shares[next] = (shares[next] ?? 0) + 1;
    left -= 1;
  }
  return shares;
}

/** At most `most` items, evenly spaced. */
function spread<T>(items: readonly T[], most: number): readonly T[] {
  if (items.length <= most) return items;
  return Array.from({ length: most }, (_, index) => items[Math.floor((index * items.length) / most)]).flatMap((item) =>
    item === undefined ? [] : [item],
  );
}
