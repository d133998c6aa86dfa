import type { GroupRuleJson } from './group-shapes.ts';

/** A condition of a node group's rule: one row of the form. */
export interface RuleCondition {
  /** `name`, or the path of a fact or trusted fact with dots: `fact.os.family`, `os.family`. */
  readonly path: string;
  readonly operator: ConditionOperator;
  readonly value: string;
  readonly isNot: boolean;
}

export const RULE_OPERATORS = ['=', '~', '>', '>=', '<', '<='] as const;
type ConditionOperator = (typeof RULE_OPERATORS)[number];

/** A rule as the form shows it: nodes match by the conditions, or by name if they are pinned. */
export interface RuleForm {
  readonly match: 'and' | 'or';
  readonly conditions: readonly RuleCondition[];
  readonly pins: readonly string[];
}

export const NO_RULE: RuleForm = { match: 'and', conditions: [], pins: [] };

/** Reads a rule for the form; null when it is nested in a way that the form cannot show. */
export function readRuleForm(rule: GroupRuleJson | null | undefined): RuleForm | null {
  if (rule === null || rule === undefined) return NO_RULE;
  const single = readCondition(rule);
  if (single !== null) return { match: 'and', conditions: [single], pins: [] };
  const [operator, ...parts] = rule;
  if (operator !== 'and' && operator !== 'or') return null;
  if (operator === 'and') return readAll('and', parts);
  const [first, ...others] = parts;
  const pins = others.map(readPin);
  const inner = isRule(first) && (first[0] === 'and' || first[0] === 'or') ? readRuleForm(first) : null;
  if (inner !== null && inner.pins.length === 0 && pins.every((pin) => pin !== null)) return { ...inner, pins };
  const allPins = parts.map(readPin);
  if (allPins.every((pin) => pin !== null)) return { match: 'and', conditions: [], pins: allPins };
  return readAll('or', parts);
}

function readAll(match: 'and' | 'or', parts: readonly unknown[]): RuleForm | null {
  const conditions = parts.map(readCondition);
  return conditions.every((one) => one !== null) ? { match, conditions, pins: [] } : null;
}

function isRule(value: unknown): value is GroupRuleJson {
  return Array.isArray(value);
}

function readPin(part: unknown): string | null {
  const condition = readCondition(part);
  const isPin = condition?.path === 'name' && condition.operator === '=' && !condition.isNot;
  return isPin ? condition.value : null;
}

function readCondition(part: unknown): RuleCondition | null {
  if (!isRule(part)) return null;
  if (part[0] === 'not' && part.length === 2) {
    const inner = readCondition(part[1]);
    return inner === null || inner.isNot ? null : { ...inner, isNot: true };
  }
  const [operator, path, value] = part;
  const found = RULE_OPERATORS.find((one) => one === operator);
  if (found === undefined || typeof value !== 'string' || part.length !== 3) return null;
  const text = readPath(path);
  return text === null ? null : { path: text, operator: found, value, isNot: false };
}

function readPath(path: unknown): string | null {
  if (typeof path === 'string') return path;
  if (!Array.isArray(path) || path.length < 2) return null;
  // The form joins parts with dots, so it cannot show a part that has one itself.
  return path.every((part) => typeof part === 'string' && !part.includes('.')) ? path.join('.') : null;
}

/** Converts the form to a rule; null when it has neither conditions nor pins. */
export function writeRule({ match, conditions, pins }: RuleForm): GroupRuleJson | null {
  const written = conditions.filter(({ path }) => !/^((fact|trusted)\.?)?$/.test(path.trim())).map(writeCondition);
  const pinned = pins.map((name) => ['=', 'name', name]);
  if (pinned.length === 0) return written.length === 0 ? null : [match, ...written];
  return written.length === 0 ? ['or', ...pinned] : ['or', [match, ...written], ...pinned];
}

function writeCondition({ path, operator, value, isNot }: RuleCondition): GroupRuleJson {
  const trimmed = path.trim();
  const [root = '', ...names] = trimmed.split('.');
  const parts = root === 'fact' || root === 'trusted' ? [root, ...names] : ['fact', root, ...names];
  const condition = [operator, trimmed === 'name' ? 'name' : parts, value];
  return isNot ? ['not', condition] : condition;
}
