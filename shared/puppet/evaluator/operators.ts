/**
 * Evaluates comparison, `=~`, `in` and unary minus. Arithmetic is in arithmetic.ts, equality in
 * compare-operator.ts.
 */

import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type { ComparisonExpression, InExpression, MatchExpression, UnaryMinusExpression } from '../language/ast.ts';
import { areSameType, looselyEquals } from '../types/equality.ts';
import { NotInitializable } from '../types/init-type.ts';
import { isInRange, isStringOrBytes, matchRegexp } from '../types/matching.ts';
import { PType } from '../types/ptype.ts';
import { rubyClassName } from '../types/ruby-class.ts';
import { Timespan } from '../types/time/timespan.ts';
import { Timestamp } from '../types/time/timestamp.ts';
import { BytesText, INVALID_SEQUENCE, plainText } from '../types/values/bytes-text.ts';
import { PuppetRegexp } from '../types/values/regexp.ts';
import { DEFAULT, type Value } from '../types/values/values.ts';
import { SemVer } from '../types/versions/sem-ver.ts';
import { SemVerRange } from '../types/versions/sem-ver-range.ts';
import { compareValues, includes, NotComparable } from './compare-operator.ts';
import { valueLabel } from './labels.ts';
import { coerceNumeric, versionIsNoNumber } from './numeric.ts';
import type { ExpressionEvaluator } from './ports.ts';
import { failWith } from './report.ts';
import type { Scope } from './scope.ts';

export function evalComparison(evaluator: ExpressionEvaluator, node: ComparisonExpression, scope: Scope): Value {
  const { clock } = scope.context;
  if (clock.hasVariables) return evalTimeComparison(evaluator, node, scope);
  const before = clock.count;
  const left = plainText(evaluator.evaluate(node.leftExpr, scope));
  const between = clock.count;
  const right = plainText(evaluator.evaluate(node.rightExpr, scope));
  if (clock.count !== before) clock.settleComparison(node, [left, right], [before, between]);
  return compareOperands(left, right, node);
}

/** Evaluates a comparison whose operands may be variables with a time. */
function evalTimeComparison(evaluator: ExpressionEvaluator, node: ComparisonExpression, scope: Scope): Value {
  const { clock } = scope.context;
  const watched = [clock.findOperand(node.leftExpr, scope), clock.findOperand(node.rightExpr, scope)] as const;
  const before = clock.count;
  const left = watched[0]?.value ?? plainText(evaluator.evaluate(node.leftExpr, scope));
  const between = clock.count;
  const right = watched[1]?.value ?? plainText(evaluator.evaluate(node.rightExpr, scope));
  clock.settleComparison(node, [left, right], [before, between], watched);
  return compareOperands(left, right, node);
}

function compareOperands(left: Value, right: Value, node: ComparisonExpression): boolean {
  if (left instanceof PType) return orderOfTypes(left, right, node);
  switch (node.operator) {
    case '==':
      return looselyEquals(left, right);
    case '!=':
      return !looselyEquals(left, right);
    case '<':
      return orderOf(left, right, node) < 0;
    case '<=':
      return orderOf(left, right, node) <= 0;
    case '>':
      return orderOf(left, right, node) > 0;
    case '>=':
      return orderOf(left, right, node) >= 0;
  }
}

function orderOfTypes(left: PType, right: Value, node: ComparisonExpression): boolean {
  try {
    return compareTypes(left, right, node);
  } catch (error) {
    if (!(error instanceof NotInitializable)) throw error;
    failComparison(left, right, node, error);
  }
}

/** Compares types by assignability. */
function compareTypes(left: PType, right: Value, node: ComparisonExpression): boolean {
  const other = right instanceof PType ? right : null;
  const equal = other !== null && areSameType(left, other);
  switch (node.operator) {
    case '==':
      return equal;
    case '!=':
      return !equal;
    case '<':
      return isWider(right, left) && !equal;
    case '<=':
      return isWider(right, left);
    case '>':
      return other !== null && left.isAssignable(other) && !equal;
    case '>=':
      return other !== null && left.isAssignable(other);
  }
}

function isWider(value: Value, type: PType): boolean {
  return value instanceof PType && value.isAssignable(type);
}

function orderOf(left: Value, right: Value, node: ComparisonExpression): number {
  try {
    return compareValues(left, right);
  } catch (error) {
    if (!(error instanceof NotComparable)) throw error;
    failComparison(left, right, node, error);
  }
}

function failComparison(left: Value, right: Value, node: ComparisonExpression, { basic }: PuppetError): never {
  const { operator } = node;
  const args = { operator, left: valueLabel(left), right: valueLabel(right), detail: basic };
  failWith(ISSUES.COMPARISON_NOT_POSSIBLE(args), node);
}

export function evalMatch(evaluator: ExpressionEvaluator, node: MatchExpression, scope: Scope): Value {
  const left = evaluator.evaluate(node.leftExpr, scope);
  const pattern = plainText(evaluator.evaluate(node.rightExpr, scope));
  const matched = doesMatch(left, pattern, node, scope);
  return node.operator === '=~' ? matched : !matched;
}

function doesMatch(left: Value, pattern: Value, node: MatchExpression, scope: Scope): boolean {
  if (pattern instanceof PType) return pattern.isInstance(left);
  if (pattern instanceof SemVerRange) return isInRange(pattern, left);
  const regexp = asRegexp(pattern, node);
  if (!isStringOrBytes(left)) failWith(ISSUES.MATCH_NOT_STRING({ left: valueLabel(left) }), node.leftExpr);
  return matchRegexp(regexp, left, scope);
}

function asRegexp(pattern: Value, node: MatchExpression): PuppetRegexp {
  if (pattern instanceof PuppetRegexp) return pattern;
  if (typeof pattern !== 'string') {
    const detail = `no implicit conversion of ${rubyWord(pattern)} into String`;
    failWith(ISSUES.MATCH_NOT_REGEXP({ detail }), node.rightExpr);
  }
  const regexp = new PuppetRegexp(pattern);
  try {
    regexp.toNative();
    return regexp;
  } catch (error) {
    if (!(error instanceof PuppetError)) throw error;
    failWith(ISSUES.MATCH_NOT_REGEXP({ detail: error.basic }), node.rightExpr);
  }
}

/** Returns Ruby's description of a value that it cannot convert. */
function rubyWord(value: Value): string {
  if (value === null) return 'nil';
  if (typeof value === 'boolean') return String(value);
  return value === DEFAULT ? 'Symbol' : rubyClassName(value);
}

export function evalIn(evaluator: ExpressionEvaluator, node: InExpression, scope: Scope): Value {
  const left = evaluator.evaluate(node.leftExpr, scope);
  const right = evaluator.evaluate(node.rightExpr, scope);
  refuseBroken(left, right);
  return includes(plainText(right), plainText(left), scope);
}

/** Throws Ruby's error for a search in texts of UTF-8 that are not valid. */
function refuseBroken(left: Value, right: Value): void {
  const isIn = right instanceof BytesText && right.isBroken;
  const isOf = left instanceof BytesText && left.isBroken && isStringOrBytes(right);
  // Ruby: Regexp#match?, String#downcase
  if (isIn || isOf) throw new PuppetError(left instanceof PuppetRegexp ? INVALID_SEQUENCE : 'input string invalid');
}

export function evalUnaryMinus(evaluator: ExpressionEvaluator, node: UnaryMinusExpression, scope: Scope): Value {
  const value = coerceNumeric(plainText(evaluator.evaluate(node.expr, scope)), node, scope.context);
  if (value instanceof Timespan) return new Timespan(-value.nsecs);
  if (value instanceof SemVer) throw versionIsNoNumber();
  // Ruby: NoMethodError
  if (value instanceof Timestamp) throw new PuppetError(`undefined method \`-@' for ${value}:${rubyClassName(value)}`);
  return -value;
}
