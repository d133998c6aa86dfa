/**
 * Evaluates variables: reads, assignment, destructuring. Puppet: EvaluatorImpl#assign,
 * Runtime3Support#set_variable.
 */

import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type { AssignmentExpression, Expression, Node, VariableExpression } from '../language/ast.ts';
import { ClassType } from '../types/catalog-types.ts';
import { rubyToS } from '../types/format/ruby-text.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import { nodeLabel } from './labels.ts';
import type { ExpressionEvaluator } from './ports.ts';
import { failWith, warn } from './report.ts';
import { RESERVED_VARIABLES, type Scope } from './scope.ts';

export function evalVariable(evaluator: ExpressionEvaluator, node: VariableExpression, scope: Scope): Value {
  const { expr } = node;
  if (expr.kind === 'QualifiedName') return readVariable(expr.value, node, scope);
  const name = evaluator.evaluate(expr, scope);
  if (typeof name === 'string') return readVariable(name, node, scope);
  if (typeof name === 'bigint' || typeof name === 'number') return readVariable(String(name), node, scope);
  failWith(ISSUES.ILLEGAL_VARIABLE_EXPRESSION({ semantic: nodeLabel(expr) }), expr);
}

/**
 * Returns the value. An unknown variable is an error, a warning or ignored, as the settings say.
 */
export function readVariable(name: string, node: Node, scope: Scope): Value {
  scope.context.inputs.site = node;
  const value = scope.lookupVariable(name);
  if (value !== undefined) return value;
  const { strict, strictVariables } = scope.context.settings;
  if (strictVariables || strict === 'error') failWith(ISSUES.UNKNOWN_VARIABLE({ name }), node);
  if (strict === 'warning') warn(scope.context, ISSUES.UNKNOWN_VARIABLE({ name }), node);
  return null;
}

export function evalAssignment(evaluator: ExpressionEvaluator, node: AssignmentExpression, scope: Scope): Value {
  const target = targetOf(evaluator, node.leftExpr, scope);
  const value = evaluator.evaluate(node.rightExpr, scope);
  if (node.operator !== '=') failWith(ISSUES.UNSUPPORTED_OPERATOR({ operator: node.operator }), node);
  assign(target, value, node, scope);
  return value;
}

/** An assignment target: a variable name, a number (match variable), or a list of targets. */
type Target = string | bigint | number | readonly Target[];

function targetOf(evaluator: ExpressionEvaluator, node: Expression, scope: Scope): Target {
  if (node.kind === 'LiteralList') return node.values.map((each) => targetOf(evaluator, each, scope));
  if (node.kind === 'VariableExpression') {
    const name = evaluator.evaluate(node.expr, scope);
    if (typeof name === 'string' || typeof name === 'bigint' || typeof name === 'number') return name;
  }
  failWith(ISSUES.ILLEGAL_ASSIGNMENT({ semantic: nodeLabel(node) }), node);
}

function assign(target: Target, value: Value, node: AssignmentExpression, scope: Scope): void {
  if (typeof target === 'string') assignVariable(target, value, node, scope);
  else if (typeof target === 'bigint' || typeof target === 'number') {
    failWith(ISSUES.ILLEGAL_NUMERIC_ASSIGNMENT({ name: String(target) }), node.leftExpr);
  } else assignEach(target, value, node, scope);
}

function assignVariable(name: string, value: Value, node: AssignmentExpression, scope: Scope): void {
  if (name.includes('::')) failWith(ISSUES.CROSS_SCOPE_ASSIGNMENT({ name }), node.leftExpr);
  if (name === 'server_facts') failWith(ISSUES.ILLEGAL_RESERVED_ASSIGNMENT({ name }), node);
  const { leftExpr } = node;
  if (scope.bindVariable(name, value, leftExpr.kind === 'VariableExpression' ? leftExpr : null)) return;
  const reserved = RESERVED_VARIABLES.has(name);
  failWith(reserved ? ISSUES.ILLEGAL_RESERVED_ASSIGNMENT({ name }) : ISSUES.ILLEGAL_REASSIGNMENT({ name }), node);
}

function assignEach(targets: readonly Target[], value: Value, node: AssignmentExpression, scope: Scope): void {
  if (value instanceof PuppetHash) assignFromHash(targets, value, node, scope);
  else if (value instanceof ClassType) assignFromClass(targets, value, node, scope);
  else assignFromArray(targets, Array.isArray(value) ? value : [value], node, scope);
}

function assignFromArray(
  targets: readonly Target[],
  values: readonly Value[],
  node: AssignmentExpression,
  scope: Scope,
): void {
  if (values.length !== targets.length) {
    failWith(ISSUES.ILLEGAL_MULTI_ASSIGNMENT_SIZE({ expected: targets.length, actual: values.length }), node);
  }
  for (const [index, target] of targets.entries()) assign(target, values[index] ?? null, node, scope);
}

function assignFromHash(targets: readonly Target[], hash: PuppetHash, node: AssignmentExpression, scope: Scope): void {
  for (const target of targets) {
    const value = hash.get(target);
    if (value === undefined) {
      failWith(ISSUES.MISSING_MULTI_ASSIGNMENT_KEY({ key: rubyToS(target) }), node);
    }
    assign(target, value, node, scope);
  }
}

function assignFromClass(targets: readonly Target[], type: ClassType, node: AssignmentExpression, scope: Scope): void {
  const { className } = type;
  if (className === null) throw new PuppetError(ISSUES.INVALID_RESOURCE_REFERENCE({ reference: '"class"' }));
  if (!scope.context.catalog.hasResource('class', className)) {
    failWith(ISSUES.UNKNOWN_RESOURCE({ type: 'Class', title: className }), node.rightExpr);
  }
  for (const [index, target] of targets.entries()) {
    const name: string = `${className.toLowerCase()}::${rubyToS(target)}`;
    const value = scope.lookupVariable(name);
    if (value === undefined) {
      const { leftExpr } = node;
      const place = leftExpr.kind === 'LiteralList' ? (leftExpr.values[index] ?? node) : node;
      failWith(ISSUES.MISSING_MULTI_ASSIGNMENT_VARIABLE({ name }), place);
    }
    assign(target, value, node, scope);
  }
}
