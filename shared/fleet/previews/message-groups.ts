import { countUnits } from '../../util/count-units.ts';
import { createFold } from '../failures/fold-message.ts';
import type { FailingNode } from './preview-catalogs.ts';

/** Nodes with the same message. */
export interface AlikeFailures {
  /** The first node's; `<certname>`, `<number>` … stand for what differs among several nodes. */
  readonly message: string;
  readonly count: number;
  /** At most 50. */
  readonly nodes: readonly string[];
}

const MOST_MESSAGES = 5000;
const MOST_NODES_SHOWN = 50;

interface MessageGroup {
  readonly masked: string;
  readonly first: string;
  count: number;
  readonly nodes: string[];
}

/** Sums up messages of nodes: those are one that `createFold` makes equal. */
export class MessageGroups {
  readonly #groups = new Map<string, MessageGroup>();
  omitted = 0;

  add(certname: string, message: string): void {
    const masked = createFold(certname)(message);
    const group = this.#groups.get(masked) ?? { masked, first: message, count: 0, nodes: [] };
    if (group.count === 0 && this.#groups.size >= MOST_MESSAGES) {
      this.omitted += 1;
      return;
    }
    this.#groups.set(masked, group);
    group.count += 1;
    if (group.nodes.length < MOST_NODES_SHOWN) group.nodes.push(certname);
  }

  list(): readonly AlikeFailures[] {
    return [...this.#groups.values()]
      .sort((a, b) => b.count - a.count)
      .map(({ masked, first, count, nodes }) => ({ message: count > 1 ? masked : first, count, nodes }));
  }
}

const MOST_NAMES = 5;

/** Some names of the nodes, and how many more there are. */
export function nameNodes({ nodes, count }: Pick<AlikeFailures, 'nodes' | 'count'>): string {
  const shown = nodes.slice(0, MOST_NAMES);
  const others = count - shown.length;
  return others > 0 ? `${shown.join(', ')} and ${others} more` : shown.join(', ');
}

/** One line for each message: the nodes, `what` becomes of them, and why. */
export function describeFailures(failures: readonly FailingNode[], what: string): readonly string[] {
  const groups = new MessageGroups();
  for (const { certname, message } of failures) groups.add(certname, message);
  return groups.list().map((group) => {
    if (group.count === 1) return `${group.nodes[0]} ${what}: ${group.message}`;
    return `${countUnits(group.count, 'node')} ${what}: ${group.message} (${nameNodes(group)})`;
  });
}
