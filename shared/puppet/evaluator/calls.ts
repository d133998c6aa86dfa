/**
 * Evaluates calls: `f(x)`, `x.f`, `Type(x)`. Puppet: EvaluatorImpl#eval_CallNamedFunctionExpression
 * and the methods next to it.
 */
import { ISSUES } from '../errors/issues/catalogue.ts';
import { checkElementCount, toValueLimitError, ValueLimitError } from '../errors/value-limits.ts';
import type {
  CallMethodExpression,
  CallNamedFunctionExpression,
  Expression,
  LambdaExpression,
  Node,
  Positioned,
} from '../language/ast.ts';
import { PuppetObject } from '../types/objects/puppet-object.ts';
import { isUriPart, Uri } from '../types/uri/uri.ts';
import { checkSize } from '../types/values/check-size.ts';
import type { Value } from '../types/values/values.ts';
import { callFound } from './bytes-arguments.ts';
import { withoutParentheses } from './choices.ts';
import { nodeLabel } from './labels.ts';
import { assertImplemented, methodsOf } from './object-methods.ts';
import type { Callable, Evaluation, ExpressionEvaluator } from './ports.ts';
import { failWith } from './report.ts';
import type { Scope } from './scope.ts';
import { unfoldValue } from './unfold.ts';

export interface CallEvaluator extends ExpressionEvaluator, Pick<Evaluation, 'createClosure'> {}

/**
 * Evaluates a list of expressions; `*x` is unfolded. Throws ValueLimitError for too many elements:
 * before any is evaluated where the code itself has too many.
 */
export function evalList(evaluator: ExpressionEvaluator, nodes: readonly Expression[], scope: Scope): Value[] {
  const [only] = nodes;
  if (only && nodes.length === 1 && only.kind !== 'UnfoldExpression' && only.kind !== 'ParenthesizedExpression') {
    return [evaluator.evaluate(only, scope)];
  }
  checkElementCount(nodes.length);
  const values: Value[] = [];
  for (const each of nodes) {
    const node = withoutParentheses(each);
    const value = evaluator.evaluate(node, scope);
    if (node.kind === 'UnfoldExpression') addElements(values, unfoldValue(value));
    else values.push(value);
  }
  return values;
}

/** Adds one by one: a call with so many arguments would fill the stack. */
function addElements(values: Value[], added: readonly Value[]): void {
  checkElementCount(values.length + added.length);
  for (const value of added) values.push(value);
}

export function evalNamedCall(evaluator: CallEvaluator, node: CallNamedFunctionExpression, scope: Scope): Value {
  const { functorExpr } = node;
  if (functorExpr.kind === 'QualifiedName') {
    return callWithLambda(evaluator, functorExpr.value, evalList(evaluator, node.arguments, scope), node, scope);
  }
  if (isTypeReference(functorExpr)) {
    const type = evaluator.evaluate(functorExpr, scope);
    return callWithLambda(evaluator, 'new', [type, ...evalList(evaluator, node.arguments, scope)], node, scope);
  }
  if (functorExpr.kind === 'RenderStringExpression') failWith(ISSUES.ILLEGAL_EPP_PARAMETERS(), node);
  return failIllegal(functorExpr, 'function name', node);
}

function isTypeReference(node: Expression): boolean {
  if (node.kind === 'QualifiedReference') return true;
  return node.kind === 'AccessExpression' && node.leftExpr.kind === 'QualifiedReference';
}

export function evalMethodCall(evaluator: CallEvaluator, node: CallMethodExpression, scope: Scope): Value {
  const { functorExpr } = node;
  if (functorExpr.kind !== 'NamedAccessExpression') return failIllegal(functorExpr, 'function accessor', node);
  const receiver = evalList(evaluator, [functorExpr.leftExpr], scope);
  const { rightExpr } = functorExpr;
  if (rightExpr.kind !== 'QualifiedName') return failIllegal(functorExpr, 'function name', node);
  const [first] = receiver;
  const member = memberOf(first, rightExpr.value);
  if (member !== undefined) return member;
  const args = evalList(evaluator, node.arguments, scope);
  const methods = first instanceof PuppetObject ? methodsOf(first, scope) : null;
  if (methods?.hasMethod(rightExpr.value)) {
    return methods.callMethod(rightExpr.value, args, node.lambda ? evaluator.createClosure(node.lambda, scope) : null);
  }
  if (first instanceof PuppetObject) assertImplemented(first, rightExpr.value);
  receiver.push(...args);
  return callWithLambda(evaluator, rightExpr.value, receiver, node, scope);
}

/**
 * Returns the attribute of an object or URI that a call without arguments reads; undefined when it
 * has no such attribute.
 */
function memberOf(receiver: Value | undefined, name: string): Value | undefined {
  if (receiver instanceof PuppetObject) return receiver.get(name);
  return receiver instanceof Uri && isUriPart(name) ? receiver.get(name) : undefined;
}

function failIllegal(node: Expression, feature: string, container: Node): never {
  failWith(ISSUES.ILLEGAL_EXPRESSION({ semantic: nodeLabel(node), feature, container: nodeLabel(container) }), node);
}

function callWithLambda(
  evaluator: CallEvaluator,
  name: string,
  args: readonly Value[],
  node: Positioned & { readonly lambda: LambdaExpression | null },
  scope: Scope,
): Value {
  return callFunction(name, args, scope, node, node.lambda ? evaluator.createClosure(node.lambda, scope) : null);
}

/** Calls a function by name on behalf of the expression at `site`. */
export function callFunction(
  name: string,
  args: readonly Value[],
  scope: Scope,
  site: Positioned,
  block: Callable | null,
): Value {
  const { context } = scope;
  context.inputs.site = site;
  const found = context.definitions.findFunction(name, site?.locator.file);
  if (!found) failWith(ISSUES.UNKNOWN_FUNCTION({ name }), site);
  const { stack } = context.evaluator;
  stack.enter(site);
  try {
    return checkSize(callFound(found, { context, scope, node: site }, args, block));
  } catch (thrown) {
    const error = toValueLimitError(thrown);
    throw error instanceof ValueLimitError && error.location.line === undefined ? error.inFunction(name) : error;
  } finally {
    stack.leave();
  }
}
