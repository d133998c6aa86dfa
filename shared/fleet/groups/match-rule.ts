import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import { isJsonObject } from '../../util/json-object.ts';
import { conditionsOf, type FactPath, type GroupRule, isOperation, type RuleOperation } from './group-rule.ts';
import { matchesRulePattern } from './rule-pattern.ts';

/** A node as rules see it. `fact` and `trusted` are parsed JSON, or hashes of Puppet's. */
export interface RuleSubject {
  readonly name: string;
  readonly fact: unknown;
  readonly trusted: unknown;
}

/** A value that rules compare; null: the path does not exist, or leads to no single value. */
type RuleValue = string | number | boolean | null;
/** Finds the value at a path. */
export type ReadRuleValue = (path: FactPath) => RuleValue;

/** The values of a subject. */
export function valuesOf(subject: RuleSubject): ReadRuleValue {
  return (path) => toRuleValue(findAt(subject, path));
}

/** Returns the value of a subject at a path; undefined for none. */
function findAt({ name, fact, trusted }: RuleSubject, path: FactPath): unknown {
  if (path === 'name') return name;
  const [kind, ...steps] = path;
  let value: unknown = kind === 'fact' ? fact : trusted;
  for (const step of steps) value = descend(value, step);
  return value;
}

function descend(value: unknown, step: string | number): unknown {
  if (Array.isArray(value)) return typeof step === 'number' ? value[step] : undefined;
  const name = String(step);
  if (value instanceof PuppetHash) return value.get(name);
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function toRuleValue(value: unknown): RuleValue {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'number':
      return value;
    case 'bigint':
      return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
    default:
      return null;
  }
}

/** Whether the node matches the rule. A path that does not exist makes a condition false. */
export function matchesRule(rule: GroupRule, read: ReadRuleValue): boolean {
  if (isOperation(rule)) return matchesOperation(rule, read(rule[1]));
  const conditions = conditionsOf(rule);
  switch (rule[0]) {
    case 'and':
      return conditions.every((one) => matchesRule(one, read));
    case 'or':
      return conditions.some((one) => matchesRule(one, read));
    default:
      return !conditions.some((one) => matchesRule(one, read));
  }
}

/** Compares one value: as text, as numbers, or by a pattern that occurs in the text. */
function matchesOperation([operator, , wanted]: RuleOperation, value: RuleValue): boolean {
  if (value === null) return false;
  if (operator === '=') return String(value) === wanted;
  if (operator === '~') return matchesRulePattern(wanted, String(value));
  const [left, right] = [toRuleNumber(value), toRuleNumber(wanted)];
  if (left === null || right === null) return false;
  switch (operator) {
    case '>':
      return left > right;
    case '>=':
      return left >= right;
    case '<':
      return left < right;
    default:
      return left <= right;
  }
}

const NUMBER = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*$/;

/** The number that a value stands for, in decimal notation; null for any other value. */
export function toRuleNumber(value: RuleValue): number | null {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && NUMBER.test(value) ? Number(value) : null;
}

/** A rule in which each condition has its result, and each path what the node has there. */
interface ExplainedRule {
  readonly value: boolean;
  readonly form: readonly unknown[];
}

/** Explains why a node matches a rule, or does not. */
export function explainRule(rule: GroupRule, subject: RuleSubject): ExplainedRule {
  if (isOperation(rule)) {
    const [operator, path, wanted] = rule;
    const found = findAt(subject, path) ?? null;
    return { value: matchesOperation(rule, toRuleValue(found)), form: [operator, { path, value: found }, wanted] };
  }
  const parts = conditionsOf(rule).map((one) => explainRule(one, subject));
  return { value: matchesRule(rule, valuesOf(subject)), form: [rule[0], ...parts] };
}
