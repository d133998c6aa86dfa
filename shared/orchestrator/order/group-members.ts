import type { Precedence } from '../jobs/job-order.ts';
import type { EnvironmentGraph, GraphGroup } from './environment-graph.ts';
import { filterByPatterns } from './node-pattern.ts';

/** A group, and those of some nodes that are in it. */
export interface GroupMembers {
  readonly group: GraphGroup;
  readonly nodes: readonly string[];
}

/** The groups of a graph with those of the names that they have, in the order of the graph. */
export function findGroupMembers({ groups }: EnvironmentGraph, names: readonly string[]): readonly GroupMembers[] {
  return groups.map((group) => ({ group, nodes: filterByPatterns(group.nodes, names) }));
}

/**
 * Returns the order that groups impose on their members. A node that is in a group and in one that
 * runs before it runs with the earlier one. A group without members passes on what it waits for.
 */
export function orderGroups(members: readonly GroupMembers[]): readonly Precedence[] {
  const byName = new Map(members.map((one) => [one.group.name, one]));
  const earlier = new Map<string, ReadonlySet<string>>();
  const nearest = new Map<string, readonly GroupMembers[]>();
  const precedences: Precedence[] = [];
  // A group stands after those that it waits for.
  for (const { group, nodes } of members) {
    const direct = group.after.flatMap((name) => byName.get(name) ?? []);
    const found = direct.flatMap((one) => (one.nodes.length > 0 ? [one] : (nearest.get(one.group.name) ?? [])));
    nearest.set(group.name, [...new Set(found)]);
    const names = new Set(direct.flatMap((one) => [one.group.name, ...(earlier.get(one.group.name) ?? [])]));
    earlier.set(group.name, names);
    const isBefore = new Set([...names].flatMap((name) => byName.get(name)?.nodes ?? []));
    const after = nodes.filter((name) => !isBefore.has(name));
    for (const one of new Set(found)) {
      const reason = `the group ${group.name} waits for the group ${one.group.name}`;
      precedences.push({ before: one.nodes, after, reason });
    }
  }
  return precedences.filter(({ after }) => after.length > 0);
}
