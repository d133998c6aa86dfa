import { GroupRefused } from './group-refused.ts';
import { type FactPath, type GroupRule, listRulePaths, pathKey } from './group-rule.ts';
import { matchesRule, type ReadRuleValue } from './match-rule.ts';
import { type NodeGroup, ROOT_GROUP, ROOT_ID } from './node-group.ts';

/** All groups at one moment, and what follows from their order. It never changes. */
export class GroupHierarchy {
  /** Sorted by name. */
  readonly groups: readonly NodeGroup[];
  /** The paths that the rules of all groups read, without the name. */
  readonly paths: readonly Exclude<FactPath, 'name'>[];
  readonly #byId: ReadonlyMap<string, NodeGroup>;
  readonly #children: ReadonlyMap<string, readonly NodeGroup[]>;

  /** Throws GroupRefused (`missing-parent`, `inheritance-cycle`) unless the root is above all. */
  constructor(groups: readonly NodeGroup[]) {
    this.groups = groups.toSorted((a, b) => compareTexts(a.name, b.name) || compareTexts(a.id, b.id));
    this.#byId = new Map(groups.map((group) => [group.id, group]));
    const below = this.groups.filter(({ id }) => id !== ROOT_ID);
    this.#children = Map.groupBy(below, ({ parent }) => parent);
    this.#requireTree();
    this.paths = listPaths(groups);
  }

  /** The root alone. */
  static readonly initial = new GroupHierarchy([ROOT_GROUP]);

  get(id: string): NodeGroup | null {
    return this.#byId.get(id) ?? null;
  }

  get root(): NodeGroup {
    return this.#byId.get(ROOT_ID) ?? ROOT_GROUP;
  }

  /** The groups directly below, sorted by name. */
  childrenOf(id: string): readonly NodeGroup[] {
    return this.#children.get(id) ?? [];
  }

  /** The groups above, the nearest first; none for the root. */
  ancestorsOf(group: NodeGroup): readonly NodeGroup[] {
    const above: NodeGroup[] = [];
    for (let each = group; each.id !== ROOT_ID; ) {
      const parent = this.#byId.get(each.parent);
      if (parent === undefined) break;
      above.push(parent);
      each = parent;
    }
    return above;
  }

  /**
   * The condition for a node to be in the group: its own rule and those of all groups above. Null
   * when one of them has no rule, so that no node is in it.
   */
  inheritedRuleOf(group: NodeGroup): GroupRule | null {
    const [own, ...above] = [group, ...this.ancestorsOf(group)].map(({ rule }) => rule);
    if (own === undefined || own === null) return null;
    const rules = above.filter((rule) => rule !== null);
    if (rules.length < above.length) return null;
    return rules.length === 0 ? own : ['and', own, ...rules];
  }

  /**
   * The groups that a node is in, each behind those above it. A group is looked at only when the
   * node is in its parent.
   */
  listMatching(read: ReadRuleValue): readonly NodeGroup[] {
    const found: NodeGroup[] = [];
    const pending = [this.root];
    for (let group = pending.pop(); group !== undefined; group = pending.pop()) {
      if (group.rule === null || !matchesRule(group.rule, read)) continue;
      found.push(group);
      pending.push(...this.childrenOf(group.id).toReversed());
    }
    return found;
  }

  /** Whether a node is in the group. */
  isMember(group: NodeGroup, read: ReadRuleValue): boolean {
    const rule = this.inheritedRuleOf(group);
    return rule !== null && matchesRule(rule, read);
  }

  #requireTree(): void {
    if (!this.#byId.has(ROOT_ID)) {
      throw new GroupRefused('unreachable-groups', 'There is no root group', this.groups);
    }
    const orphan = this.groups.find(({ parent }) => !this.#byId.has(parent));
    if (orphan !== undefined) {
      const message = `The parent ${orphan.parent} of the group '${orphan.name}' does not exist`;
      throw new GroupRefused('missing-parent', message, { group: orphan.id, parent: orphan.parent });
    }
    const reached = new Set([ROOT_ID]);
    for (const id of reached) for (const child of this.childrenOf(id)) reached.add(child.id);
    const lost = this.groups.filter(({ id }) => !reached.has(id));
    if (lost.length === 0) return;
    const names = lost.map(({ name }) => name);
    const message = `The groups ${names.join(', ')} inherit from each other, and not from the root`;
    throw new GroupRefused('inheritance-cycle', message, names);
  }
}

function listPaths(groups: readonly NodeGroup[]): readonly Exclude<FactPath, 'name'>[] {
  const paths = new Map<string, Exclude<FactPath, 'name'>>();
  for (const { rule } of groups) {
    for (const path of rule === null ? [] : listRulePaths(rule)) if (path !== 'name') paths.set(pathKey(path), path);
  }
  return [...paths.values()];
}

function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
