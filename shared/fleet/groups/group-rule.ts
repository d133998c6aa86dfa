import { GroupRefused } from './group-refused.ts';
import { compileRulePattern } from './rule-pattern.ts';

const OPERATORS = ['=', '~', '>', '>=', '<', '<='] as const;
type RuleOperator = (typeof OPERATORS)[number];

/** `"name"`, or `["fact"|"trusted", field, field or index, …]`. */
export type FactPath = 'name' | readonly ['fact' | 'trusted', string, ...(string | number)[]];
export type RuleOperation = readonly [RuleOperator, FactPath, string];

/** The condition of a group, as the API writes it. */
export type GroupRule =
  | RuleOperation
  | readonly ['not', GroupRule]
  | readonly ['and' | 'or', GroupRule, ...GroupRule[]];

/** Deeper rules are refused: each level takes a frame of the stack. */
const MOST_DEPTH = 100;

/** Reads a rule. Throws GroupRefused (`schema-violation`) that names the part that is no rule. */
export function readGroupRule(value: unknown): GroupRule {
  return readCondition(value, 0);
}

function readCondition(value: unknown, depth: number): GroupRule {
  if (depth > MOST_DEPTH) throw invalid(`a rule has at most ${MOST_DEPTH} levels`, value);
  if (!Array.isArray(value)) throw invalid('a rule is a list that begins with an operator', value);
  const [operator, ...rest]: readonly unknown[] = value;
  if (operator === 'and' || operator === 'or') {
    const [first, ...others] = rest.map((one) => readCondition(one, depth + 1));
    if (first === undefined) throw invalid(`'${operator}' needs at least one condition`, value);
    return [operator, first, ...others];
  }
  if (operator === 'not') {
    if (rest.length !== 1) throw invalid("'not' needs exactly one condition", value);
    return ['not', readCondition(rest[0], depth + 1)];
  }
  return readOperation(value);
}

function readOperation(value: readonly unknown[]): RuleOperation {
  const operator = OPERATORS.find((one) => one === value[0]);
  if (operator === undefined) {
    throw invalid(`the operator of a rule is one of ${OPERATORS.join(' ')} and or not`, value);
  }
  if (value.length !== 3) throw invalid(`'${operator}' needs a fact path and a value`, value);
  const [, path, wanted] = value;
  if (typeof wanted !== 'string') throw invalid('the value of a condition is a string', value);
  if (operator === '~') compileRulePattern(wanted);
  return [operator, readPath(path), wanted];
}

function readPath(path: unknown): FactPath {
  if (path === 'name') return 'name';
  const [kind, field, ...rest]: readonly unknown[] = Array.isArray(path) ? path : [];
  const isPath = (kind === 'fact' || kind === 'trusted') && typeof field === 'string';
  const isStep = (step: unknown): step is string | number =>
    typeof step === 'string' || (typeof step === 'number' && Number.isSafeInteger(step) && step >= 0);
  if (isPath && rest.every(isStep)) return [kind, field, ...rest];
  const message = `a fact path is "name", or ["fact" or "trusted", a name, then names and indexes]`;
  throw invalid(message, path);
}

function invalid(message: string, submitted: unknown): GroupRefused {
  const text = JSON.stringify(submitted) ?? 'nothing';
  const shown = text.length > 200 ? `${text.slice(0, 200)}...` : text;
  return new GroupRefused('schema-violation', `The rule is invalid: ${message}, not ${shown}`, {
    submitted,
    error: message,
  });
}

/** The paths that the rule reads, each once. */
export function listRulePaths(rule: GroupRule): readonly FactPath[] {
  const paths = new Map<string, FactPath>();
  const visit = (condition: GroupRule) => {
    if (isOperation(condition)) paths.set(pathKey(condition[1]), condition[1]);
    else for (const one of conditionsOf(condition)) visit(one);
  };
  visit(rule);
  return [...paths.values()];
}

/** Names a path in records. */
export function pathKey(path: FactPath): string {
  return path === 'name' ? path : JSON.stringify(path);
}

/** Whether the condition compares a fact, and does not combine others. */
export function isOperation(rule: GroupRule): rule is RuleOperation {
  return rule[0] !== 'and' && rule[0] !== 'or' && rule[0] !== 'not';
}

/** The conditions that `and`, `or` or `not` combines. */
export function conditionsOf(rule: Exclude<GroupRule, RuleOperation>): readonly GroupRule[] {
  const [, ...conditions] = rule;
  return conditions;
}
