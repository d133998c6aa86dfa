import { ISSUES } from '../errors/issues/catalogue.ts';
import { LookupError } from '../errors/lookup-error.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import { isArray } from '../types/values/value-kinds.ts';
import type { Value } from '../types/values/values.ts';
import type { Invocation } from './invocation.ts';
import { digSegments, LookupKey } from './lookup-key.ts';
import { rubyText } from './ruby-text.ts';

/** Matches `lookup('x')`. */
const METHOD_CALL = /^(\w+)\((?:"([^"]+)"|'([^']+)')\)$/m;
const EMPTY_EXPRESSIONS = new Set(['', '::', '""', "''", '"::"', "'::'"]);

/**
 * Resolves every `%{...}` in the strings of a value, hash keys included. `methods` allows
 * `lookup('x')`, `alias('x')` and the like: true for data, false for hiera.yaml. Follows
 * lib/puppet/pops/lookup/interpolation.rb.
 */
export function interpolate(value: Value, invocation: Invocation, methods: boolean): Value {
  if (typeof value !== 'string') return interpolateInside(value, invocation, methods);
  return value.includes('%{') ? interpolateString(value, invocation, methods) : value;
}

function interpolateInside(value: Value, invocation: Invocation, methods: boolean): Value {
  if (value instanceof PuppetHash) {
    return PuppetHash.of(
      [...value.entries()].map(([key, item]) => [
        interpolate(key, invocation, methods),
        interpolate(item, invocation, methods),
      ]),
    );
  }
  return isArray(value) ? value.map((item) => interpolate(item, invocation, methods)) : value;
}

function interpolateString(text: string, invocation: Invocation, methods: boolean): Value {
  return invocation.explainer ? replaceAllExplained(text, invocation, methods) : replaceAll(text, invocation, methods);
}

function replaceAllExplained(text: string, invocation: Invocation, methods: boolean): Value {
  return invocation.runWithin({ kind: 'interpolate', expression: text }, () => replaceAll(text, invocation, methods));
}

function replaceAll(text: string, invocation: Invocation, methods: boolean): Value {
  let result = '';
  let end = 0;
  for (let start = text.indexOf('%{'); start >= 0; start = text.indexOf('%{', end)) {
    const close = text.indexOf('}', start);
    if (close < 0) break;
    const expression = expressionAt(text, start + 2, close, invocation);
    const isAll = start === 0 && close + 1 === text.length;
    const value = EMPTY_EXPRESSIONS.has(expression) ? null : resolve(expression, isAll, text, invocation, methods);
    if (value instanceof Whole) return value.value;
    result += text.slice(end, start) + (value === null ? '' : rubyText(value));
    end = close + 1;
  }
  return result + text.slice(end);
}

/**
 * Returns the expression between two places. Data repeats a few variables; the last one is reused
 * without a copy.
 */
function expressionAt(text: string, start: number, end: number, { session }: Invocation): string {
  const { lastExpression } = session;
  if (start + lastExpression.length === end && text.startsWith(lastExpression, start)) return lastExpression;
  const expression = text.slice(start, end).trim();
  session.lastExpression = expression;
  return expression;
}

/** The value of an `alias`. It replaces the whole string. */
class Whole {
  readonly value: Value;

  constructor(value: Value) {
    this.value = value;
  }
}

/** Resolves one expression. `isAll`: the expression is the whole of `subject`. */
function resolve(
  expression: string,
  isAll: boolean,
  subject: string,
  invocation: Invocation,
  methods: boolean,
): Value | Whole {
  const call = expression.includes('(') ? METHOD_CALL.exec(expression) : null;
  if (!call) return resolveVariable(expression, subject, invocation, methods);
  if (!methods) {
    throw new LookupError(ISSUES.HIERA_INTERPOLATION_METHOD_SYNTAX_NOT_ALLOWED());
  }
  const [, method = '', double, single] = call;
  const argument = double ?? single ?? '';
  if (method === 'scope') return resolveVariable(argument, subject, invocation, methods);
  if (method === 'alias' && !isAll) {
    throw new LookupError(ISSUES.HIERA_INTERPOLATION_ALIAS_NOT_ENTIRE_STRING());
  }
  const value = callMethod(method, argument, invocation);
  return method === 'alias' ? new Whole(value) : resolveAgain(argument, value, invocation, methods);
}

function resolveVariable(expression: string, subject: string, invocation: Invocation, methods: boolean): Value {
  const value = lookupVariable(expression, subject, invocation);
  // The value contains nothing to interpolate.
  if (value === null || typeof value === 'boolean' || isPlainText(value)) return value;
  return resolveAgain(`scope:${expression}`, value, invocation, methods);
}

function resolveAgain(name: string, value: Value, invocation: Invocation, methods: boolean): Value {
  return invocation.check(name, () => interpolate(value, invocation, methods));
}

function isPlainText(value: Value): boolean {
  return typeof value === 'string' && !value.includes('%{');
}

function callMethod(method: string, argument: string, invocation: Invocation): Value {
  switch (method) {
    case 'lookup':
    case 'hiera':
    case 'alias':
      return lookupKey(argument, invocation);
    case 'literal':
      return argument;
    default:
      throw new LookupError(ISSUES.HIERA_INTERPOLATION_UNKNOWN_INTERPOLATION_METHOD({ name: method }));
  }
}

function lookupKey(key: string, invocation: Invocation): Value {
  // Hiera 3's own variables are visible in the global layer only.
  const variables = invocation.globalOnly ? invocation.variables : undefined;
  const inner = invocation.derive(invocation.scope, variables);
  const parsed = new LookupKey(key);
  return inner.lookup(parsed, parsed.moduleName, () => {
    const found = invocation.session.search([key], null, inner);
    return found === undefined ? '' : found;
  });
}

const GLOBAL_SCOPE = { kind: 'scope', name: 'Global Scope' } as const;

/**
 * Returns the variable that an expression such as `facts.os.name` names; null when there is none.
 */
export function lookupVariable(expression: string, subject: string, invocation: Invocation): Value {
  const { root, segments } = invocation.session.variableName(expression, subject);
  const value = invocation.explainer ? explainVariable(root, invocation) : rootVariable(root, invocation);
  const found = value === null ? null : (digSegments(expression, segments, value, invocation.explainer) ?? null);
  invocation.remember(expression, root, segments, found);
  return found;
}

function explainVariable(name: string, invocation: Invocation): Value {
  return invocation.runWithin(GLOBAL_SCOPE, () => rootVariable(name, invocation));
}

function rootVariable(name: string, invocation: Invocation): Value {
  const { variables, defaults, overrides, explainer } = invocation;
  const override = overrides.get(name);
  if (override !== undefined) {
    explainer?.noteFoundInOverrides(name, override);
    return override;
  }
  if (defaults.has(name) && !variables.exists(name)) {
    const value = defaults.get(name) ?? null;
    explainer?.noteFoundInDefaults(name, value);
    return value;
  }
  const value = variables.get(name);
  if (explainer && (value !== null || variables.exists(name))) explainer.noteFound(name, value);
  return value;
}
