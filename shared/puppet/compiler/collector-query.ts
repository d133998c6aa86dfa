import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import { includes } from '../evaluator/compare-operator.ts';
import type { Scope } from '../evaluator/scope.ts';
import type { ComparisonExpression, Expression, Query } from '../language/ast.ts';
import { looselyEquals } from '../types/equality.ts';
import { inspectRuby } from '../types/format/ruby-text.ts';
import { PType } from '../types/ptype.ts';
import type { Value } from '../types/values/values.ts';
import type { DeclaredResource } from './declared-resource.ts';

/** Whether a resource matches the query of a collector. */
export type ResourceQuery = (resource: DeclaredResource) => boolean;

/**
 * Compiles a query to a predicate; null for the empty query, which matches every resource. The
 * operands are evaluated once, during this call.
 */
export function resourceQuery(query: Query, scope: Scope): ResourceQuery | null {
  return isEmpty(query) ? null : toPredicate(query.expr, scope);
}

/**
 * Converts a query for the store of exported resources: `['title', '==', 'x']`, `[left, 'and',
 * right]`; null for the empty query. Puppet: CollectorTransformer#match
 */
export function storeFilter(query: Query, scope: Scope): unknown {
  return isEmpty(query) ? null : filter(query.expr, scope);
}

function isEmpty(query: Query): query is Query & { readonly expr: null } {
  return query.expr === null || query.expr.kind === 'Nop';
}

function toPredicate(expression: Expression | null, scope: Scope): ResourceQuery {
  switch (expression?.kind) {
    case 'ParenthesizedExpression':
      return toPredicate(expression.expr, scope);
    case 'AndExpression': {
      const [left, right] = [toPredicate(expression.leftExpr, scope), toPredicate(expression.rightExpr, scope)];
      return (resource) => left(resource) && right(resource);
    }
    case 'OrExpression': {
      const [left, right] = [toPredicate(expression.leftExpr, scope), toPredicate(expression.rightExpr, scope)];
      return (resource) => left(resource) || right(resource);
    }
    case 'ComparisonExpression':
      return toComparison(expression, scope);
    default:
      return valueAsQuery(expression, scope);
  }
}

/** Puppet: a value that is not a query is an error only when a resource is tested against it. */
function valueAsQuery(expression: Expression | null, scope: Scope): ResourceQuery {
  if (!expression) throw new PuppetError(ISSUES.UNTRANSFORMABLE_QUERY_NODE({ kind: className(expression) }));
  const value = evalOperand(expression, scope);
  return () => {
    // Ruby: NoMethodError
    throw new PuppetError(`undefined method \`call' for ${inspectRuby(value)}`);
  };
}

function toComparison(expression: ComparisonExpression, scope: Scope): ResourceQuery {
  const name = evalOperand(expression.leftExpr, scope);
  const wanted = evalOperand(expression.rightExpr, scope);
  const attribute = typeof name === 'string' ? name : String(name);
  if (expression.operator === '!=') return (resource) => !looselyEquals(attributeOf(resource, attribute), wanted);
  if (attribute === 'tag') {
    const tags = (Array.isArray(wanted) ? wanted : [wanted]).map(tagOf);
    return (resource) => resource.hasAnyTag(tags);
  }
  return (resource) => {
    const value = attributeOf(resource, attribute);
    return Array.isArray(value) ? includes(value, wanted, scope) : looselyEquals(value, wanted);
  };
}

function tagOf(value: Value): string {
  if (typeof value === 'number' || typeof value === 'bigint') {
    throw new PuppetError(ISSUES.NUMBER_IS_NO_TAG());
  }
  return value === null ? '' : String(value).toLowerCase();
}

function attributeOf(resource: DeclaredResource, attribute: string): Value {
  return resource.valueOf(attribute) ?? null;
}

function filter(expression: Expression | null, scope: Scope): unknown {
  switch (expression?.kind) {
    case 'ParenthesizedExpression':
      return filter(expression.expr, scope);
    case 'AndExpression':
      return [filter(expression.leftExpr, scope), 'and', filter(expression.rightExpr, scope)];
    case 'OrExpression':
      return [filter(expression.leftExpr, scope), 'or', filter(expression.rightExpr, scope)];
    case 'ComparisonExpression':
      return [
        toPlain(evalOperand(expression.leftExpr, scope)),
        expression.operator,
        toPlain(evalOperand(expression.rightExpr, scope)),
      ];
    default:
      if (!expression) throw new PuppetError(ISSUES.UNTRANSFORMABLE_QUERY_NODE({ kind: className(expression) }));
      return toPlain(evalOperand(expression, scope));
  }
}

const OPERANDS: ReadonlySet<string> = new Set([
  'AccessExpression',
  'VariableExpression',
  'LiteralBoolean',
  'LiteralString',
  'ConcatenatedString',
  'LiteralInteger',
  'LiteralFloat',
  'LiteralUndef',
  'QualifiedName',
]);

function evalOperand(expression: Expression, scope: Scope): Value {
  if (expression.kind === 'ParenthesizedExpression') return evalOperand(expression.expr, scope);
  if (expression.kind === 'LiteralUndef') return null;
  if (OPERANDS.has(expression.kind)) return scope.context.evaluator.evaluate(expression, scope);
  throw new PuppetError(ISSUES.UNTRANSFORMABLE_QUERY_NODE({ kind: className(expression) }));
}

function className(expression: Expression | null): string {
  return `Puppet::Pops::Model::${expression?.kind ?? 'Nop'}`;
}

/** Converts a value of a filter to JSON. */
function toPlain(value: Value): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map((item: Value) => toPlain(item));
  if (value instanceof PType) return value.toString().replace(/'/g, '');
  return value;
}
