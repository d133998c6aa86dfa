import { isJsonObject } from '../../util/json-object.ts';
import { GroupRefused } from './group-refused.ts';
import { conditionsOf, type GroupRule, isOperation, type RuleOperation } from './group-rule.ts';
import {
  type ClassValues,
  DEFAULT_ENVIRONMENT,
  type GroupContent,
  type GroupDelta,
  type GroupValues,
  type NodeGroup,
  ROOT_ID,
} from './node-group.ts';

/** The content of a new group. Throws GroupRefused when a required member is missing. */
export function contentOf(delta: GroupDelta): GroupContent {
  const { name, parent, classes } = delta;
  const missing = [
    name === undefined ? ['name'] : [],
    parent === undefined ? ['parent'] : [],
    classes === undefined ? ['classes'] : [],
  ].flat();
  if (name === undefined || parent === undefined || classes === undefined) {
    const error = `the required keys ${missing.join(', ')} are missing`;
    throw new GroupRefused('schema-violation', `The group is invalid: ${error}`, { submitted: delta, error });
  }
  return {
    name,
    parent,
    classes,
    description: delta.description ?? null,
    environment: delta.environment ?? DEFAULT_ENVIRONMENT,
    environmentTrumps: delta.environmentTrumps ?? false,
    rule: delta.rule ?? null,
    configData: delta.configData ?? {},
    variables: delta.variables ?? {},
  };
}

/**
 * The group after an edit: classes, config data and variables are merged in depth, and null removes
 * a class, parameter or variable; everything else is replaced.
 */
export function applyDelta(group: NodeGroup, delta: GroupDelta): NodeGroup {
  return {
    ...group,
    name: delta.name ?? group.name,
    parent: delta.parent ?? group.parent,
    description: delta.description === undefined ? group.description : delta.description,
    environment: delta.environment ?? group.environment,
    environmentTrumps: delta.environmentTrumps ?? group.environmentTrumps,
    rule: delta.rule === undefined ? group.rule : delta.rule,
    classes: mergeClasses(group.classes, delta.classes),
    configData: mergeClasses(group.configData, delta.configData),
    variables: mergeValues(group.variables, delta.variables),
  };
}

function mergeClasses(before: ClassValues, delta: GroupValues = {}): ClassValues {
  const merged: Record<string, GroupValues> = { ...before };
  for (const [name, parameters] of Object.entries(delta)) {
    if (isJsonObject(parameters)) merged[name] = mergeValues(merged[name] ?? {}, parameters);
    else delete merged[name];
  }
  return merged;
}

function mergeValues(before: GroupValues, delta: GroupValues = {}): GroupValues {
  const merged: Record<string, unknown> = { ...before };
  for (const [name, value] of Object.entries(delta)) {
    if (value === null) delete merged[name];
    else merged[name] = mergeDeep(merged[name], value);
  }
  return merged;
}

function mergeDeep(before: unknown, delta: unknown): unknown {
  if (!isJsonObject(before) || !isJsonObject(delta)) return delta;
  const merged: Record<string, unknown> = { ...before };
  for (const [name, value] of Object.entries(delta)) merged[name] = mergeDeep(merged[name], value);
  return merged;
}

/** Refuses another rule or parent of the root. Throws GroupRefused (`root-immutable`). */
export function checkRoot(before: NodeGroup, { rule, parent }: GroupContent): void {
  if (before.id !== ROOT_ID) return;
  if (parent !== ROOT_ID) throw rootImmutable('The root group has no other parent');
  if (JSON.stringify(rule) === JSON.stringify(before.rule)) return;
  throw rootImmutable('The rule of the root group cannot be changed: it matches all nodes');
}

/**
 * Throws GroupRefused (`uniqueness-violation`) when another group has the name in the environment.
 */
export function checkName(group: NodeGroup, all: readonly NodeGroup[]): void {
  const { id, name, environment } = group;
  const other = all.find((one) => one.id !== id && one.name === name && one.environment === environment);
  if (other === undefined) return;
  const message = `A group named '${name}' already exists in the environment '${environment}'`;
  const details = { conflict: { name, environment_name: environment }, constraintName: 'group_env_name_unique' };
  throw new GroupRefused('uniqueness-violation', message, details);
}

export function rootImmutable(message: string): GroupRefused {
  return new GroupRefused('root-immutable', message, { id: ROOT_ID });
}

/** The conditions that pin nodes, and the rule without them. */
interface PinnedRule {
  readonly rule: GroupRule | null;
  readonly pins: readonly string[];
}

/**
 * The nodes that a rule pins. A rule with pins is an `or` that ends with the names of nodes, as the
 * console writes it: `["or", RULE, ["=", "name", "a"], …]`, or names alone.
 */
function splitPins(rule: GroupRule | null): PinnedRule {
  if (rule === null || isOperation(rule) || rule[0] !== 'or') return { rule, pins: [] };
  const conditions = conditionsOf(rule);
  const others = conditions.filter((one) => !isPin(one));
  const pins = conditions.flatMap((one) => (isPin(one) ? [one[2]] : []));
  if (pins.length === 0 || others.length > 1) return { rule, pins: [] };
  return { rule: others[0] ?? null, pins };
}

function isPin(rule: GroupRule): rule is RuleOperation {
  return isOperation(rule) && rule[0] === '=' && rule[1] === 'name';
}

/** The rule that pins these nodes in addition. */
export function addPins(rule: GroupRule | null, nodes: readonly string[]): GroupRule | null {
  const { rule: own, pins } = splitPins(rule);
  return joinPins(own, [...new Set([...pins, ...nodes])]);
}

/** The rule that pins all but these nodes. */
export function removePins(rule: GroupRule | null, nodes: readonly string[]): GroupRule | null {
  const { rule: own, pins } = splitPins(rule);
  if (!pins.some((one) => nodes.includes(one))) return rule;
  return joinPins(
    own,
    pins.filter((one) => !nodes.includes(one)),
  );
}

function joinPins(rule: GroupRule | null, pins: readonly string[]): GroupRule | null {
  const conditions: readonly GroupRule[] = pins.map((one): RuleOperation => ['=', 'name', one]);
  const [first, ...rest] = rule === null ? conditions : [rule, ...conditions];
  if (first === undefined) return null;
  return pins.length === 0 ? first : ['or', first, ...rest];
}
