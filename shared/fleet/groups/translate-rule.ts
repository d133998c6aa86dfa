import { GroupRefused } from './group-refused.ts';
import { conditionsOf, type FactPath, type GroupRule, isOperation, type RuleOperation } from './group-rule.ts';
import { toRuleNumber } from './match-rule.ts';

/** The endpoint of PuppetDB that a query is for. */
export type QueryFormat = 'nodes' | 'inventory';

/**
 * Writes a rule as a query in PuppetDB's syntax tree, for the endpoint `nodes` or `inventory`.
 * Rules compare texts, PuppetDB values of any type: the query asks for the text and for the number
 * or boolean that it stands for. Throws GroupRefused (`untranslatable-rule`).
 */
export function translateRule(rule: GroupRule, format: QueryFormat): readonly unknown[] {
  if (isOperation(rule)) return translateOperation(rule, format);
  const parts = conditionsOf(rule).map((one) => translateRule(one, format));
  return [rule[0], ...parts];
}

function translateOperation([operator, path, wanted]: RuleOperation, format: QueryFormat): readonly unknown[] {
  if (path === 'name') return translateName(operator, wanted);
  const target = targetOf(path, format);
  if (operator === '~') return target('~', wanted);
  const number = toRuleNumber(wanted);
  if (operator !== '=') {
    if (number === null) throw untranslatable(`'${wanted}' is no number, so that '${operator}' has no meaning`);
    return target(operator, number);
  }
  const values = [wanted, ...alternativesOf(wanted, number)];
  const [only, ...others] = values.map((value) => target('=', value));
  return others.length === 0 ? (only ?? []) : ['or', only, ...others];
}

function translateName(operator: string, wanted: string): readonly unknown[] {
  if (operator === '=' || operator === '~') return [operator, 'certname', wanted];
  throw untranslatable(`PuppetDB does not compare names with '${operator}'`);
}

/** Values of other types that have the same text. */
function alternativesOf(wanted: string, number: number | null): readonly unknown[] {
  if (wanted === 'true' || wanted === 'false') return [wanted === 'true'];
  return number !== null && String(number) === wanted ? [number] : [];
}

type Target = (operator: string, value: unknown) => readonly unknown[];

function targetOf(path: Exclude<FactPath, 'name'>, format: QueryFormat): Target {
  if (format === 'inventory') {
    const field = dottedPath(path);
    return (operator, value) => [operator, field, value];
  }
  const [kind, ...steps] = path;
  const [first, ...rest] = steps;
  if (kind === 'fact' && rest.length === 0) return (operator, value) => [operator, ['fact', first], value];
  const full = kind === 'fact' ? steps : ['trusted', ...steps];
  return (operator, value) => {
    const contents = ['select_fact_contents', ['and', ['=', 'path', full], [operator, 'value', value]]];
    return ['in', 'certname', ['extract', 'certname', contents]];
  };
}

/** A path in the notation of the inventory endpoint, such as `facts.os.family`. */
function dottedPath([kind, ...steps]: Exclude<FactPath, 'name'>): string {
  const parts = steps.map((step) => {
    if (typeof step === 'number') return `[${step}]`;
    if (step.includes('"')) throw untranslatable(`a name in a dotted path has no quotes, as '${step}' has`);
    return /^[\w-]+$/.test(step) ? `.${step}` : `."${step}"`;
  });
  return `${kind === 'fact' ? 'facts' : 'trusted'}${parts.join('')}`;
}

function untranslatable(reason: string): GroupRefused {
  return new GroupRefused('untranslatable-rule', `The rule cannot be written as a query: ${reason}`);
}
