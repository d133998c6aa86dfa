import type { Classification, Grouping, NodeRecord, RuleValues } from '../../store/ports/node-record.ts';
import { canonicalJson } from '../../util/digest.ts';
import { classifyByGroups, type GroupClassification } from './classify-by-groups.ts';
import type { GroupHierarchy } from './group-hierarchy.ts';
import { pathKey } from './group-rule.ts';
import type { CurrentHierarchy } from './hierarchy-store.ts';
import { type ReadRuleValue, type RuleSubject, valuesOf } from './match-rule.ts';
import { AGENT_SPECIFIED, type ClassValues, DEFAULT_ENVIRONMENT, ROOT_ID } from './node-group.ts';
import { describeConflicts } from './print-classification.ts';

/** Values that take more characters are not kept in the record: the facts have them. */
const MOST_KEPT = 8000;
/** Values that changed without changing the answer are noted at most this often. */
const NOTED_MS = 3600_000;

/**
 * The answer of the groups in force for a node with these facts; null without any change of groups.
 */
export function groupNode({ hierarchy, head }: CurrentHierarchy, subject: RuleSubject, at: number): Grouping | null {
  if (head === null) return null;
  const read = valuesOf(subject);
  const paths = hierarchy.paths.map(pathKey);
  const values = keepValues(hierarchy, read);
  return {
    state: head.digest,
    classification: classificationByGroups(subject.name, hierarchy, read),
    values,
    paths,
    at,
  };
}

/** Classifies a node by the groups; null when they say nothing. */
export function classificationByGroups(
  certname: string,
  hierarchy: GroupHierarchy,
  read: ReadRuleValue,
): Classification | null {
  const classification = classifyByGroups(hierarchy, read);
  const { final, conflicts } = classification;
  if (isSilent(classification)) return null;
  if (final === null) {
    const lines = conflicts === null ? [] : describeConflicts(conflicts);
    const failure = `The node groups of ${certname} have conflicting values: ${lines.join('; ')}`;
    return { classes: {}, parameters: {}, environment: null, failure };
  }
  const environment = final.environment === AGENT_SPECIFIED ? null : final.environment;
  // Sorted: equal answers are equal texts, whatever the groups are called.
  const classified = { classes: sortClasses(final.classes), parameters: sortNames(final.variables), environment };
  const data = dataOf(final.configData);
  return Object.keys(data).length === 0 ? classified : { ...classified, data };
}

/** Configuration data by the keys that Hiera asks for. */
function dataOf(configData: ClassValues): Readonly<Record<string, unknown>> {
  const keys = Object.entries(configData).flatMap(([name, values]) =>
    Object.entries(values).map(([parameter, value]) => [`${name}::${parameter}`, value] as const),
  );
  return sortNames(Object.fromEntries(keys));
}

function sortClasses(classes: ClassValues): ClassValues {
  return sortNames(Object.fromEntries(Object.entries(classes).map(([name, values]) => [name, sortNames(values)])));
}

function sortNames<T>(values: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Whether the groups leave a node to others: it is in no group but the root, which says nothing. A
 * first group would otherwise move all nodes of other environments to that of the root.
 */
function isSilent({ matching, leaves }: GroupClassification): boolean {
  const [only, ...others] = leaves;
  if (only === undefined || others.length > 0 || matching.length > 1 || only.group.id !== ROOT_ID) {
    return only === undefined;
  }
  const { environment, environmentTrumps, classes, configData, variables } = only.group;
  const isEmpty = [classes, configData, variables].every((one) => Object.keys(one).length === 0);
  return isEmpty && environment === DEFAULT_ENVIRONMENT && !environmentTrumps;
}

function keepValues(hierarchy: GroupHierarchy, read: ReadRuleValue): RuleValues | null {
  const values: Record<string, string | number | boolean> = {};
  for (const path of hierarchy.paths) {
    const value = read(path);
    if (value !== null) values[pathKey(path)] = value;
  }
  return JSON.stringify(values).length > MOST_KEPT ? null : values;
}

/** The values that a record keeps; null when it does not have all that the rules read. */
export function keptValuesOf(
  certname: string,
  { values, paths }: Grouping,
  hierarchy: GroupHierarchy,
): ReadRuleValue | null {
  const known = new Set(paths);
  if (values === null || !hierarchy.paths.every((path) => known.has(pathKey(path)))) return null;
  return (path) => (path === 'name' ? certname : (values[pathKey(path)] ?? null));
}

/** Whether a grouping that changes no catalog is worth a write of the record. */
export function isWorthNoting(before: NodeRecord['grouping'], after: Grouping | null): after is Grouping {
  if (after === null) return false;
  if (before === null) return true;
  if (after.at - before.at < NOTED_MS) return false;
  return canonicalJson([before.values, before.paths]) !== canonicalJson([after.values, after.paths]);
}
