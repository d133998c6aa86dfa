import { setImmediate as nextTurn } from 'node:timers/promises';
import type { GroupedNode, NodeStore } from '../../store/ports/node-store.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { inParallel } from '../../util/in-parallel.ts';
import { loadFacts } from '../facts/facts-blob.ts';
import type { GroupHierarchy } from '../groups/group-hierarchy.ts';
import { type ReadRuleValue, valuesOf } from '../groups/match-rule.ts';
import type { NodeGroup } from '../groups/node-group.ts';
import { keptValuesOf } from '../groups/node-grouping.ts';

export type GroupedNodePorts = Pick<Stores, 'nodes' | 'blobs'>;

const NODES_A_PAGE = 500;
const NODES_A_STEP = 25;
const NODES_AT_ONCE = 16;

/**
 * Lists the values of all nodes that rules look at: from their records, or else from their facts.
 * Facts take milliseconds a node, so that it gives few nodes at a time, and requests are served in
 * between.
 */
export async function* listRuleValues(
  hierarchies: readonly GroupHierarchy[],
  { nodes, blobs }: GroupedNodePorts,
): AsyncGenerator<readonly (readonly [GroupedNode, ReadRuleValue])[]> {
  for await (const some of listSteps(nodes)) {
    yield await inParallel(NODES_AT_ONCE, some, async (node) => {
      const kept = hierarchies.map((one) => node.grouping && keptValuesOf(node.certname, node.grouping, one));
      const last = kept.at(-1);
      if (last && kept.every((one) => one !== null)) return [node, last] as const;
      const facts = await loadFacts(blobs, node);
      const subject = { name: node.certname, fact: facts?.facts ?? null, trusted: facts?.trusted ?? null };
      return [node, valuesOf(subject)] as const;
    });
  }
}

async function* listSteps(nodes: Pick<NodeStore, 'listGroupings'>): AsyncGenerator<readonly GroupedNode[]> {
  for await (const page of listPages(nodes)) {
    for (let first = 0; first < page.length; first += NODES_A_STEP) {
      yield page.slice(first, first + NODES_A_STEP);
      await nextTurn();
    }
  }
}

async function* listPages(nodes: Pick<NodeStore, 'listGroupings'>): AsyncGenerator<readonly GroupedNode[]> {
  for (let after: string | null = null; ; ) {
    const page: readonly GroupedNode[] = await nodes.listGroupings(after, NODES_A_PAGE);
    yield page;
    after = page.at(-1)?.certname ?? null;
    if (page.length < NODES_A_PAGE) return;
  }
}

/** The nodes that are in a group, sorted. */
export async function listGroupMembers(
  group: NodeGroup,
  hierarchy: GroupHierarchy,
  ports: GroupedNodePorts,
): Promise<readonly string[]> {
  const members: string[] = [];
  for await (const page of listRuleValues([hierarchy], ports)) {
    members.push(...page.flatMap(([{ certname }, read]) => (hierarchy.isMember(group, read) ? [certname] : [])));
  }
  return members.sort();
}
