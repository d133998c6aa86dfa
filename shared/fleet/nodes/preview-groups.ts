import type { Classification } from '../../store/ports/node-record.ts';
import type { GroupedNode } from '../../store/ports/node-store.ts';
import { canonicalJson } from '../../util/digest.ts';
import { isJsonObject } from '../../util/json-object.ts';
import type { GroupHierarchy } from '../groups/group-hierarchy.ts';
import type { PlannedChange } from '../groups/group-service.ts';
import { matchesRule, type ReadRuleValue } from '../groups/match-rule.ts';
import { classificationByGroups } from '../groups/node-grouping.ts';
import { classificationDigest } from './classification.ts';
import { type GroupedNodePorts, listRuleValues } from './grouped-nodes.ts';

/** Effect of changed groups on one node. */
export interface PreviewedNode {
  readonly certname: string;
  /** True: the operator classified the node, so that its catalog stays as it is. */
  readonly isPushed: boolean;
  /** Names of groups that the node joins and leaves. */
  readonly joins: readonly string[];
  readonly leaves: readonly string[];
  /** Changed values, such as `environment` and `class web port`; undefined where there is none. */
  readonly values: readonly { readonly name: string; readonly before: unknown; readonly after: unknown }[];
}

/** Finds the nodes whose classification changes when groups change. Nothing is written. */
export async function previewGroups(
  before: GroupHierarchy,
  after: GroupHierarchy,
  ports: GroupedNodePorts,
): Promise<readonly PreviewedNode[]> {
  const changes: PreviewedNode[] = [];
  for await (const page of listRuleValues([before, after], ports)) {
    for (const [node, read] of page) {
      const change = previewNode(node, before, after, read);
      if (change !== null) changes.push(change);
    }
  }
  return changes.sort((a, b) => (a.certname < b.certname ? -1 : 1));
}

/** Effect of one changed group. Lists have at most the limit's number of nodes. */
interface GroupEffect {
  /** The number of nodes in the group. */
  readonly matching: number;
  /** The first of them by certname. */
  readonly nodes: readonly string[];
  /** The numbers of nodes that the group gains and loses. */
  readonly gained: number;
  readonly lost: number;
  /** The number of nodes whose classification changes. */
  readonly changed: number;
  /**
   * The number of nodes whose catalogs are compiled again: those that change, without nodes that
   * the operator classified.
   */
  readonly catalogs: number;
  readonly changes: readonly PreviewedNode[];
  /** False: the time was over before all nodes were looked at. */
  readonly isComplete: boolean;
}

/** Bounds of a preview of one group. */
interface GroupEffectLimits {
  /** Nodes in each list. */
  readonly most: number;
  /** Asked after each 25 nodes. */
  readonly isOver: () => boolean;
}

/** Finds the nodes that are in a changed group, and what changes for nodes. Nothing is written. */
export async function previewGroupEffect(
  { group, before, after }: Pick<PlannedChange, 'group' | 'before' | 'after'>,
  limits: GroupEffectLimits,
  ports: GroupedNodePorts,
): Promise<GroupEffect> {
  const [nodes, changes]: [string[], PreviewedNode[]] = [[], []];
  const counts = { matching: 0, gained: 0, lost: 0, changed: 0, catalogs: 0 };
  const known = before.get(group.id);
  const [ruleBefore, rule] = [known && before.inheritedRuleOf(known), after.inheritedRuleOf(group)];
  for await (const page of listRuleValues([before, after], ports)) {
    for (const [node, read] of page) {
      const isIn = rule !== null && matchesRule(rule, read);
      if (isIn) {
        counts.matching += 1;
        if (nodes.length < limits.most) nodes.push(node.certname);
      }
      const wasIn = ruleBefore !== null && matchesRule(ruleBefore, read);
      // For other nodes, all groups are as before.
      if (!isIn && !wasIn) continue;
      if (isIn && !wasIn) counts.gained += 1;
      if (wasIn && !isIn) counts.lost += 1;
      const change = before === after ? null : previewNode(node, before, after, read);
      if (change === null) continue;
      counts.changed += 1;
      if (!node.isPushed) counts.catalogs += 1;
      if (changes.length < limits.most) changes.push(change);
    }
    if (limits.isOver()) return { ...counts, nodes, changes, isComplete: false };
  }
  return { ...counts, nodes, changes, isComplete: true };
}

function previewNode(
  { certname, isPushed }: GroupedNode,
  before: GroupHierarchy,
  after: GroupHierarchy,
  read: ReadRuleValue,
): PreviewedNode | null {
  const [had, gets] = [before, after].map((one) => classificationByGroups(certname, one, read));
  if (classificationDigest(had ?? null) === classificationDigest(gets ?? null)) return null;
  const [were, are] = [groupNames(before, read), groupNames(after, read)];
  return {
    certname,
    isPushed,
    joins: are.filter((name) => !were.includes(name)),
    leaves: were.filter((name) => !are.includes(name)),
    values: compareValues(flatten(had ?? null), flatten(gets ?? null)),
  };
}

function groupNames(hierarchy: GroupHierarchy, read: ReadRuleValue): readonly string[] {
  return hierarchy.listMatching(read).map(({ name }) => name);
}

/** Each value of a classification by a name that says what it is. */
function flatten(classification: Classification | null): ReadonlyMap<string, unknown> {
  const values = new Map<string, unknown>();
  if (classification === null) return values;
  const { classes, parameters, environment, failure } = classification;
  if (failure !== undefined) values.set('conflict', failure);
  if (environment !== null) values.set('environment', environment);
  for (const [name, set] of Object.entries(classes)) {
    values.set(`class ${name}`, 'declared');
    for (const [parameter, value] of Object.entries(isJsonObject(set) ? set : {})) {
      values.set(`class ${name} ${parameter}`, value);
    }
  }
  for (const [key, value] of Object.entries(classification.data ?? {})) values.set(`data ${key}`, value);
  for (const [name, value] of Object.entries(parameters)) values.set(`variable ${name}`, value);
  return values;
}

function compareValues(before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>) {
  const names = [...new Set([...before.keys(), ...after.keys()])];
  const changed = names.filter((name) => canonicalJson(before.get(name)) !== canonicalJson(after.get(name)));
  return changed.map((name) => ({ name, before: before.get(name), after: after.get(name) }));
}
