import type { NodeRecord } from '../../store/ports/node-record.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { inParallel } from '../../util/in-parallel.ts';

/** A role: nodes affected by a deploy that share a dependency set. */
interface AlikeNodes {
  readonly size: number;
  /** The nodes to compile on behalf of the group. */
  readonly sample: readonly NodeRecord[];
}

/** The chosen nodes, by group. */
export interface ChosenNodes {
  readonly groups: readonly AlikeNodes[];
  /** Number of groups without a chosen node: there are more groups than nodes to choose. */
  readonly groupsLeftOut: number;
}

const READS_AT_ONCE = 16;
/** Maximum of records to read; of more nodes, an even sample is read. */
const MOST_READ = 10_000;

/** Bounds of the choice. */
export interface NodeBounds {
  /** Maximum of all groups together. */
  readonly nodes: number;
  /** Maximum of one group; absent: any number. */
  readonly nodesAGroup?: number;
}

/**
 * Chooses at most `nodes` of the nodes: all of them, or a sample of each group with the same
 * dependency set, larger for larger groups. Nodes whose last compile failed form separate groups.
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

/**
 * Divides `most` among groups of these sizes: one each, then one at a time to the group with the
 * smallest chosen fraction. Returns the number for each group.
 */
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

/** Returns at most `most` items, evenly spaced. */
function spread<T>(items: readonly T[], most: number): readonly T[] {
  if (items.length <= most) return items;
  return Array.from({ length: most }, (_, index) => items[Math.floor((index * items.length) / most)]).flatMap((item) =>
    item === undefined ? [] : [item],
  );
}
