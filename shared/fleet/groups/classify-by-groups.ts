import { canonicalJson } from '../../util/digest.ts';
import type { GroupHierarchy } from './group-hierarchy.ts';
import type { ReadRuleValue } from './match-rule.ts';
import type { ClassValues, GroupValues, NodeGroup } from './node-group.ts';

/** A value, and the group that has it. */
export interface SourcedValue {
  readonly value: unknown;
  /** The leaf group that brings the value. */
  readonly from: NodeGroup;
  /** That group, or the one above it that sets the value. */
  readonly definedBy: NodeGroup;
}

type SourcedValues = ReadonlyMap<string, SourcedValue>;

/** A leaf group with what it inherits: the nearest group wins. */
export interface InheritedClassification {
  readonly group: NodeGroup;
  readonly environment: SourcedValue;
  /** By class and parameter. A class without parameters is there, too. */
  readonly classes: ReadonlyMap<string, SourcedValues>;
  readonly configData: ReadonlyMap<string, SourcedValues>;
  readonly variables: SourcedValues;
  /** For each class, the nearest group that declares it. */
  readonly declared: ReadonlyMap<string, NodeGroup>;
}

/** Values on which leaf groups disagree, with the values of each. */
export interface ClassificationConflicts {
  readonly environment?: readonly SourcedValue[];
  readonly variables?: Readonly<Record<string, readonly SourcedValue[]>>;
  readonly classes?: Readonly<Record<string, Readonly<Record<string, readonly SourcedValue[]>>>>;
  readonly configData?: Readonly<Record<string, Readonly<Record<string, readonly SourcedValue[]>>>>;
}

export interface FinalClassification {
  readonly environment: string;
  readonly classes: ClassValues;
  readonly configData: ClassValues;
  readonly variables: GroupValues;
}

/** The groups' answer for one node, with all steps to it. */
export interface GroupClassification {
  /** The groups that the node is in, those far below the root first. */
  readonly matching: readonly NodeGroup[];
  /** Groups without a matching group below, each with what it inherits. */
  readonly leaves: readonly InheritedClassification[];
  /** Null when the groups agree. */
  readonly conflicts: ClassificationConflicts | null;
  /** Null when there are conflicts, or the node is in no group. */
  readonly final: FinalClassification | null;
}

/**
 * Classifies a node: finds its groups, merges each leaf with the groups above it, and joins the
 * leaves. Puppet Enterprise: "How node group inheritance works", and the classifier API's
 * explanation of a classification.
 */
export function classifyByGroups(hierarchy: GroupHierarchy, read: ReadRuleValue): GroupClassification {
  const found = hierarchy.listMatching(read);
  const parents = new Set(found.filter(({ id, parent }) => id !== parent).map(({ parent }) => parent));
  const depths = new Map(found.map((group) => [group.id, hierarchy.ancestorsOf(group).length]));
  const matching = found.toSorted((a, b) => (depths.get(b.id) ?? 0) - (depths.get(a.id) ?? 0));
  const leaves = found.filter(({ id }) => !parents.has(id)).map((group) => inherit(group, hierarchy));
  const conflicts = findConflicts(leaves);
  return { matching, leaves, conflicts, final: conflicts === null ? joinLeaves(leaves) : null };
}

function inherit(leaf: NodeGroup, hierarchy: GroupHierarchy): InheritedClassification {
  const chain = [leaf, ...hierarchy.ancestorsOf(leaf)];
  const declared = new Map<string, NodeGroup>();
  for (const group of chain) {
    for (const name of Object.keys(group.classes)) if (!declared.has(name)) declared.set(name, group);
  }
  return {
    group: leaf,
    environment: { value: leaf.environment, from: leaf, definedBy: leaf },
    classes: mergeClasses(leaf, chain, ({ classes }) => classes),
    configData: mergeClasses(leaf, chain, ({ configData }) => configData),
    variables: mergeValues(leaf, chain, ({ variables }) => variables),
    declared,
  };
}

function mergeClasses(
  from: NodeGroup,
  chain: readonly NodeGroup[],
  valuesOf: (group: NodeGroup) => ClassValues,
): ReadonlyMap<string, SourcedValues> {
  const names = new Set(chain.flatMap((group) => Object.keys(valuesOf(group))));
  return new Map(
    [...names].map((name) => [name, mergeValues(from, chain, (group) => valuesOf(group)[name] ?? {})] as const),
  );
}

function mergeValues(
  from: NodeGroup,
  chain: readonly NodeGroup[],
  valuesOf: (group: NodeGroup) => GroupValues,
): SourcedValues {
  const merged = new Map<string, SourcedValue>();
  for (const definedBy of chain) {
    for (const [name, value] of Object.entries(valuesOf(definedBy))) {
      if (!merged.has(name)) merged.set(name, { value, from, definedBy });
    }
  }
  return merged;
}

/** The leaves whose environment counts: those that trump, if there are any. */
export function listEnvironmentLeaves(leaves: readonly InheritedClassification[]) {
  const trumping = leaves.filter(({ group }) => group.environmentTrumps);
  return trumping.length > 0 ? trumping : leaves;
}

function findConflicts(leaves: readonly InheritedClassification[]): ClassificationConflicts | null {
  const environment = disagreement(listEnvironmentLeaves(leaves).map((leaf) => leaf.environment));
  const variables = findDisagreements(leaves.map((leaf) => leaf.variables));
  const classes = findClassDisagreements(leaves.map((leaf) => leaf.classes));
  const configData = findClassDisagreements(leaves.map((leaf) => leaf.configData));
  const conflicts = {
    ...(environment && { environment }),
    ...(variables && { variables }),
    ...(classes && { classes }),
    ...(configData && { configData }),
  };
  return Object.keys(conflicts).length === 0 ? null : conflicts;
}

function findClassDisagreements(all: readonly ReadonlyMap<string, SourcedValues>[]) {
  const names = new Set(all.flatMap((classes) => [...classes.keys()]));
  const found = [...names].flatMap((name) => {
    const conflicts = findDisagreements(all.flatMap((classes) => classes.get(name) ?? []));
    return conflicts ? [[name, conflicts] as const] : [];
  });
  return found.length === 0 ? null : Object.fromEntries(found);
}

function findDisagreements(all: readonly SourcedValues[]): Readonly<Record<string, readonly SourcedValue[]>> | null {
  const names = new Set(all.flatMap((values) => [...values.keys()]));
  const found = [...names].flatMap((name) => {
    const values = disagreement(all.flatMap((one) => one.get(name) ?? []));
    return values ? [[name, values] as const] : [];
  });
  return found.length === 0 ? null : Object.fromEntries(found);
}

/** All values when they differ; null when they are equal. */
function disagreement(values: readonly SourcedValue[]): readonly SourcedValue[] | null {
  const texts = new Set(values.map(({ value }) => canonicalJson(value)));
  return texts.size > 1 ? values : null;
}

function joinLeaves(leaves: readonly InheritedClassification[]): FinalClassification | null {
  const [first] = listEnvironmentLeaves(leaves);
  if (first === undefined) return null;
  return {
    environment: first.group.environment,
    classes: plainClasses(leaves.flatMap((leaf) => [...leaf.classes])),
    configData: plainClasses(leaves.flatMap((leaf) => [...leaf.configData])),
    variables: plainValues(leaves.flatMap((leaf) => [...leaf.variables])),
  };
}

/** Values without their sources; those of the same class are joined. */
export function plainClasses(classes: Iterable<readonly [string, SourcedValues]>): ClassValues {
  const joined: Record<string, GroupValues> = {};
  for (const [name, values] of classes) joined[name] = { ...joined[name], ...plainValues(values) };
  return joined;
}

/** Values without their sources. */
export function plainValues(values: Iterable<readonly [string, SourcedValue]>): GroupValues {
  return Object.fromEntries([...values].map(([name, { value }]) => [name, value]));
}
